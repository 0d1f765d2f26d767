import type { Redis } from "ioredis";
import { toPicoDollars } from "../budget/index.js";
import { KEYS } from "./keys.js";
import { getBudgetKeys } from "./lua/budget.js";
import { DELIVER_RESULTS } from "./lua/deliver.js";
import type { CostSettlement } from "./redis-budget.js";

/** What is written to Redis atomically. */
export interface ResultDelivery {
  /** Rows and outputs, compressed; empty if there are only settlements. */
  data: Buffer;
  /** The trials it contains. */
  trials: readonly number[];
  settlements: readonly CostSettlement[];
  /** Signed outputs of trials that are being graded. Omitted if there are none. */
  outputs?: readonly SealedOutput[];
}

interface SealedOutput {
  index: number;
  sealed: Buffer;
}

/**
 * Atomically adds a batch for the coordinator, settles the cost of its trials and marks them as delivered. Safe to repeat:
 * only the batch is then there twice.
 * @example
 * await deliverResults(redis, key, { data, trials: [7], settlements: [] });
 */
export async function deliverResults(redis: Redis, key: string, delivery: ResultDelivery): Promise<void> {
  const { data, trials, settlements, outputs = [] } = delivery;
  const keys = [...getBudgetKeys(key), KEYS.delivered(key), KEYS.results(key), KEYS.outputs(key)];
  const stored = outputs.flatMap(({ index, sealed }) => [index, sealed]);
  const lists = [trials.length, ...trials, outputs.length, ...stored];
  await DELIVER_RESULTS.run(redis, keys, [data, ...lists, ...settlements.flatMap(toSettlementArgs)]);
}

/** Whether a trial was already delivered. */
export async function wasDelivered(redis: Redis, key: string, index: number): Promise<boolean> {
  return (await redis.getbit(KEYS.delivered(key), index)) === 1;
}

/** The output of a trial that was delivered before grading; null if there is none. */
export function readSealedOutput(redis: Redis, key: string, index: number): Promise<Buffer | null> {
  return redis.hgetBuffer(KEYS.outputs(key), String(index));
}

function toSettlementArgs({
  trial,
  token,
  costUsd,
  judgeCostUsd,
  isTypical,
  isGraded = true,
}: CostSettlement): (string | number)[] {
  const isKnown = Number(costUsd !== null);
  const all = toPicoDollars((costUsd ?? 0) + judgeCostUsd);
  return [token, trial, isKnown, all, toPicoDollars(judgeCostUsd), Number(isTypical), Number(isGraded)];
}
