import type { Redis } from "ioredis";
import { toDollars, toPicoDollars } from "../budget/price.js";
import { checkAmount, requireRule } from "../budget/rules.js";
import { BudgetError, QueueError } from "../core/errors.js";
import type { QueueBudget } from "./contract.js";
import { OPEN_BUDGET } from "./lua/open-budget.js";
import { READ_BUDGET } from "./lua/read-budget.js";
import { getBudgetKeys } from "./lua/reservations.js";
import { RESERVE } from "./lua/reserve.js";

/** A trial that needs budget. */
export interface SharedReserveRequest {
  /** Identifies the reservation; a repeated request with the same token reserves nothing twice. */
  token: string;
  /** The worker; its reservations are freed when its lease has ended. */
  worker: string;
  /** The index of the trial in the plan. */
  trial: number;
  /** The cost of a trial without a limit is estimated from others of its kind: those of the same system. */
  kind: string;
  /** The limit of the trial; 0 and null mean none. */
  maxCostUsd: number | null;
  /** The possible cost, from prompt and maximum answer length or from the limit; null if unknown. */
  canCostUsd: number | null;
  /** True if an evaluator calls models. */
  isJudged: boolean;
  /** True if it costs nothing except for judging. */
  isFree: boolean;
  /** True if its output is stored and only graded. Omitted otherwise. */
  isStored?: boolean;
}

/** "wait" until another trial is settled, "refuse" finally and for all workers, "gone" if the run does not exist. */
export type ReserveAnswer = (typeof RESERVE_ANSWERS)[number];

const RESERVE_ANSWERS = ["held", "wait", "refuse", "gone"] as const;

/**
 * The budget of a run that several workers share, kept in Redis. The rule is that of `RunBudget`: a trial starts only if
 * the spending, all open reservations and its own possible cost fit together.
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
    this.#keys = getBudgetKeys(key);
  }

  /** Sets the limit at every start of the run. The spending is the larger of what Redis and the journal know. */
  async open({ maxCostUsd, spentUsd }: { maxCostUsd: number; spentUsd: number }): Promise<void> {
    requireRule("maxCostUsd", maxCostUsd, checkAmount);
    requireRule("spentUsd", spentUsd, checkAmount);
    if (maxCostUsd === 0) throw new BudgetError("The budget of a run must be above 0. Omit it to run without a limit.");
    await OPEN_BUDGET.run(this.#redis, this.#keys, [toPicoDollars(maxCostUsd), toPicoDollars(spentUsd)]);
  }

  /** Reserves the possible cost of a trial. */
  async reserve(wanted: SharedReserveRequest): Promise<ReserveAnswer> {
    const { token, worker, trial, kind, maxCostUsd, canCostUsd, isJudged, isFree, isStored = false } = wanted;
    requireRule("maxCostUsd", maxCostUsd ?? 0, checkAmount);
    requireRule("canCostUsd", canCostUsd ?? 0, checkAmount);
    const pico = [maxCostUsd, canCostUsd].map((usd) => toPicoDollars(usd ?? 0));
    const args = [token, worker, trial, kind, ...pico, Number(isJudged), Number(isFree), Number(isStored)];
    const answer = await RESERVE.run(this.#redis, this.#keys, args);
    const known = RESERVE_ANSWERS.find((each) => each === answer);
    if (known !== undefined) return known;
    throw new QueueError(`Redis answered ${String(answer)} to a budget reservation. Assay needs Redis 5 or newer.`);
  }

  /** Reads the spending so far; reservations of expired workers count as lost. */
  async read(): Promise<QueueBudget> {
    const fields = (await READ_BUDGET.run(this.#redis, this.#keys, [])) as (string | null)[];
    const [max = 0, spent = 0, reserved = 0, refusing = 0, unknown = 0, lostTrials = 0, lost = 0] = fields.map(Number);
    return {
      maxCostUsd: toDollars(max),
      spentUsd: toDollars(spent),
      reservedUsd: toDollars(reserved),
      isRefusing: refusing === 1,
      unknownCosts: unknown,
      lostTrials,
      lostUsd: toDollars(lost),
    };
  }
}
