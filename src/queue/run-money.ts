import type { Redis } from "ioredis";
import type { Announcement, QueueBudget } from "./contract.js";
import { removeBudget } from "./directory.js";
import { SharedBudget } from "./shared-budget.js";

export interface CoordinatorBudgetOptions {
  redis: Redis;
  announcement: Pick<Announcement, "key" | "budget">;
  /** Spending of earlier starts of the run, from their last state; null if there is none. */
  last: QueueBudget | null;
  /** Cost of the recorded trials. */
  recordedUsd: () => number;
}

/**
 * The budget of a run as its coordinator sees it. It remembers what Redis forgets: trials lost with workers, in earlier
 * starts and before Redis lost its data.
 */
export class CoordinatorBudget {
  readonly #options: CoordinatorBudgetOptions;
  readonly #budget: SharedBudget | null;
  #last: QueueBudget | null;
  /** Losses that Redis does not know about. */
  #forgotten = { trials: 0, usd: 0 };

  constructor(options: CoordinatorBudgetOptions) {
    const { redis, announcement, last } = options;
    this.#options = options;
    this.#budget = announcement.budget.run === undefined ? null : new SharedBudget(redis, announcement.key);
    this.#last = last;
  }

  /** Sets the limit at the start, and whenever Redis has lost it. */
  async open(): Promise<void> {
    const { redis, announcement } = this.#options;
    const maxCostUsd = announcement.budget.run?.maxCostUsd;
    if (this.#budget === null || maxCostUsd === undefined) return;
    const known = await this.#budget.read();
    this.#remember(known);
    if (known.maxCostUsd > 0) {
      await this.#budget.open({ maxCostUsd, spentUsd: this.#computeMinSpent(known) });
      return;
    }
    // Otherwise late settlements would be subtracted from a budget that never included them.
    await removeBudget(redis, announcement.key);
    const { spentUsd = 0, reservedUsd = 0 } = this.#last ?? {};
    // Old reservations will never be settled, so they count as spent.
    await this.#budget.open({ maxCostUsd, spentUsd: Math.max(this.#computeMinSpent(known), spentUsd + reservedUsd) });
  }

  /** The spending so far, including all losses; null if the run has no budget. */
  async read(): Promise<QueueBudget | null> {
    if (this.#budget === null) return null;
    const known = await this.#budget.read();
    // The lost data is restored in a moment; until then the last state is better.
    if (known.maxCostUsd === 0) return this.#last;
    const { trials, usd } = this.#forgotten;
    this.#last = { ...known, lostTrials: known.lostTrials + trials, lostUsd: known.lostUsd + usd };
    return this.#last;
  }

  #computeMinSpent({ lostUsd }: QueueBudget): number {
    return this.#options.recordedUsd() + lostUsd + this.#forgotten.usd;
  }

  #remember(known: QueueBudget): void {
    const { lostTrials = 0, lostUsd = 0 } = this.#last ?? {};
    this.#forgotten = {
      trials: Math.max(0, lostTrials - known.lostTrials),
      usd: Math.max(0, lostUsd - known.lostUsd),
    };
  }
}
