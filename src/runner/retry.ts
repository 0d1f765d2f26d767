import { setTimeout as sleep } from "node:timers/promises";
import { computeRetryDelay, getRetry, summarizeError } from "../core/index.js";
import { createRandom, hashSeed } from "../stats/index.js";
import type { SystemCall } from "./call.js";
import { findOutlook } from "./failure.js";
import type { TrialGate } from "./gate.js";
import type { ChainPorts } from "./ports.js";

/** Decides whether a failed call is retried, and waits until it is. */
export class RetryTimer {
  readonly #ports: ChainPorts;
  readonly #random: () => number;
  #sleeping = 0;
  #lastFailure: unknown;

  constructor(ports: ChainPorts, seed: number) {
    this.#ports = ports;
    this.#random = createRandom(hashSeed(seed, "retries")).next;
  }

  /** Waits before the next attempt. Returns the milliseconds, or null if there is none: it may not be, or the run was stopped. */
  async wait(error: unknown, call: SystemCall, gate: TrialGate | null): Promise<number | null> {
    const ms = this.#computeDelay(error, call, gate);
    return ms !== null && (await this.#sleep(ms, error)) ? ms : null;
  }

  /** Describes why calls wait to be retried; null if none does. */
  describeWaiting(): string | null {
    if (this.#sleeping === 0) return null;
    return `${this.#sleeping} waiting to retry: ${summarizeError(this.#lastFailure)}`;
  }

  #computeDelay(error: unknown, { failed, lostMs, insideMs }: SystemCall, gate: TrialGate | null): number | null {
    const { retry: policy } = this.#ports;
    // While the endpoint is down, the trial waits at the gate for as long as the outage policy allows.
    if (gate?.isDown === true && findOutlook(error) === "down") return policy.maxRetries === 0 ? null : 0;
    const retry = getRetry(error);
    if (retry === null) return null;
    const counts = { failed: failed.length + 1, waitedMs: lostMs - insideMs };
    return computeRetryDelay(retry, counts, { policy, random: this.#random });
  }

  /** Returns false if the run was stopped while waiting. */
  async #sleep(ms: number, failure: unknown): Promise<boolean> {
    this.#sleeping += 1;
    this.#lastFailure = failure;
    try {
      await sleep(ms, undefined, { signal: this.#ports.signal });
      return true;
    } catch {
      return false;
    } finally {
      this.#sleeping -= 1;
    }
  }
}
