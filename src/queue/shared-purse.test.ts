import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import { beforeEach, describe, expect, it } from "vitest";
import type { Limits } from "../core/price.js";
import type { Output } from "../core/system.js";
import type { Trial } from "../runner/admit.js";
import { type AttemptResult, openCall, toAttemptFailure, toAttemptResult } from "../runner/call.js";
import { TokenCounter } from "../runner/record.js";
import { describeWithRedis, type RedisServer } from "../testing/redis-server.js";
import { isCommandMissing } from "../testing/system-command.js";
import { openRedis } from "./connection.js";
import { deliverResults } from "./deliver.js";
import { KEYS } from "./keys.js";
import { SharedBudget, SharedBudgetGate } from "./redis-budget.js";

const KEY = "run-1";
const NEVER = new AbortController().signal;
const TOKENS = new TokenCounter({ count: (text) => text.length }, 100);

function trialOf(index: number, { name = "a", isPaid = false, isRecorded = false } = {}): Trial {
  const evaluators = isPaid ? [{ name: "judge", isPaid, score: () => ({}) }] : [];
  const datasetPlan = { evaluators } as unknown as Trial["datasetPlan"];
  const system = { name, isRecorded, process: () => ({}) };
  return { index, system, systemIndex: 0, example: { id: index }, exampleIndex: index, trial: 0, datasetPlan };
}

function limitsOf(maxCostUsd: number): Limits {
  return { price: null, maxCostUsd, hardTimeoutMs: null };
}

function attempted(trial: Trial, output: Output | Error): AttemptResult {
  const call = openCall({ trial, seed: 1, signal: NEVER, budget: null, stop: null });
  const timed = { durationMs: 1, call };
  return output instanceof Error ? toAttemptFailure(output, timed) : toAttemptResult(trial.system, output, timed);
}

describe.skipIf(isCommandMissing("redis-server"))("SharedBudgetGate", () => {
  let server: RedisServer;
  let redis: Redis;
  let budget: SharedBudget;

  describeWithRedis((own) => {
    ({ server, redis } = own);
  });

  beforeEach(async () => {
    budget = new SharedBudget(redis, KEY);
    await redis.zadd(KEYS.workers, Date.now() + 60_000, "w1", Date.now() + 60_000, "w2");
    await budget.open({ maxCostUsd: 0.3, spentUsd: 0 });
  });

  function purseOf(worker: string, signal = NEVER, hasBudget = true): SharedBudgetGate {
    const isStored = () => false;
    return new SharedBudgetGate({ redis, key: KEY, worker, hasBudget, signal, tokens: TOKENS, isStored });
  }

  async function finish(
    budgetGate: SharedBudgetGate,
    trial: Trial,
    output: Output | Error,
    judgeCostUsd = 0,
  ): Promise<void> {
    budgetGate.settle(trial, attempted(trial, output), judgeCostUsd);
    const settlement = budgetGate.takeSettlement(trial.index);
    const settlements = settlement === null ? [] : [settlement];
    await deliverResults(redis, KEY, { data: Buffer.alloc(0), trials: [], settlements });
  }

  it("does not ask Redis in a run without a budget", () => {
    const budgetGate = purseOf("w1", NEVER, false);
    expect(budgetGate.admit(trialOf(1), limitsOf(100))).toBe("held");
    budgetGate.settle(trialOf(1), attempted(trialOf(1), { costUsd: 1 }), 0);
    expect(budgetGate.takeSettlement(1)).toBeNull();
    expect(budgetGate.waiting()).toBeNull();
  });

  it("keeps the cost of a trial until it is taken, once", async () => {
    const budgetGate = purseOf("w1");
    const [fine, failed] = [trialOf(1), trialOf(2)];
    for (const trial of [fine, failed]) expect(await budgetGate.admit(trial, limitsOf(0.1))).toBe("held");
    expect(budgetGate.takeSettlement(1)).toBeNull();
    budgetGate.settle(fine, attempted(fine, { response: "", costUsd: 0.05 }), 0.01);
    budgetGate.settle(fine, attempted(fine, { response: "", costUsd: 0.05 }), 0.01);
    budgetGate.settle(failed, attempted(failed, new Error("no")), 0);
    const token = expect.any(String);
    expect(budgetGate.takeSettlement(1)).toEqual({
      trial: 1,
      token,
      costUsd: 0.05,
      judgeCostUsd: 0.01,
      isTypical: true,
    });
    expect(budgetGate.takeSettlement(1)).toBeNull();
    expect(budgetGate.takeSettlement(2)).toEqual({ trial: 2, token, costUsd: 0, judgeCostUsd: 0, isTypical: false });
    expect(budgetGate.takeSettlement(3)).toBeNull();
  });

  it("makes a trial wait until another worker frees budget, and says so meanwhile", async () => {
    const [mine, theirs] = [purseOf("w1"), purseOf("w2")];
    const first = trialOf(1);
    await theirs.admit(first, limitsOf(0.2));
    const waiting = Promise.resolve(mine.admit(trialOf(2), limitsOf(0.2)));
    await expect.poll(() => mine.waiting()).toBe("1 waiting for budget reserved by running trials");
    await finish(theirs, first, { costUsd: 0.1 });
    expect(await waiting).toBe("held");
    expect(mine.waiting()).toBeNull();
  });

  it("admits waiting trials in order", async () => {
    const budgetGate = purseOf("w1");
    const first = trialOf(1);
    await budgetGate.admit(first, limitsOf(0.3));
    const order: number[] = [];
    const entering = [2, 3, 4].map(async (index) => {
      await budgetGate.admit(trialOf(index), limitsOf(0.1));
      order.push(index);
    });
    await expect.poll(() => budgetGate.waiting()).toMatch(/^3 waiting/);
    await finish(budgetGate, first, { costUsd: 0 });
    await Promise.all(entering);
    expect(order).toEqual([2, 3, 4]);
  });

  it("does not hold up trials of another system behind waiting ones", async () => {
    const budgetGate = purseOf("w1");
    await budgetGate.admit(trialOf(1), limitsOf(0.1));
    const waiting = Promise.resolve(budgetGate.admit(trialOf(2), limitsOf(0.25)));
    await expect.poll(() => budgetGate.waiting()).toMatch(/^1 waiting/);
    expect(await budgetGate.admit(trialOf(3, { name: "b" }), limitsOf(0.2))).toBe("held");
    await finish(budgetGate, trialOf(1), { costUsd: 0 });
    await finish(budgetGate, trialOf(3, { name: "b" }), { costUsd: 0 });
    expect(await waiting).toBe("held");
  });

  it("refuses all waiting trials as soon as one is refused", async () => {
    const budgetGate = purseOf("w1");
    const first = trialOf(1);
    await budgetGate.admit(first, limitsOf(0.2));
    const waiting = [2, 3, 4].map(async (index) =>
      budgetGate.admit(trialOf(index, { name: `s${index}` }), limitsOf(0.2)),
    );
    await expect.poll(() => budgetGate.waiting()).toMatch(/^3 waiting/);
    await finish(budgetGate, first, { costUsd: 0.2 });
    expect(await Promise.all(waiting)).toEqual(["refused", "refused", "refused"]);
    expect(await budgetGate.admit(trialOf(5), limitsOf(0.01))).toBe("refused");
  });

  it("waits while the run is announced without a budget, and no longer than it is announced", async () => {
    await redis.flushall();
    await redis.set(KEYS.run(KEY), "{}");
    const budgetGate = purseOf("w1");
    const waiting = ["a", "b"].map(async (name, index) => budgetGate.admit(trialOf(index, { name }), limitsOf(0.1)));
    await expect.poll(() => budgetGate.waiting()).toMatch(/^2 waiting/);
    await redis.del(KEYS.run(KEY));
    expect(await Promise.all(waiting)).toEqual(["gone", "gone"]);
    expect(await budget.read()).toMatchObject({ isRefusing: false, reservedUsd: 0 });
  });

  it("does not wait for expired workers", async () => {
    await purseOf("w2").admit(trialOf(1), limitsOf(0.3));
    const waiting = purseOf("w1").admit(trialOf(1), limitsOf(0.3));
    await redis.zrem(KEYS.workers, "w2");
    expect(await waiting).toBe("refused");
    expect(await budget.read()).toMatchObject({ lostTrials: 1, lostUsd: 0.3, isRefusing: true });
  });

  it("starts free trials whatever the others cost, and knows which are judged", async () => {
    const budgetGate = purseOf("w1");
    expect(await budgetGate.admit(trialOf(1), limitsOf(0.3))).toBe("held");
    const recorded = trialOf(2, { name: "recorded", isRecorded: true });
    expect(await budgetGate.admit(recorded, null)).toBe("held");
    const price = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0, source: "x" };
    expect(await budgetGate.admit(trialOf(3, { name: "local" }), { price, maxCostUsd: 0, hardTimeoutMs: null })).toBe(
      "held",
    );
    await finish(budgetGate, recorded, {}, 0.05);
    await finish(budgetGate, trialOf(1), { costUsd: 0 });
    expect((await budget.read()).spentUsd).toBe(0.05);
    await budgetGate.admit(trialOf(4, { isPaid: true }), limitsOf(0.1));
    expect((await budget.read()).reservedUsd).toBe(0.175);
  });

  it("reserves twice for a trial that it was given twice, and settles both", async () => {
    const budgetGate = purseOf("w1");
    for (let i = 0; i < 2; i++) await budgetGate.admit(trialOf(1), limitsOf(0.1));
    expect((await budget.read()).reservedUsd).toBe(0.2);
    for (let i = 0; i < 2; i++) await finish(budgetGate, trialOf(1), { costUsd: 0.04 });
    expect(await budget.read()).toMatchObject({ spentUsd: 0.08, reservedUsd: 0 });
  });

  it("starts nothing after it is stopped, and leaves nothing reserved", async () => {
    const stop = new AbortController();
    const budgetGate = purseOf("w1", stop.signal);
    await budgetGate.admit(trialOf(1), limitsOf(0.2));
    const waiting = budgetGate.admit(trialOf(2), limitsOf(0.2));
    await expect.poll(() => budgetGate.waiting()).not.toBeNull();
    const asking = budgetGate.admit(trialOf(3, { name: "b" }), limitsOf(0.1));
    stop.abort();
    expect([await waiting, await asking]).toEqual(["gone", "gone"]);
    expect(await budgetGate.admit(trialOf(4), limitsOf(0.01))).toBe("gone");
    expect(budgetGate.waiting()).toBeNull();
    await expect.poll(async () => (await budget.read()).reservedUsd).toBe(0.2);
  });

  it("stops at once while Redis is away, and frees later reservations", async () => {
    const stop = new AbortController();
    const budgetGate = purseOf("w1", stop.signal);
    await server.kill();
    const asking = Promise.resolve(budgetGate.admit(trialOf(1), limitsOf(0.1)));
    expect(await Promise.race([asking, sleep(50, "nothing")])).toBe("nothing");
    stop.abort();
    expect(await asking).toBe("gone");
    await server.start();
    await expect.poll(async () => (await budget.read()).reservedUsd).toBe(0);
  });

  it("fails when the connection was closed", async () => {
    const own = await openRedis(server.url);
    const budgetGate = new SharedBudgetGate({
      redis: own,
      key: KEY,
      worker: "w1",
      hasBudget: true,
      signal: NEVER,
      tokens: TOKENS,
      isStored: () => false,
    });
    await budgetGate.admit(trialOf(1), limitsOf(0.2));
    const waiting = Promise.resolve(budgetGate.admit(trialOf(2), limitsOf(0.2)));
    await expect.poll(() => budgetGate.waiting()).not.toBeNull();
    await own.quit();
    await expect(waiting).rejects.toThrow(/closed/i);
  });

  it("settles a system when its output is delivered: a worker that dies while grading loses only judging", async () => {
    const judged = trialOf(1, { isPaid: true });
    const plain = trialOf(2);
    const budgetGate = purseOf("w1");
    for (const trial of [judged, plain]) {
      await budgetGate.admit(trial, limitsOf(0.1));
      const output = attempted(trial, { response: "", costUsd: 0.04 });
      const paid = output.kind === "returned" ? budgetGate.createOutputSettlement(trial.index, output) : null;
      const settlements = paid === null ? [] : [paid];
      // A lost answer makes the client send it again.
      for (let i = 0; i < 2; i++) await deliverResults(redis, KEY, { data: Buffer.alloc(0), trials: [], settlements });
    }
    expect(await budget.read()).toMatchObject({ spentUsd: 0.08, reservedUsd: 0.06, lostTrials: 0 });
    await redis.zadd(KEYS.workers, Date.now() - 1, "w1");
    expect(await budget.read()).toMatchObject({ spentUsd: 0.14, reservedUsd: 0, lostTrials: 1, lostUsd: 0.06 });

    // It was not expired after all.
    await finish(budgetGate, judged, { response: "", costUsd: 0.04 }, 0.01);
    await finish(budgetGate, plain, { response: "", costUsd: 0.04 });
    expect(await budget.read()).toMatchObject({ spentUsd: 0.09, reservedUsd: 0, lostTrials: 0, lostUsd: 0 });
  });

  it("counts an output with unknown cost as the full reservation, once", async () => {
    const trial = trialOf(1);
    const budgetGate = purseOf("w1");
    await budgetGate.admit(trial, limitsOf(0.1));
    const output = attempted(trial, { response: "" });
    const paid = output.kind === "returned" ? budgetGate.createOutputSettlement(1, output) : null;
    if (paid === null) throw new Error("nothing is held");
    const unknown = { ...paid, costUsd: null };
    await deliverResults(redis, KEY, { data: Buffer.alloc(0), trials: [], settlements: [unknown] });
    await deliverResults(redis, KEY, {
      ...{ data: Buffer.alloc(0), trials: [1] },
      settlements: [{ ...unknown, judgeCostUsd: 0.01, isGraded: true }],
    });
    expect(await budget.read()).toMatchObject({ spentUsd: 0.11, reservedUsd: 0, unknownCosts: 1 });
  });

  it("reserves only judging when a stored output is graded, and does not use its cost for estimates", async () => {
    const isStored = () => true;
    const budgetGate = new SharedBudgetGate({
      ...{ redis, key: KEY, worker: "w1", signal: NEVER, tokens: TOKENS },
      hasBudget: true,
      isStored,
    });
    for (const trial of [trialOf(1), trialOf(2, { isPaid: true })]) {
      expect(await budgetGate.admit(trial, limitsOf(100))).toBe("held");
      expect((await budget.read()).reservedUsd).toBe(0);
      const { output, ...of } = {
        output: { response: "", costUsd: 0.04 },
        latency: 1,
        durationMs: 1,
        kind: "returned" as const,
      };
      const call = { ...openCall({ trial, seed: 1, signal: NEVER, budget: null, stop: null }), wasStored: true };
      budgetGate.settle(trial, { ...of, output, call }, trial.index === 2 ? 0.02 : 0);
      const settlement = budgetGate.takeSettlement(trial.index);
      expect(settlement).toMatchObject({ costUsd: 0, isTypical: false });
      await deliverResults(redis, KEY, {
        data: Buffer.alloc(0),
        trials: [],
        settlements: settlement === null ? [] : [settlement],
      });
    }
    expect(await budget.read()).toMatchObject({ spentUsd: 0.02, reservedUsd: 0 });
    // 1.5 times the cost of judging.
    await budgetGate.admit(trialOf(3, { isPaid: true }), limitsOf(100));
    expect((await budget.read()).reservedUsd).toBeCloseTo(0.03, 12);
  });
});
