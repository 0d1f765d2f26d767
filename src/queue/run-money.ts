import type { Redis } from "ioredis";
import type { Announcement, QueueBudget } from "./contract.js";
import { clearBudget } from "./directory.js";
import { SharedBudget } from "./shared-budget.js";

export interface RunMoneyOptions {
  redis: Redis;
  announcement: Pick<Announcement, "key" | "budget">;
  /** What earlier starts of the run have come to, as their last state says; null when there is none. */
  last: QueueBudget | null;
  /** What the trials on record have cost. */
  recordedUsd: () => number;
}

/**
 * The budget of a run from the side of its coordinator, which remembers what Redis forgets: what was lost with workers,
 * at earlier starts and before Redis lost its data.
 */
export class RunMoney {
  readonly #options: RunMoneyOptions;
  readonly #budget: SharedBudget | null;
  #last: QueueBudget | null;
  /** What was lost, and Redis does not know of. */
  #forgotten = { trials: 0, usd: 0 };

  constructor(options: RunMoneyOptions) {
    const { redis, announcement, last } = options;
    this.#options = options;
    this.#budget = announcement.budget.run === undefined ? null : new SharedBudget(redis, announcement.key);
    this.#last = last;
  }

  /** Sets the limit: at the start, and whenever Redis has lost it. */
  async open(): Promise<void> {
    const { redis, announcement } = this.#options;
    const maxCostUsd = announcement.budget.run?.maxCostUsd;
    if (this.#budget === null || maxCostUsd === undefined) return;
    const known = await this.#budget.read();
    this.#remember(known);
    if (known.maxCostUsd > 0) {
      await this.#budget.open({ maxCostUsd, spentUsd: this.#atLeast(known) });
      return;
    }
    // Settled later, what is left of it would be taken out of a budget that it was never put into.
    await clearBudget(redis, announcement.key);
    const { spentUsd = 0, reservedUsd = 0 } = this.#last ?? {};
    // Nobody will settle what was set aside, so that it counts as spent.
    await this.#budget.open({ maxCostUsd, spentUsd: Math.max(this.#atLeast(known), spentUsd + reservedUsd) });
  }

  /** What was spent so far, with all that was ever lost; null when the run has no budget. */
  async read(): Promise<QueueBudget | null> {
    if (this.#budget === null) return null;
    const known = await this.#budget.read();
    // The loss is found out in a moment, and until then the last figures are the better ones.
    if (known.maxCostUsd === 0) return this.#last;
    const { trials, usd } = this.#forgotten;
    this.#last = { ...known, lostTrials: known.lostTrials + trials, lostUsd: known.lostUsd + usd };
    return this.#last;
  }

  #atLeast({ lostUsd }: QueueBudget): number {
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
