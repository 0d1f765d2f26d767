import type { Usage } from "../../core/system.js";

/** The header that tells a client where it can ask what its call has cost. */
export const CALL_HEADER = "assay-call";

/** What a call has used in the end: what was reported and, where that was not all, what was estimated. */
export interface CallBill {
  readonly usage: Readonly<Usage>;
  readonly isEstimated: boolean;
}

/** Bills that nobody has asked for are not kept for ever. */
const MOST_BILLS = 4096;

/** How long whoever asks waits for a call that is not over: its end is heard of a moment later than it is made. */
const PATIENCE_MS = 5000;

/**
 * Bills of single calls, for clients that leave before the end of an answer and so never see its usage. One meter for
 * both sides: what the client writes down is what the receipt says.
 */
export class CallBook {
  readonly #bills = new Map<string, CallBill | null>();
  readonly #waiting = new Map<string, ((bill: CallBill | null) => void)[]>();
  #calls = 0;

  /** A call begins; gives the name to ask for it by. */
  open(): string {
    this.#calls += 1;
    return String(this.#calls);
  }

  /** The call is over; null when it cost nothing. */
  close(call: string, bill: CallBill | null): void {
    this.#bills.set(call, bill);
    if (this.#bills.size > MOST_BILLS) this.#bills.delete(this.#bills.keys().next().value ?? "");
    for (const tell of this.#waiting.get(call) ?? []) tell(bill);
    this.#waiting.delete(call);
  }

  /** The bill of a call once it is over; undefined when it is not known, or not over in time. */
  async ask(call: string): Promise<CallBill | null | undefined> {
    if (this.#bills.has(call)) return this.#bills.get(call);
    if (!(Number(call) <= this.#calls)) return undefined;
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, PATIENCE_MS, undefined);
      const tell = (bill: CallBill | null) => {
        clearTimeout(timer);
        resolve(bill);
      };
      this.#waiting.set(call, [...(this.#waiting.get(call) ?? []), tell]);
    });
  }
}
