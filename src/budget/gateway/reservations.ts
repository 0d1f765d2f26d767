import type { Ledger } from "./ledger.js";

/** The most that a call can use: what it does use is known only when its answer is there. */
export interface Most {
  readonly pico: number;
  readonly tokens: number;
}

/**
 * Sets aside what calls can cost whose answers cannot be cut, so that many at a time do not spend what is left once each.
 * A call that does not fit beside the others waits for them, in the order of arrival. One that does not fit by itself is
 * let through when there are no others: the budget is exceeded by one call at most.
 */
export class Reservations {
  readonly #ledger: Ledger;
  readonly #held = new Set<Most>();
  readonly #waiting = new Map<Most, () => void>();
  #pico = 0;
  #tokens = 0;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** Resolves when the call may be made, when it was released, or when the budget is spent: ask the ledger then. */
  async hold(most: Most): Promise<void> {
    const turn = new Promise<void>((resolve) => this.#waiting.set(most, resolve));
    this.admit();
    await turn;
  }

  /** The call is over, or nobody waits for it any more. */
  release(most: Most): void {
    this.#waiting.get(most)?.();
    this.#waiting.delete(most);
    if (!this.#held.delete(most)) return;
    this.#pico -= most.pico;
    this.#tokens -= most.tokens;
    this.admit();
  }

  /** Lets those through who can go. */
  admit(): void {
    for (const [most, go] of this.#waiting) {
      if (!this.#ledger.isExceeded && !this.#fits(most)) return;
      this.#waiting.delete(most);
      this.#held.add(most);
      this.#pico += most.pico;
      this.#tokens += most.tokens;
      go();
    }
  }

  #fits({ pico, tokens }: Most): boolean {
    return this.#held.size === 0 || this.#ledger.hasRoomFor(this.#pico + pico, this.#tokens + tokens);
  }
}
