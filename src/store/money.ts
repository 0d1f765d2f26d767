import type { TrialKey } from "../core/row.js";
import type { MoneyEntry } from "../runner/ports.js";
import { encodeKey } from "./row-codec.js";

/** A reservation for a trial. */
export type OpenReservation = Extract<MoneyEntry, { kind: "reserve" }>;

/** The reservations and settlements in a journal. Add lines in their order. */
export class JournalSpend {
  /** Spend on interrupted trials, and their number. */
  lostUsd = 0;
  lostTrials = 0;
  /** Spend on trials with unknown cost. */
  unknownUsd = 0;
  readonly #open = new Map<string, OpenReservation>();

  add(entry: MoneyEntry): void {
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

  /** A row contains the cost of its trial. */
  close(row: TrialKey): void {
    if (this.#open.size > 0) this.#open.delete(encodeKey(row));
  }

  /** Reservations that were never settled. */
  get open(): OpenReservation[] {
    return [...this.#open.values()];
  }
}
