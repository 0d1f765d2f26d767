import fc from "fast-check";
import type { Redis } from "ioredis";
import { beforeEach, describe, expect, it } from "vitest";
import { BudgetError } from "../core/errors.js";
import type { Limits } from "../core/price.js";
import type { System } from "../core/system.js";
import type { TrialReservation } from "../runner/ports.js";
import { createBudgets } from "../runs/budgets.js";
import { quantile } from "../stats/index.js";
import { describeWithRedis, type RedisServer } from "../testing/redis-server.js";
import { isCommandMissing } from "../testing/system-command.js";
import { openRedis } from "./connection.js";
import type { WorkerState } from "./contract.js";
import { deliverResults } from "./deliver.js";
import { KEYS } from "./keys.js";
import type { CostSettlement } from "./redis-budget.js";
import { SharedBudget, type SharedReserveRequest } from "./redis-budget.js";
import { readRedisTime, WorkerHeartbeat } from "./worker-heartbeat.js";

const KEY = "run-1";
const W1: WorkerState = {
  ...{ id: "w1", host: "h", pid: 1, run: KEY, concurrency: 8, startedAt: "2026-01-01T00:00:00.000Z" },
  ...{ active: 0, done: 0, perSecond: 0, waiting: null, refuses: null },
};
const NOTHING = { data: Buffer.alloc(0), trials: [] };

describe.skipIf(isCommandMissing("redis-server"))("SharedBudget", () => {
  let server: RedisServer;
  let redis: Redis;
  let budget: SharedBudget;
  let tokens = 0;

  describeWithRedis((own) => {
    ({ server, redis } = own);
  });

  beforeEach(async () => {
    budget = new SharedBudget(redis, KEY);
    await redis.zadd(KEYS.workers, Date.now() + 60_000, "w1", Date.now() + 60_000, "w2");
  });

  function request(maxCostUsd: number | null, more: Partial<SharedReserveRequest> = {}): SharedReserveRequest {
    tokens += 1;
    const own = { token: `t${tokens}`, trial: tokens, kind: "a", isJudged: false, isFree: false };
    return { ...own, worker: "w1", maxCostUsd, canCostUsd: null, ...more };
  }

  async function held(
    maxCostUsd: number | null,
    more: Partial<SharedReserveRequest> = {},
  ): Promise<SharedReserveRequest> {
    const wanted = request(maxCostUsd, more);
    expect(await budget.reserve(wanted)).toBe("held");
    return wanted;
  }

  async function settle(
    { token, trial }: SharedReserveRequest,
    costUsd: number | null,
    more: Partial<CostSettlement> = {},
  ): Promise<void> {
    const settlement = { trial, token, costUsd, judgeCostUsd: 0, isTypical: true, ...more };
    await deliverResults(redis, KEY, { ...NOTHING, settlements: [settlement] });
  }

  /** The worker was silent for too long. */
  async function end(worker: string): Promise<void> {
    await redis.zadd(KEYS.workers, Date.now() - 1, worker);
  }

  it("admits up to the exact budget, makes the next trial wait, and admits it when budget is freed", async () => {
    await budget.open({ maxCostUsd: 0.3, spentUsd: 0 });
    const first = await held(0.1);
    await held(0.1);
    await held(0.1);
    const next = request(0.1);
    expect(await budget.reserve(next)).toBe("wait");
    expect(await budget.read()).toMatchObject({ maxCostUsd: 0.3, spentUsd: 0, reservedUsd: 0.3, isRefusing: false });
    await settle(first, 0);
    expect(await budget.reserve(next)).toBe("held");
  });

  it("rejects a pico-dollar too much", async () => {
    await budget.open({ maxCostUsd: 0.3, spentUsd: 0.1 });
    await held(0.1);
    expect(await budget.reserve(request(0.1 + 1e-12))).toBe("wait");
    await held(0.1);
  });

  it("refuses finally and for all workers when no open reservation could free budget", async () => {
    await budget.open({ maxCostUsd: 0.3, spentUsd: 0.2 });
    const first = await held(0.1);
    expect(await budget.reserve(request(0.2))).toBe("wait");
    await settle(first, 0.1);
    expect(await budget.reserve(request(0.2))).toBe("refuse");
    expect(await budget.reserve(request(0.00001))).toBe("refuse");
    expect((await budget.read()).isRefusing).toBe(true);
  });

  it("resets a refusal and keeps the spending when the run is started again", async () => {
    await budget.open({ maxCostUsd: 0.3, spentUsd: 0 });
    await settle(await held(0.3), 0.25);
    expect(await budget.reserve(request(0.3))).toBe("refuse");
    await budget.open({ maxCostUsd: 0.5, spentUsd: 0.1 });
    expect(await budget.read()).toMatchObject({ maxCostUsd: 0.5, spentUsd: 0.25, isRefusing: false });
    await budget.open({ maxCostUsd: 0.5, spentUsd: 0.4 });
    expect((await budget.read()).spentUsd).toBe(0.4);
    await held(0.1);
  });

  it("makes trials wait before it is opened, but not when the run does not exist", async () => {
    expect(await budget.reserve(request(0.1))).toBe("gone");
    await redis.set(KEYS.run(KEY), "{}");
    expect(await budget.reserve(request(0.1))).toBe("wait");
    expect(await budget.read()).toMatchObject({ maxCostUsd: 0, isRefusing: false });
  });

  it("runs trials without a limit one by one until five have shown their cost", async () => {
    await budget.open({ maxCostUsd: 1, spentUsd: 0 });
    for (let i = 0; i < 5; i++) {
      const probe = await held(null);
      expect(await budget.reserve(request(null))).toBe("wait");
      // Those of another system are not held up.
      await settle(await held(null, { kind: "other" }), 0.001, { isTypical: false });
      await settle(probe, 0.01 * (i + 1));
    }
    await held(null);
    await held(null);
    expect((await budget.read()).reservedUsd).toBe(0.1);
  });

  it("reserves the possible cost, and after twenty trials 1.5 times what nearly all have cost", async () => {
    await budget.open({ maxCostUsd: 10, spentUsd: 0 });
    const more = { canCostUsd: 0.02 };
    const reservedFor = async (maxCostUsd: number | null) => {
      const before = (await budget.read()).reservedUsd;
      await held(maxCostUsd, more);
      return Number(((await budget.read()).reservedUsd - before).toFixed(9));
    };
    expect(await reservedFor(0.5)).toBe(0.02);
    expect(await reservedFor(0.01)).toBe(0.01);
    for (let i = 0; i < 20; i++) await settle(await held(0.5, more), 0.004);
    expect(await reservedFor(0.5)).toBe(0.006);
    expect(await reservedFor(0.005)).toBe(0.005);
    expect(await reservedFor(null)).toBe(0.006);
  });

  it("charges a failed trial, but does not use its cost for estimates", async () => {
    await budget.open({ maxCostUsd: 1, spentUsd: 0 });
    for (let i = 0; i < 9; i++) await settle(await held(null), 0.001, { isTypical: false });
    expect((await budget.read()).spentUsd).toBe(0.009);
    await held(null);
    expect(await budget.reserve(request(null))).toBe("wait");
  });

  it("counts an unknown cost as the full reservation, and reports how many there are", async () => {
    await budget.open({ maxCostUsd: 1, spentUsd: 0 });
    await settle(await held(0.25), null, { judgeCostUsd: 0.01 });
    await settle(await held(0.25), 0.05);
    expect(await budget.read()).toMatchObject({ spentUsd: 0.31, reservedUsd: 0, unknownCosts: 1 });
  });

  it("reserves the cost of judging so far, also for a trial that was not declared as judged", async () => {
    await budget.open({ maxCostUsd: 1, spentUsd: 0 });
    await settle(await held(0.1, { isJudged: true }), 0.05, { judgeCostUsd: 0.02 });
    expect((await budget.read()).spentUsd).toBe(0.07);
    await held(0.1);
    expect((await budget.read()).reservedUsd).toBe(0.13);
  });

  it("reserves nothing for free trials, but counts the cost of judging them", async () => {
    await budget.open({ maxCostUsd: 0.1, spentUsd: 0.1 });
    const free = await held(null, { isFree: true });
    expect(await budget.reserve(request(0.1))).toBe("refuse");
    const another = await held(null, { isFree: true });
    await settle(free, 0, { judgeCostUsd: 0.02 });
    await settle(free, 0, { judgeCostUsd: 0.02 });
    await settle(another, 0);
    expect(await budget.read()).toMatchObject({ spentUsd: 0.12, reservedUsd: 0 });
  });

  it("is safe to repeat", async () => {
    await budget.open({ maxCostUsd: 0.3, spentUsd: 0 });
    const wanted = await held(0.2);
    expect(await budget.reserve(wanted)).toBe("held");
    expect((await budget.read()).reservedUsd).toBe(0.2);
    for (let i = 0; i < 2; i++) await settle(wanted, 0.15, { judgeCostUsd: 0.01 });
    expect(await budget.read()).toMatchObject({ spentUsd: 0.16, reservedUsd: 0 });
    await settle(request(0.1), 0.1);
    expect((await budget.read()).spentUsd).toBe(0.16);
  });

  it("counts reservations of an expired worker as spent and lost, so that no trial waits for them", async () => {
    await budget.open({ maxCostUsd: 0.5, spentUsd: 0 });
    await held(0.2, { worker: "w2" });
    await held(0.2, { worker: "w2" });
    expect(await budget.reserve(request(0.2))).toBe("wait");
    await end("w2");
    expect(await budget.reserve(request(0.2))).toBe("refuse");
    expect(await budget.read()).toMatchObject({ spentUsd: 0.4, reservedUsd: 0, lostTrials: 2, lostUsd: 0.4 });
  });

  it("treats a worker without a lease as expired, and lets the next one show the cost of trials", async () => {
    await budget.open({ maxCostUsd: 0.5, spentUsd: 0 });
    await held(null, { worker: "nobody" });
    await held(null);
    expect(await budget.read()).toMatchObject({ lostTrials: 1, lostUsd: 0 });
  });

  it.each(["asks", "shows itself"])("expires no worker because Redis was away, whoever %s first", async (first) => {
    await budget.open({ maxCostUsd: 1, spentUsd: 0 });
    for (const worker of ["w2", "w3"]) await held(0.2, { worker });
    const now = await readRedisTime(redis);
    // As of a minute ago: the lease of w2 was renewed, that of w3 had ended.
    await redis.set(KEYS.pulse, now - 60_000);
    await redis.zadd(KEYS.workers, now - 50_000, "w2", now - 61_000, "w3");
    const presence = new WorkerHeartbeat({ redis, state: W1, leaseMs: 10_000 });
    if (first === "shows itself") await presence.start();
    expect(await budget.read()).toMatchObject({ reservedUsd: 0.2, lostTrials: 1 });
    // It does not come back.
    await redis.zadd(KEYS.workers, now - 1, "w2");
    expect(await budget.read()).toMatchObject({ reservedUsd: 0, lostTrials: 2 });
    await presence.stop();
  });

  it("replaces the counted amount with the real cost when a lost trial is settled after all", async () => {
    await budget.open({ maxCostUsd: 1, spentUsd: 0 });
    const late = await held(0.4, { worker: "w2" });
    await end("w2");
    expect((await budget.read()).lostUsd).toBe(0.4);
    // Another worker has the trial now and a reservation for it too.
    const again = await held(0.4, { trial: late.trial });
    for (let i = 0; i < 2; i++) await settle(late, 0.1);
    expect(await budget.read()).toMatchObject({ spentUsd: 0.1, reservedUsd: 0.4, lostTrials: 0, lostUsd: 0 });
    await settle(again, 0.3);
    expect(await budget.read()).toMatchObject({ spentUsd: 0.4, reservedUsd: 0 });
  });

  it("reserves again what was lost when the answer arrives late", async () => {
    await budget.open({ maxCostUsd: 1, spentUsd: 0 });
    const cutOff = await held(0.4, { worker: "w2" });
    await end("w2");
    await budget.read();
    expect(await budget.reserve(cutOff)).toBe("held");
    await redis.zadd(KEYS.workers, Date.now() + 60_000, "w2");
    expect(await budget.read()).toMatchObject({ spentUsd: 0, reservedUsd: 0.4, lostTrials: 0, lostUsd: 0 });
  });

  it("charges more than the budget when trials cost more than their limits", async () => {
    await budget.open({ maxCostUsd: 1, spentUsd: 0 });
    const others = [await held(0.25), await held(0.25)];
    await settle(await held(0.25), 1.5);
    for (const other of others) await settle(other, 0.25);
    expect((await budget.read()).spentUsd).toBe(2);
    expect(await budget.reserve(request(0.01))).toBe("refuse");
  });

  it("works with amounts beyond safe integers", async () => {
    await budget.open({ maxCostUsd: 1e14, spentUsd: 0 });
    const [one, two] = [await held(1e13), await held(1e13)];
    await settle(one, 1e13);
    await settle(two, 3e13);
    expect(await budget.read()).toMatchObject({ spentUsd: 4e13, reservedUsd: 0 });
  });

  it("rejects invalid amounts", async () => {
    await expect(budget.open({ maxCostUsd: 0, spentUsd: 0 })).rejects.toThrow(/above 0/);
    await expect(budget.open({ maxCostUsd: 1, spentUsd: Number.NaN })).rejects.toThrow(BudgetError);
    await expect(budget.reserve(request(-1))).rejects.toThrow(/maxCostUsd must not be negative/);
  });

  it("never exceeds the limit, however many request at a time", async () => {
    const connections = await Promise.all(Array.from({ length: 4 }, () => openRedis(server.url)));
    await budget.open({ maxCostUsd: 1, spentUsd: 0 });
    let most = 0;
    const runOne = async (connection: Redis, index: number): Promise<void> => {
      const wanted = request(0.03, { trial: index });
      const own = new SharedBudget(connection, KEY);
      let answer = await own.reserve(wanted);
      while (answer === "wait") answer = await own.reserve(wanted);
      if (answer === "refuse") return;
      const { spentUsd, reservedUsd } = await own.read();
      most = Math.max(most, spentUsd + reservedUsd);
      const settlement = { trial: index, token: wanted.token, costUsd: 0.02, judgeCostUsd: 0, isTypical: true };
      await deliverResults(connection, KEY, { ...NOTHING, settlements: [settlement] });
    };
    const inLine = async (connection: Redis, first: number) => {
      for (let i = 0; i < 10; i++) await runOne(connection, first + i);
    };
    await Promise.all(connections.flatMap((each, c) => [0, 1, 2].map((pool) => inLine(each, 100 * c + 10 * pool))));
    for (const connection of connections) connection.disconnect();
    expect(most).toBeGreaterThan(0.9);
    expect(most).toBeLessThanOrEqual(1);
    // 0.03 must be left for a trial that finally costs 0.02.
    expect(await budget.read()).toMatchObject({ spentUsd: 0.98, reservedUsd: 0, isRefusing: true });
  });

  it("gives the same answers as the budget on one machine, for any sequence of requests", async () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constantFrom("a", "b"), cents: fc.integer({ min: 1, max: 40 }), isJudged: fc.boolean() }),
      fc.record({
        pick: fc.nat(),
        share: fc.option(fc.integer({ min: 0, max: 120 })),
        wasJudged: fc.boolean(),
        isTypical: fc.boolean(),
      }),
    );
    // Fewer steps than are needed to estimate costs: the 95th percentile in Redis is slightly higher.
    const ASKED = { isStored: false, judgingCanCost: () => 0, prompt: { tokens: 0, calls: 1 } };
    const systemOf = (name: string): System => ({ name, process: () => ({}) });
    const limitsOf = (maxCostUsd: number): Limits => ({ price: null, maxCostUsd, hardTimeoutMs: null });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 10, max: 300 }), fc.array(step, { maxLength: 38 }), async (cents, steps) => {
        await redis.flushall();
        await redis.zadd(KEYS.workers, Date.now() + 60_000, "w1");
        await budget.open({ maxCostUsd: cents / 100, spentUsd: 0 });
        const alone = createBudgets({ run: { maxCostUsd: cents / 100 } }, { systems: [], spentUsd: 0 });
        const out: { wanted: SharedReserveRequest; reservation: TrialReservation; max: number }[] = [];
        for (const each of steps) {
          if ("kind" in each) {
            const { kind, isJudged } = each;
            // Trials of one system have no limit, and all cost the same.
            const max = kind === "a" ? each.cents / 100 : 0;
            const wanted = request(max, { kind, isJudged });
            const expected =
              alone.port.run?.reserve({ ...ASKED, system: systemOf(kind), limits: limitsOf(max), isJudged }) ??
              "refuse";
            expect(await budget.reserve(wanted)).toBe(typeof expected === "string" ? expected : "held");
            if (typeof expected !== "string") out.push({ wanted, reservation: expected, max });
          } else if (out.length > 0) {
            const [one] = out.splice(each.pick % out.length, 1);
            if (one === undefined) continue;
            const costUsd = one.max === 0 ? 0.05 : each.share === null ? null : (one.max * each.share) / 100;
            const spent = {
              costUsd,
              judgeCostUsd: one.max > 0 && each.wasJudged ? 0.013 : 0,
              isTypical: each.isTypical,
            };
            alone.port.run?.settle(one.reservation, spent);
            await settle(one.wanted, costUsd, spent);
          }
          const { spentUsd, isRefusing, unknownCosts } = await budget.read();
          const { run } = alone;
          expect({ spentUsd, isRefusing, unknownCosts }).toEqual({
            spentUsd: run?.spentUsd,
            isRefusing: run?.isRefusing,
            unknownCosts: run?.unknownCosts,
          });
        }
      }),
      { numRuns: 60 },
    );
  });

  it("reserves 1.5 × the 95th percentile of past costs, at most 1.1 % too much", async () => {
    const micros = fc.array(fc.integer({ min: 0, max: 10_000_000 }), { minLength: 5, maxLength: 400 });
    await fc.assert(
      fc.asyncProperty(micros, async (amounts) => {
        await redis.flushall();
        await redis.zadd(KEYS.workers, Date.now() + 60_000, "w1");
        await budget.open({ maxCostUsd: 1e6, spentUsd: 0 });
        const costs = amounts.map((each) => each / 1e6);
        for (const cost of costs.slice(0, 5)) await settle(await held(null), cost);
        const rest = await Promise.all(costs.slice(5).map(async (cost) => ({ ...(await held(null)), cost })));
        const settlements = rest.map(({ trial, token, cost }) => {
          return { trial, token, costUsd: cost, judgeCostUsd: 0, isTypical: true };
        });
        await deliverResults(redis, KEY, { ...NOTHING, settlements });
        await held(null);
        const { reservedUsd } = await budget.read();
        const sorted = costs.toSorted((a, b) => a - b);
        const upper = sorted[Math.ceil(0.95 * (costs.length - 1))] ?? 0;
        const isKnown = costs.length >= 20;
        expect(reservedUsd).toBeGreaterThanOrEqual(isKnown ? 1.5 * quantile(costs, 0.95) : (sorted.at(-1) ?? 0));
        expect(reservedUsd).toBeLessThanOrEqual((isKnown ? 1.5 * upper * 1.011 : (sorted.at(-1) ?? 0)) + 1e-11);
      }),
      { numRuns: 15 },
    );
  });

  it("treats a rare expensive trial as rare once there are enough others", async () => {
    await budget.open({ maxCostUsd: 1e6, spentUsd: 0 });
    for (const cost of [9, 0.01, 0.01, 0.01, 0.01]) await settle(await held(null), cost);
    await held(null);
    expect((await budget.read()).reservedUsd).toBe(9);
    for (let i = 0; i < 120; i++) await settle(await held(0.01), 0.01);
    await held(null);
    const { reservedUsd } = await budget.read();
    expect(reservedUsd).toBeGreaterThanOrEqual(9.015);
    expect(reservedUsd).toBeLessThanOrEqual(9 + 0.015 * 1.011);
  });

  it("keeps its state when Redis is killed and restarted", async () => {
    await budget.open({ maxCostUsd: 1, spentUsd: 0 });
    const wanted = await held(0.4);
    await server.kill();
    const settled = settle(wanted, 0.3);
    const next = budget.reserve(request(0.7));
    await server.start();
    await settled;
    expect(await next).toBe("held");
    expect(await budget.read()).toMatchObject({ spentUsd: 0.3, reservedUsd: 0.7 });
  });
});
