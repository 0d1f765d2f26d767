import type { Redis } from "ioredis";
import { picoDollars } from "../budget/price.js";
import { KEYS } from "./keys.js";
import { DELIVER } from "./lua/deliver.js";
import { budgetKeys } from "./lua/reservations.js";
import type { Settlement } from "./shared-purse.js";

/** What is left in Redis at one moment. */
export interface Delivery {
  /** Rows and outputs, compressed; empty when there is nothing but settlements. */
  data: Buffer;
  /** The trials that are in it. */
  trials: readonly number[];
  settlements: readonly Settlement[];
  /** Outputs of trials that are being graded, signed. Left out when there are none. */
  outputs?: readonly StoredOutput[];
}

interface StoredOutput {
  index: number;
  sealed: Buffer;
}

/**
 * Leaves a parcel for the coordinator, settles what its trials have cost and marks them as delivered, all at one moment.
 * Done twice, only the parcel is there twice.
 * @example
 * await deliver(redis, key, { data, trials: [7], settlements: [] });
 */
export async function deliver(redis: Redis, key: string, delivery: Delivery): Promise<void> {
  const { data, trials, settlements, outputs = [] } = delivery;
  const keys = [...budgetKeys(key), KEYS.delivered(key), KEYS.results(key), KEYS.outputs(key)];
  const stored = outputs.flatMap(({ index, sealed }) => [index, sealed]);
  const lists = [trials.length, ...trials, outputs.length, ...stored];
  await DELIVER.run(redis, keys, [data, ...lists, ...settlements.flatMap(argumentsOf)]);
}

/** Whether a trial was delivered before, for one that is taken over. */
export async function wasDelivered(redis: Redis, key: string, index: number): Promise<boolean> {
  return (await redis.getbit(KEYS.delivered(key), index)) === 1;
}

/** What was delivered of a trial before it was graded; null when nothing was. */
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
