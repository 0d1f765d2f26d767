import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { describeWithRedis, type RedisServer } from "../testing/redis-server.js";
import { isCommandMissing } from "../testing/system-command.js";
import { duplicateConnection, openRedis } from "./connection.js";
import { KEYS } from "./keys.js";
import { ENTER_GATE, getGateKeys, LEAVE_GATE } from "./lua/gate.js";
import { SharedGate, type SharedGateOptions } from "./shared-gate.js";

const NEVER = new AbortController().signal;
const ENDPOINT = "host:1 account";

describe.skipIf(isCommandMissing("redis-server"))("SharedGate", () => {
  let server: RedisServer;
  let redis: Redis;
  let another: Redis;

  describeWithRedis((own) => {
    ({ server, redis } = own);
  });

  beforeAll(() => {
    another = duplicateConnection(redis);
  });

  afterAll(() => another.disconnect());

  beforeEach(async () => {
    await redis.zadd(KEYS.workers, Date.now() + 60_000, "w1", Date.now() + 60_000, "w2");
  });

  function gateOf(max: number, more: Partial<SharedGateOptions> = {}): SharedGate {
    return new SharedGate({ redis, endpoint: ENDPOINT, worker: "w1", max, ...more });
  }

  function enter(gate: SharedGate, count: number): Promise<number[]> {
    return Promise.all(Array.from({ length: count }, () => gate.enter(NEVER)));
  }

  /** Calls that wait to be admitted; the remaining ones are given up at the end. */
  function crowd(gate: SharedGate, count: number): { inside: number[]; stop: () => void } {
    const stop = new AbortController();
    const inside: number[] = [];
    for (let i = 0; i < count; i++)
      gate.enter(stop.signal).then(
        (call) => inside.push(call),
        () => {},
      );
    return { inside, stop: () => stop.abort() };
  }

  async function places(): Promise<number> {
    return Number(await redis.hget(KEYS.gate(ENDPOINT), "active"));
  }

  async function limit(): Promise<number> {
    return Number((await redis.hget(KEYS.gate(ENDPOINT), "limit")) ?? 16);
  }

  async function leaveAll(gate: SharedGate, calls: readonly number[]): Promise<void> {
    for (const call of calls) gate.leave(call, "fine");
    await redis.ping();
  }

  it("admits as many calls as there are slots for all workers together, in order", async () => {
    const [mine, theirs] = [gateOf(3), gateOf(3, { redis: another, worker: "w2" })];
    const calls = await enter(mine, 2);
    await enter(theirs, 1);
    const order: string[] = [];
    const entering = ["first", "second"].map(async (name) => {
      await theirs.enter(NEVER);
      order.push(name);
    });
    await expect.poll(() => theirs.waiting()).toBe("2 waiting for host:1, limited to 3 at a time");
    await sleep(30);
    expect(order).toEqual([]);
    expect(await places()).toBe(3);
    await leaveAll(mine, calls);
    await Promise.all(entering);
    expect(order).toEqual(["first", "second"]);
    expect(theirs.waiting()).toBeNull();
    expect(await places()).toBe(3);
  });

  it("never has more calls in flight than slots, whoever enters and leaves", async () => {
    const gates = [gateOf(5), gateOf(5, { redis: another, worker: "w2" })];
    let [active, most, done] = [0, 0, 0];
    const work = async (gate: SharedGate): Promise<void> => {
      const call = await gate.enter(NEVER);
      active += 1;
      most = Math.max(most, active);
      await sleep(1);
      active -= 1;
      done += 1;
      gate.leave(call, "fine");
    };
    await Promise.all(gates.flatMap((gate) => Array.from({ length: 40 }, () => work(gate))));
    expect(done).toBe(80);
    expect(most).toBe(5);
    await expect.poll(places).toBe(0);
  });

  it("starts with 16 and doubles in a round while calls wait for slots", async () => {
    const gate = gateOf(100);
    const waiting = crowd(gate, 60);
    await expect.poll(() => waiting.inside.length).toBe(16);
    await expect.poll(() => gate.waiting()).toBe("44 waiting for host:1, limited to 16 at a time");
    await leaveAll(gate, waiting.inside.splice(0));
    expect(await limit()).toBe(32);
    await expect.poll(() => waiting.inside.length).toBe(32);
    waiting.stop();
  });

  it("does not grow while slots are unused, nor beyond its maximum", async () => {
    const gate = gateOf(100);
    for (let i = 0; i < 5; i++) await leaveAll(gate, await enter(gate, 3));
    expect(await limit()).toBe(16);
    const narrow = gateOf(20);
    const waiting = crowd(narrow, 60);
    await expect.poll(() => waiting.inside.length).toBe(16);
    await leaveAll(narrow, waiting.inside.splice(0));
    expect(await limit()).toBe(20);
    waiting.stop();
  });

  it("halves once for calls that were rate-limited together, then grows by one per round", async () => {
    const gate = gateOf(100);
    for (const call of await enter(gate, 16)) gate.leave(call, "rate_limited");
    await redis.ping();
    expect(await limit()).toBe(8);
    const [first = 0, ...others] = await enter(gate, 8);
    gate.leave(first, "rate_limited");
    for (const call of others) gate.leave(call, "failed");
    await redis.ping();
    expect(await limit()).toBe(4);
    const again = await enter(gate, 4);
    for (const call of again) {
      gate.leave(call, "fine");
      await gate.enter(NEVER);
    }
    expect(await limit()).toBeCloseTo(5, 0);
    expect(await limit()).toBeLessThan(5);
  });

  it("halves the maximum of a run when that is lower, and keeps at least one slot", async () => {
    const gate = gateOf(4);
    for (const expected of [2, 1, 1]) {
      gate.leave(await gate.enter(NEVER), "rate_limited");
      await redis.ping();
      expect(await limit()).toBe(expected);
    }
  });

  it("admits no call while the endpoint asks to wait, and says so on all workers", async () => {
    const [mine, theirs] = [gateOf(10), gateOf(10, { redis: another, worker: "w2" })];
    const start = performance.now();
    mine.leave(await mine.enter(NEVER), "rate_limited", 700);
    await redis.ping();
    const entering = theirs.enter(NEVER);
    await expect.poll(() => theirs.waiting()).toBe("host:1 asked to wait 1 s");
    expect(mine.waiting()).toBe("host:1 asked to wait 1 s");
    await entering;
    expect(performance.now() - start).toBeGreaterThanOrEqual(700);
  });

  it("frees the slots of an expired worker, whatever limits them", async () => {
    await enter(gateOf(3, { redis: another, worker: "w2" }), 3);
    const gate = gateOf(3);
    const entering = enter(gate, 3);
    await expect.poll(() => gate.waiting()).toMatch(/^3 waiting/);
    await redis.zadd(KEYS.workers, Date.now() - 1, "w2");
    await entering;
    expect(await places()).toBe(3);
  });

  it("frees no slots because Redis was away", async () => {
    await enter(gateOf(3, { redis: another, worker: "w2" }), 3);
    await redis.set(KEYS.pulse, Date.now() - 60_000);
    await redis.zadd(KEYS.workers, Date.now() - 50_000, "w2");
    const gate = gateOf(3);
    const waiting = crowd(gate, 3);
    await expect.poll(() => gate.waiting()).toBe("3 waiting for host:1, limited to 3 at a time");
    expect(await redis.hget(KEYS.gate(ENDPOINT), "holder:w2")).toBe("3");
    waiting.stop();
  });

  it.each([
    ["the endpoint", 1000],
    ["the run", 16],
  ])("shares the slots among workers that wait for %s", async (_, max) => {
    const gates = [gateOf(max), gateOf(max, { redis: another, worker: "w2" })];
    const stop = new AbortController();
    const work = async (gate: SharedGate): Promise<void> => {
      while (!stop.signal.aborted) {
        const call = await gate.enter(stop.signal);
        await sleep(5);
        // Not "fine", which would raise the limit for all.
        gate.leave(call, "failed");
      }
    };
    const working = gates.map((gate) => Promise.allSettled(Array.from({ length: 32 }, () => work(gate))));
    const held = async () => (await redis.hmget(KEYS.gate(ENDPOINT), "holder:w1", "holder:w2")).map(Number);
    await expect.poll(async () => Math.min(...(await held()))).toBeGreaterThanOrEqual(7);
    stop.abort();
    await Promise.all(working);
    await expect.poll(places).toBe(0);
  });

  it("limits each run by its own maximum when runs are distinguished", async () => {
    const wide = gateOf(100, { run: "one" });
    await enter(wide, 10);
    const narrow = gateOf(2, { run: "two:2" });
    const calls = await enter(narrow, 2);
    const third = narrow.enter(NEVER);
    await expect.poll(() => narrow.waiting()).toMatch(/^1 waiting/);
    expect(await places()).toBe(12);
    narrow.leave(calls[0] ?? 0, "fine");
    await third;
    expect(await places()).toBe(12);
  });

  it("takes no slot for a stopped call", async () => {
    const gate = gateOf(1);
    const held = await gate.enter(NEVER);
    const stop = new AbortController();
    const waiting = gate.enter(stop.signal);
    await expect.poll(() => gate.waiting()).toMatch(/^1 waiting/);
    stop.abort(new Error("stopped"));
    await expect(waiting).rejects.toThrow("stopped");
    await expect(gate.enter(stop.signal)).rejects.toThrow("stopped");
    await leaveAll(gate, [held]);
    expect(await places()).toBe(0);
    // The request is pending when the call is stopped.
    const late = new AbortController();
    const asking = gate.enter(late.signal);
    late.abort(new Error("late"));
    await expect(asking).rejects.toThrow("late");
    expect(await places()).toBe(1);
    await expect.poll(places).toBe(0);
    expect(gate.waiting()).toBeNull();
  });

  it("is safe to repeat", async () => {
    const keys = getGateKeys(ENDPOINT);
    const names = ["a.1::w1", "a.2::w1"];
    const entering = ["w1", "", 2, ...names];
    expect(await ENTER_GATE.run(redis, keys, entering)).toEqual([16, 0, ...names]);
    expect(await ENTER_GATE.run(redis, keys, entering)).toEqual([16, 0, ...names]);
    expect(await places()).toBe(2);
    for (let i = 0; i < 2; i++) await LEAVE_GATE.run(redis, keys, ["a.1::w1", 1e9, "rate_limited", 0]);
    expect(await limit()).toBe(8);
    expect(await places()).toBe(1);
    expect(await redis.hgetall(KEYS.gate(ENDPOINT))).toMatchObject({ "holder:w1": "1", "place:a.2::w1": "2" });
  });

  it("is removed after an hour without calls", async () => {
    const gate = gateOf(1);
    await gate.enter(NEVER);
    const waiting = crowd(gate, 1);
    await expect.poll(() => gate.waiting()).not.toBeNull();
    await sleep(30);
    waiting.stop();
    const keys = await redis.keys("assay:gate:*");
    expect(keys).toContain(KEYS.gate(ENDPOINT));
    for (const key of keys) {
      const left = await redis.pttl(key);
      expect(left).toBeGreaterThan(0);
      expect(left).toBeLessThanOrEqual(3_660_000);
    }
  });

  it("waits while Redis is away, and knows its calls when Redis is back", async () => {
    const gate = gateOf(2);
    const [first = 0] = await enter(gate, 2);
    await server.kill();
    const entering = gate.enter(NEVER);
    gate.leave(first, "fine");
    await expect.poll(() => gate.waiting()).toBe("1 waiting for Redis to answer");
    await server.start();
    await entering;
    expect(await places()).toBe(2);
  });

  it("fails when the connection was closed", async () => {
    const own = await openRedis(server.url);
    const gate = gateOf(1, { redis: own });
    const call = await gate.enter(NEVER);
    const waiting = gate.enter(NEVER);
    await expect.poll(() => gate.waiting()).not.toBeNull();
    await own.quit();
    gate.leave(call, "fine");
    await expect(waiting).rejects.toThrow(/closed/i);
  });
});
