import type { Redis } from "ioredis";
import { picoDollars } from "../budget/price.js";
import { KEYS } from "./keys.js";
import { DELIVER } from "./lua/deliver.js";
import { budgetKeys } from "./lua/reservations.js";
import type { Settlement } from "./shared-purse.js";

/** What is written to Redis atomically. */
export interface Delivery {
  /** Rows and outputs, compressed; empty if there are only settlements. */
  data: Buffer;
  /** The trials it contains. */
  trials: readonly number[];
  settlements: readonly Settlement[];
  /** Signed outputs of trials that are being graded. Omitted if there are none. */
  outputs?: readonly StoredOutput[];
}

interface StoredOutput {
  index: number;
  sealed: Buffer;
}

/**
 * Atomically adds a batch for the coordinator, settles the cost of its trials and marks them as delivered. Safe to repeat:
 * only the batch is then there twice.
 * @example
 * await deliverResults(redis, key, { data, trials: [7], settlements: [] });
 */
export async function deliver(redis: Redis, key: string, delivery: Delivery): Promise<void> {
  const { data, trials, settlements, outputs = [] } = delivery;
  const keys = [...budgetKeys(key), KEYS.delivered(key), KEYS.results(key), KEYS.outputs(key)];
  const stored = outputs.flatMap(({ index, sealed }) => [index, sealed]);
  const lists = [trials.length, ...trials, outputs.length, ...stored];
  await DELIVER.run(redis, keys, [data, ...lists, ...settlements.flatMap(argumentsOf)]);
}

/** Whether a trial was already delivered. */
export async function wasDelivered(redis: Redis, key: string, index: number): Promise<boolean> {
  return (await redis.getbit(KEYS.delivered(key), index)) === 1;
}

/** The output of a trial that was delivered before grading; null if there is none. */
export function readStored(redis: Redis, key: string, index: number): Promise<Buffer | null> {
  return redis.hgetBuffer(KEYS.outputs(key), String(index));
}

function argumentsOf({
  trial,
  token,
  costUsd,
  judgeCostUsd,
  isTypical,
  isGraded = true,
}: Settlement): (string | number)[] {
  const isKnown = Number(costUsd !== null);
  const all = picoDollars((costUsd ?? 0) + judgeCostUsd);
  return [token, trial, isKnown, all, picoDollars(judgeCostUsd), Number(isTypical), Number(isGraded)];
}
