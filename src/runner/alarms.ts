import type { Trial } from "./admit.js";

/** Trials under way that have used up much of what they may cost. */
export class Alarms {
  readonly #shares = new Map<Trial, number>();
  readonly #onChange: (warning: string | null) => void;

  constructor(onChange: (warning: string | null) => void) {
    this.#onChange = onChange;
  }

  /** A trial has exceeded this share of its limit. */
  raise(trial: Trial, share: number): void {
    this.#shares.set(trial, share);
    this.#onChange(this.#words());
  }

  /** The trial is over. */
  clear(trial: Trial): void {
    if (this.#shares.delete(trial)) this.#onChange(this.#words());
  }

  #words(): string | null {
    const highest = [...this.#shares].sort(([, a], [, b]) => b - a)[0];
    if (highest === undefined) return null;
    const [{ system, example }, share] = highest;
    const others = this.#shares.size - 1;
    const more = others === 0 ? "" : ` (and ${others} more near theirs)`;
    return `${system.name} on ${example.id} is over ${share * 100} % of its budget${more}`;
  }
}
