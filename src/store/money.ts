import type { TrialKey } from "../core/row.js";
import type { MoneyEntry } from "../runner/ports.js";
import { encodeKey } from "./row-codec.js";

/** Money that was set aside for a trial. */
export type Reserved = Extract<MoneyEntry, { kind: "reserve" }>;

/** What the lines of a journal say of money, beside its rows. Lines are to be given in their order. */
export class JournalMoney {
  /** What counts as spent on trials that were cut off, and how many these are. */
  lostUsd = 0;
  lostTrials = 0;
  /** What counts as spent on trials whose cost nobody knows. */
  unknownUsd = 0;
  readonly #open = new Map<string, Reserved>();

  take(entry: MoneyEntry): void {
    const key = encodeKey(entry);
    if (entry.kind === "reserve") {
      this.#open.set(key, entry);
      return;
    }
    this.#open.delete(key);
    if (entry.why === "unknown") this.unknownUsd += entry.usd;
    if (entry.why !== "lost") return;
    this.lostUsd += entry.usd;
    this.lostTrials += 1;
  }

  /** A row says what its trial has cost. */
  close(row: TrialKey): void {
    if (this.#open.size > 0) this.#open.delete(encodeKey(row));
  }

  /** What was set aside for trials that nothing says the end of. */
  get open(): Reserved[] {
    return [...this.#open.values()];
  }
}
