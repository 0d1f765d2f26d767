import type { Redis } from "ioredis";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeRow } from "../core/row.js";
import { NO_EARLIER_RESULTS } from "../runner/row-collector.js";
import { encodeRow } from "../store/row-codec.js";
import { type RedisServer, startRedis } from "../testing/redis-server.js";
import { isCommandMissing } from "../testing/system-command.js";
import { openRedis } from "./connection.js";
import type { QueueState } from "./contract.js";
import { type CoordinatorOptions, coordinateRun } from "./coordinator.js";
import { deliverResults } from "./deliver.js";
import { KEYS } from "./keys.js";
import { encodeBatch } from "./result-batch.js";
import {
  createSampleAnnouncement,
  createSamplePlan,
  createSamplePorts,
  SAMPLE_SIGNER,
  SampleSink,
} from "./run-testing.js";

const KEY = "run-00000000";

describe.skipIf(isCommandMissing("redis-server"))("a coordinator", () => {
  let server: RedisServer;
  let redis: Redis;

  beforeEach(async () => {
    server = await startRedis();
    redis = await openRedis(server.url);
  });

  afterEach(async () => {
    redis.disconnect();
    await server.stop();
  });

  /** A run of two trials, and a promise of its next state. */
  async function started(more: Partial<CoordinatorOptions> = {}) {
    const [sink, stop, notes] = [new SampleSink(), new AbortController(), [] as string[]];
    const states: QueueState[] = [];
    let tell = () => {};
    const own = await openRedis(server.url);
    const running = coordinateRun({
      ...{ redis: own, url: server.url, owner: "here:/runs/one", earlier: NO_EARLIER_RESULTS, lastBudget: null },
      signer: SAMPLE_SIGNER,
      announcement: createSampleAnnouncement(KEY),
      plan: await createSamplePlan(["s"], 2),
      ports: createSamplePorts(sink, stop.signal),
      onNote: (note) => void notes.push(note),
      onState: (state) => {
        states.push(state);
        tell();
      },
      silenceMs: 300,
      ...more,
    }).finally(() => own.disconnect());
    running.catch(() => {});
    const nextState = () => new Promise<void>((resolve) => (tell = resolve));
    return { running, sink, stop, notes, states, nextState };
  }

  async function arrive(index: number): Promise<void> {
    const row = makeRow({ system: "s", dataset: "", exampleId: `e${index}`, trial: 0, outcome: "pass" });
    const lines = { row: encodeRow(row), output: null };
    const packed = await encodeBatch({ worker: "w", news: [{ kind: "finished", index, lines }] });
    const data = SAMPLE_SIGNER.signResults(KEY, packed);
    await deliverResults(redis, KEY, { data, trials: [index], settlements: [] });
  }

  it("returns the rows and clears Redis when all trials are finished", async () => {
    const { running, nextState } = await started();
    await nextState();
    for (const index of [0, 1]) await arrive(index);
    expect((await running).rows.map(({ outcome }) => outcome)).toEqual(["pass", "pass"]);
    expect(await redis.keys("assay:run:*")).toEqual([]);
  });

  it("ends with what it has when it is stopped while Redis is away", async () => {
    const { running, stop, notes, nextState } = await started();
    await nextState();
    await arrive(0);
    await nextState();
    await server.kill();
    stop.abort();
    const { rows } = await running;
    expect(rows.map(({ outcome }) => outcome)).toEqual(["pass", "skipped"]);
    expect(notes).toEqual([expect.stringContaining("Redis does not answer")]);
  });

  it("fails with the disk error when the disk is full while Redis is away", async () => {
    const { running, sink, nextState } = await started();
    await nextState();
    sink.onAppend = () => {
      void server.kill();
      throw new Error("the disk is full");
    };
    // Whether the answer comes before Redis ends is a race.
    void arrive(0).catch(() => {});
    await expect(running).rejects.toThrow("the disk is full");
  });

  it("retries while Redis refuses, and reports the reply once", async () => {
    const { running, notes, nextState } = await started();
    await nextState();
    await redis.config("SET", "maxmemory", "1");
    while (notes.length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
    expect(notes).toEqual([expect.stringMatching(/^Redis rejected a request.*: OOM/)]);
    await redis.config("SET", "maxmemory", "0");
    await nextState();
    for (const index of [0, 1]) await arrive(index);
    expect((await running).rows).toHaveLength(2);
    expect(notes).toHaveLength(1);
  });

  it("fails with a remedy when Redis refuses for too long", async () => {
    const { running, nextState } = await started({ patienceMs: 500 });
    await nextState();
    await redis.config("SET", "maxmemory", "1");
    await expect(running).rejects.toThrow(/^Redis rejected requests for .*: OOM.*continue with --resume\.$/);
  });

  it("opens the budget again when only Redis lost it, with earlier reservations and losses", async () => {
    const figures = { maxCostUsd: 1, isRefusing: false, unknownCosts: 0 };
    const { running, stop, states, nextState } = await started({
      announcement: createSampleAnnouncement(KEY, { budget: { run: { maxCostUsd: 1 } } }),
      lastBudget: { ...figures, spentUsd: 0.2, reservedUsd: 0.1, lostTrials: 2, lostUsd: 0.04 },
    });
    await nextState();
    const expected = { spentUsd: 0.3, reservedUsd: 0, lostTrials: 2, lostUsd: 0.04 };
    expect(states.at(-1)?.budget).toMatchObject(expected);
    await redis.del(KEYS.budget(KEY));
    await nextState();
    await nextState();
    expect(await redis.hget(KEYS.budget(KEY), "max")).not.toBeNull();
    expect(states.at(-1)?.budget).toMatchObject(expected);
    stop.abort();
    // The next start reads this and has everything.
    expect((await running).budget).toMatchObject(expected);
  });

  it("rejects a copy of the run while the first is running, and leaves that unchanged", async () => {
    const first = await started();
    await first.nextState();
    const copy = await started({ owner: "there:/copies/one" });
    await expect(copy.running).rejects.toThrow(/already running, from here:\/runs\/one.*Stop the other/);
    expect(Number(await redis.zscore(KEYS.runs, KEY))).toBeGreaterThan(Date.now());
    first.stop.abort();
    await first.running;
    const next = await started({ owner: "there:/copies/one" });
    await next.nextState();
    next.stop.abort();
    expect((await next.running).rows).toHaveLength(2);
  });

  it("removes the expiry that an earlier end has set", async () => {
    const budget = KEYS.budget(KEY);
    await redis.hset(budget, "max", 1);
    await redis.hset(`${budget}:reservations`, "t", "{}");
    await redis.hset(KEYS.outputs(KEY), "1", "an output");
    const kept = [budget, `${budget}:reservations`, KEYS.outputs(KEY)];
    for (const name of kept) await redis.expire(name, 1000);
    const { running, stop, nextState } = await started();
    await nextState();
    for (const name of kept) expect(await redis.ttl(name)).toBe(-1);
    stop.abort();
    await running;
  });
});
