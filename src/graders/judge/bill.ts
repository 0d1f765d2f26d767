import type { ScoreMeter } from "../../core/evaluator.js";

/** What one label costs while it is judged. */
export interface Tab extends ScoreMeter {
  end(): void;
}

/** Adds up what the calls of a calibration cost, and says whether there is money for one more label. */
export class Bill {
  costUsd: number | null = null;
  isPartial = false;
  readonly #maxUsd: number | null;
  #open = 0;
  #dearest = 0;

  constructor(maxUsd: number | null) {
    this.#maxUsd = maxUsd;
  }

  get isLimited(): boolean {
    return this.#maxUsd !== null;
  }

  /** Labels under way, and the next, are taken to cost what the dearest has. */
  get isAffordable(): boolean {
    return this.#maxUsd === null || (this.costUsd ?? 0) + (this.#open + 1) * this.#dearest <= this.#maxUsd;
  }

  begin(): Tab {
    this.#open += 1;
    let spent = 0;
    return {
      add: ({ costUsd }) => {
        spent += costUsd ?? 0;
        this.#add(costUsd);
      },
      end: () => {
        this.#open -= 1;
        this.#dearest = Math.max(this.#dearest, spent);
      },
    };
  }

  #add(costUsd: number | null): void {
    if (costUsd === null) this.isPartial = true;
    else this.costUsd = (this.costUsd ?? 0) + costUsd;
  }
}
