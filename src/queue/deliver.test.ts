import type { Redis } from "ioredis";
import { describe, expect, it } from "vitest";
import { describeWithRedis, type RedisServer } from "../testing/redis-server.js";
import { isCommandMissing } from "../testing/system-command.js";
import { deliverResults, readSealedOutput, wasDelivered } from "./deliver.js";
import { KEYS } from "./keys.js";
import { SharedBudget } from "./redis-budget.js";

const KEY = "run-1";

describe.skipIf(isCommandMissing("redis-server"))("deliverResults", () => {
  let server: RedisServer;
  let redis: Redis;

  describeWithRedis((own) => {
    ({ server, redis } = own);
  });

  async function parcels(): Promise<(Buffer | undefined)[]> {
    const entries = await redis.xrangeBuffer(KEYS.results(KEY), "-", "+");
    return entries.map(([, fields]) => {
      expect(fields[0]?.toString()).toBe("z");
      return fields[1];
    });
  }

  it("adds the batch byte for byte and marks its trials", async () => {
    const data = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    await deliverResults(redis, KEY, { data, trials: [0, 7, 1_000_000], settlements: [] });
    expect(await parcels()).toEqual([data]);
    for (const index of [0, 7, 1_000_000]) expect(await wasDelivered(redis, KEY, index)).toBe(true);
    for (const index of [1, 6, 8, 2_000_000]) expect(await wasDelivered(redis, KEY, index)).toBe(false);
    expect(await wasDelivered(redis, "another", 7)).toBe(false);
  });

  it("settles the cost of its trials atomically and only once", async () => {
    const budget = new SharedBudget(redis, KEY);
    await redis.zadd(KEYS.workers, Date.now() + 60_000, "w1");
    await budget.open({ maxCostUsd: 1, spentUsd: 0 });
    const own = { worker: "w1", kind: "a", maxCostUsd: 0.2, canCostUsd: 0.2, isJudged: false, isFree: false };
    for (const trial of [1, 2]) await budget.reserve({ ...own, token: `t${trial}`, trial });
    const settlements = [1, 2].map((trial) => {
      return { trial, token: `t${trial}`, costUsd: 0.1 * trial, judgeCostUsd: 0.01, isTypical: true };
    });
    const parcel = { data: Buffer.from("rows"), trials: [1, 2], settlements };
    await deliverResults(redis, KEY, parcel);
    await deliverResults(redis, KEY, parcel);
    expect(await budget.read()).toMatchObject({ spentUsd: 0.32, reservedUsd: 0 });
    expect(await parcels()).toHaveLength(2);
  });

  it("counts the cost of trials whose reservations Redis has lost, once", async () => {
    const settlements = [1, 2].map((trial) => {
      return { trial, token: `t${trial}`, costUsd: 0.1 * trial, judgeCostUsd: 0.01, isTypical: true };
    });
    const parcel = { data: Buffer.from("rows"), trials: [1, 2], settlements };
    for (let i = 0; i < 2; i++) await deliverResults(redis, KEY, parcel);
    expect(await new SharedBudget(redis, KEY).read()).toMatchObject({ spentUsd: 0.32, reservedUsd: 0 });
  });

  it("adds no batch when there are only settlements", async () => {
    const settlement = { trial: 1, token: "t1", costUsd: 0.1, judgeCostUsd: 0, isTypical: true };
    await deliverResults(redis, KEY, { data: Buffer.alloc(0), trials: [], settlements: [settlement] });
    expect(await redis.keys("*")).toEqual([]);
  });

  it("leaves nothing permanent in a finished run, and changes no other run", async () => {
    await redis.zadd(KEYS.workers, Date.now() + 60_000, "w1");
    const budget = new SharedBudget(redis, KEY);
    await budget.open({ maxCostUsd: 1, spentUsd: 0 });
    const own = { worker: "w1", trial: 1, kind: "a", maxCostUsd: 0.2, canCostUsd: 0.2, isJudged: false, isFree: false };
    for (const token of ["t1", "t2"]) await budget.reserve({ ...own, token });
    const settlement = { trial: 1, token: "t1", costUsd: 0.1, judgeCostUsd: 0, isTypical: false };
    await deliverResults(redis, KEY, { data: Buffer.from("rows"), trials: [1], settlements: [settlement] });
    const ofBudget = [KEYS.budget(KEY), `${KEYS.budget(KEY)}:reservations`];
    const timeLeft = (keys: readonly string[]) => Promise.all(keys.map((key) => redis.ttl(key)));
    for (const left of await timeLeft([KEYS.delivered(KEY), KEYS.results(KEY), ...ofBudget]))
      expect(left).toBeGreaterThan(0);
    expect(await redis.ttl(KEYS.workers)).toBe(-1);
    await budget.open({ maxCostUsd: 1, spentUsd: 0 });
    expect(await timeLeft(ofBudget)).toEqual([-1, -1]);
  });

  it("recovers after Redis was killed and restarted", async () => {
    await deliverResults(redis, KEY, { data: Buffer.from("one"), trials: [1], settlements: [] });
    await server.kill();
    const second = deliverResults(redis, KEY, { data: Buffer.from("two"), trials: [2], settlements: [] });
    await server.start();
    await second;
    expect((await parcels()).map(String)).toEqual(["one", "two"]);
    expect(await wasDelivered(redis, KEY, 1)).toBe(true);
  });

  it("keeps an output until its trial is delivered, and none that comes later", async () => {
    const [sealed, nothing] = [Buffer.from([0, 255, 10, 128]), { data: Buffer.alloc(0), trials: [], settlements: [] }];
    const outputs = [
      { index: 1, sealed },
      { index: 2, sealed },
    ];
    await deliverResults(redis, KEY, { ...nothing, outputs });
    expect(await readSealedOutput(redis, KEY, 1)).toEqual(sealed);
    expect(await redis.ttl(KEYS.outputs(KEY))).toBeGreaterThan(0);
    await deliverResults(redis, KEY, { ...nothing, trials: [1] });
    await deliverResults(redis, KEY, { ...nothing, outputs });
    expect(await readSealedOutput(redis, KEY, 1)).toBeNull();
    expect(await readSealedOutput(redis, KEY, 2)).toEqual(sealed);
  });
});
