/** What is not used for the longest time goes first. */
export class VerdictMemory {
  readonly #verdicts = new Map<string, boolean>();
  readonly #size: number;

  constructor(size: number) {
    this.#size = size;
  }

  recall(gold: string, given: string): boolean | undefined {
    const key = keyOf(gold, given);
    const verdict = this.#verdicts.get(key);
    if (verdict !== undefined) this.#keep(key, verdict);
    return verdict;
  }

  remember(gold: string, given: string, verdict: boolean): void {
    this.#keep(keyOf(gold, given), verdict);
    const [oldest] = this.#verdicts.keys();
    if (this.#verdicts.size > this.#size && oldest !== undefined) this.#verdicts.delete(oldest);
  }

  /** A map lists its keys in the order in which they came. */
  #keep(key: string, verdict: boolean): void {
    this.#verdicts.delete(key);
    this.#verdicts.set(key, verdict);
  }
}

function keyOf(gold: string, given: string): string {
  return `${gold.length} ${gold}${given}`;
}
