import type { Redis } from "ioredis";
import { dollars, picoDollars } from "../budget/price.js";
import { amount, requireRule } from "../budget/rules.js";
import { BudgetError, QueueError } from "../core/errors.js";
import type { QueueBudget } from "./contract.js";
import { OPEN_BUDGET } from "./lua/open-budget.js";
import { READ_BUDGET } from "./lua/read-budget.js";
import { budgetKeys } from "./lua/reservations.js";
import { RESERVE } from "./lua/reserve.js";

/** A trial that asks for money. */
export interface ReserveRequest {
  /** Tells this reservation from all others; asking again with the same one holds nothing twice. */
  token: string;
  /** Who is to run it: what it holds is freed when its lease has ended. */
  worker: string;
  /** The place of the trial in the plan. */
  trial: number;
  /** What a trial without a limit may cost is learnt from others of its kind: those of the same system. */
  kind: string;
  /** The most it may cost; 0 and null mean that it has no limit of its own. */
  maxCostUsd: number | null;
  /** The most it can cost, by its prompt and its longest answer or by its limit; null when nothing says so. */
  canCostUsd: number | null;
  /** True when an evaluator says that it asks models. */
  isJudged: boolean;
  /** True when it costs nothing, but for judging. */
  isFree: boolean;
  /** True when its output is there, and is only graded. Left out when it is not. */
  isStored?: boolean;
}

/** "wait" holds until another trial is settled, "refuse" for good and for everyone; "gone" says that there is no such run. */
export type ReserveAnswer = (typeof ANSWERS)[number];

const ANSWERS = ["held", "wait", "refuse", "gone"] as const;

/**
 * The budget of a run that several workers share, kept in Redis. The rule is that of `RunBudget`: a trial starts only
 * when what is spent, what is set aside for trials that are out and what it may cost itself fit together.
 * @example
 * const budget = new SharedBudget(redis, key);
 * await budget.open({ maxCostUsd: 5, spentUsd: 0 });
 * (await budget.read()).spentUsd; // 0
 */
export class SharedBudget {
  readonly #redis: Redis;
  readonly #keys: readonly string[];

  constructor(redis: Redis, key: string) {
    this.#redis = redis;
    this.#keys = budgetKeys(key);
  }

  /** Sets the limit, at every start of the run. What was spent is the larger of what Redis and the journal know. */
  async open({ maxCostUsd, spentUsd }: { maxCostUsd: number; spentUsd: number }): Promise<void> {
    requireRule("maxCostUsd", maxCostUsd, amount);
    requireRule("spentUsd", spentUsd, amount);
    if (maxCostUsd === 0)
      throw new BudgetError("The budget of a run must be above 0. Leave it out to run without a limit.");
    await OPEN_BUDGET.run(this.#redis, this.#keys, [picoDollars(maxCostUsd), picoDollars(spentUsd)]);
  }

  /** Asks for the most that a trial may cost. */
  async reserve(wanted: ReserveRequest): Promise<ReserveAnswer> {
    const { token, worker, trial, kind, maxCostUsd, canCostUsd, isJudged, isFree, isStored = false } = wanted;
    requireRule("maxCostUsd", maxCostUsd ?? 0, amount);
    requireRule("canCostUsd", canCostUsd ?? 0, amount);
    const pico = [maxCostUsd, canCostUsd].map((usd) => picoDollars(usd ?? 0));
    const args = [token, worker, trial, kind, ...pico, Number(isJudged), Number(isFree), Number(isStored)];
    const answer = await RESERVE.run(this.#redis, this.#keys, args);
    const known = ANSWERS.find((each) => each === answer);
    if (known !== undefined) return known;
    throw new QueueError(`Redis answered ${String(answer)} when money was to be set aside. Is it a Redis 5 or newer?`);
  }

  /** What was spent so far; what the dead held is counted as lost. */
  async read(): Promise<QueueBudget> {
    const fields = (await READ_BUDGET.run(this.#redis, this.#keys, [])) as (string | null)[];
    const [max = 0, spent = 0, reserved = 0, refusing = 0, unknown = 0, lostTrials = 0, lost = 0] = fields.map(Number);
    return {
      maxCostUsd: dollars(max),
      spentUsd: dollars(spent),
      reservedUsd: dollars(reserved),
      isRefusing: refusing === 1,
      unknownCosts: unknown,
      lostTrials,
      lostUsd: dollars(lost),
    };
  }
}
