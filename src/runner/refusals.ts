import { isTrialError } from "../core/errors.js";
import type { Attempted } from "./call.js";

/** Before the first answer of a system: how many calls in a row are refused for the same reason before it is stopped. */
const LIMITS = { refused: 1, rejected: 5 } as const;

/** After it: a key that was withdrawn is refused again and again, a request that was rejected says nothing of others. */
const LATER_LIMITS = { refused: 10, rejected: Number.POSITIVE_INFINITY } as const;

/** Whether the endpoint of one system refuses whatever it is asked. */
export class Refusals {
  #hasAnswered = false;
  #message = "";
  #count = 0;
  #reason: string | null = null;

  /** Why the system is not called any more; null while it is. */
  get reason(): string | null {
    return this.#reason;
  }

  /** Call when a call is over. */
  note(attempted: Attempted): void {
    if (attempted.kind === "returned") {
      this.#hasAnswered = true;
      this.#count = 0;
      return;
    }
    const { error } = attempted;
    if (!isTrialError(error) || (error.outlook !== "refused" && error.outlook !== "rejected")) return;
    this.#count = error.message === this.#message ? this.#count + 1 : 1;
    this.#message = error.message;
    const limits = this.#hasAnswered ? LATER_LIMITS : LIMITS;
    if (this.#count >= limits[error.outlook]) this.#reason = error.message;
  }
}
