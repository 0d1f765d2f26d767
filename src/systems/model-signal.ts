import { setMaxListeners } from "node:events";
import { TrialError } from "../core/errors.js";
import type { StopReason } from "../core/system.js";

/** The signal of one call: aborted with the trial, or when the call has taken too long. */
export class CallSignal {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal;
  readonly #timer: NodeJS.Timeout;

  constructor(outer: AbortSignal, timeoutMs: number, host: string) {
    this.#outer = outer;
    // One signal may stand for a whole run, with hundreds of calls at a time listening: no leak, so no warning.
    setMaxListeners(0, outer);
    outer.addEventListener("abort", this.#onAbort);
    if (outer.aborted) this.#onAbort();
    const late = () =>
      new TrialError("timeout", `${host} took longer than ${timeoutMs} ms.`, { retry: { afterMs: null } });
    this.#timer = setTimeout(() => this.#controller.abort(late()), timeoutMs);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  release(): void {
    clearTimeout(this.#timer);
    this.#outer.removeEventListener("abort", this.#onAbort);
  }

  readonly #onAbort = (): void => this.#controller.abort(this.#outer.reason);
}

/** Why a trial was stopped by its own limits; null when it was stopped for another reason, or not at all. */
export function stopOf({ aborted, reason }: AbortSignal): StopReason | null {
  const { code } = (aborted ? (reason ?? {}) : {}) as { code?: unknown };
  if (code === "TIME_KILLED") return "time_killed";
  return code === "COST_KILLED" ? "cost_killed" : null;
}
