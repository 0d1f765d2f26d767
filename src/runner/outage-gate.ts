import { setMaxListeners } from "node:events";
import type { CallEnd, TrialGate } from "./gate.js";
import { NotRun } from "./not-run.js";
import { Outage, type OutageOptions } from "./outage.js";

/**
 * Keeps calls from an endpoint that is down, in front of the gate that bounds them: one at a time tries it, with growing
 * pauses, until it is back or given up. `Gate` does the same itself.
 */
export class OutageGate implements TrialGate {
  readonly #inner: TrialGate;
  readonly #outage: Outage;
  readonly #clock: () => number;
  #active = 0;
  /** True while a call tries whether the endpoint is back. */
  #isTrying = false;
  #triedBy: number | null = null;
  /** Why nobody is admitted any more. */
  #verdict: string | null = null;
  readonly #waiters = new Set<() => void>();

  constructor(inner: TrialGate, options: OutageOptions) {
    this.#inner = inner;
    this.#outage = new Outage(options);
    this.#clock = options.clock;
  }

  get isDown(): boolean {
    return this.#outage.isOn;
  }

  async enter(signal: AbortSignal): Promise<number> {
    for (;;) {
      const tries = await this.#turn(signal);
      const call = await this.#enterInner(signal, tries);
      if (tries || !this.isDown) return call;
      // It went down while this call waited for a place.
      this.#active -= 1;
      this.#inner.leave(call, "failed");
    }
  }

  leave(call: number, end: CallEnd, pauseMs = 0, why = ""): void {
    if (call === this.#triedBy) this.#endTry();
    if (end === "down") this.#outage.fail(why, this.#active);
    else this.#outage.end();
    this.#active -= 1;
    this.#verdict ??= this.#outage.verdict();
    this.#inner.leave(call, end, pauseMs, why);
    this.#wakeAll();
  }

  waiting(): string | null {
    if (!this.isDown) return this.#inner.waiting();
    return this.#verdict === null ? this.#outage.describe() : null;
  }

  /** Resolves when a call may be made; true when it is the one that tries whether the endpoint is back. */
  async #turn(signal: AbortSignal): Promise<boolean> {
    for (;;) {
      signal.throwIfAborted();
      if (this.#verdict !== null) throw new NotRun(this.#verdict);
      if (!this.isDown) return false;
      const pause = this.#outage.nextTry - this.#clock();
      if (!this.#isTrying && pause <= 0) {
        this.#isTrying = true;
        return true;
      }
      await this.#change(signal, this.#isTrying ? null : pause + 1);
    }
  }

  async #enterInner(signal: AbortSignal, tries: boolean): Promise<number> {
    try {
      const call = await this.#inner.enter(signal);
      this.#active += 1;
      if (tries) this.#triedBy = call;
      return call;
    } catch (error) {
      if (tries) this.#endTry();
      throw error;
    }
  }

  #endTry(): void {
    this.#isTrying = false;
    this.#triedBy = null;
    this.#wakeAll();
  }

  /** Resolves when something has changed, or after a while. */
  #change(signal: AbortSignal, ms: number | null): Promise<void> {
    setMaxListeners(0, signal);
    return new Promise((resolve) => {
      const timer = ms === null ? undefined : setTimeout(() => wake(), ms);
      const wake = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", wake);
        this.#waiters.delete(wake);
        resolve();
      };
      signal.addEventListener("abort", wake, { once: true });
      this.#waiters.add(wake);
    });
  }

  #wakeAll(): void {
    for (const wake of this.#waiters) wake();
  }
}
