import { Queue } from "bullmq";
import type { Redis } from "ioredis";
import { describe, expect, it } from "vitest";
import { describeWithRedis } from "../testing/redis-server.js";
import { isCommandMissing } from "../testing/system-command.js";
import type { Announcement, WorkerState } from "./contract.js";
import { listLiveRuns, listRuns, listWorkers, removeRun } from "./directory.js";
import { BULL_PREFIX, getQueueName, KEYS } from "./keys.js";
import { SAMPLE_SIGNER } from "./run-testing.js";
import { readRedisTime, WorkerHeartbeat } from "./worker-heartbeat.js";

describe.skipIf(isCommandMissing("redis-server"))("the directory of runs and workers", () => {
  let redis: Redis;

  describeWithRedis((own) => {
    ({ redis } = own);
  });

  async function announce(key: string, { leaseMs = 10_000, ...more }: Partial<Announcement> & { leaseMs?: number }) {
    const announcement = announcementOf(key, more);
    await redis.set(KEYS.run(key), SAMPLE_SIGNER.signAnnouncement(announcement));
    await redis.zadd(KEYS.runs, (await readRedisTime(redis)) + leaseMs, key);
  }

  async function addJobs(key: string, system: number, count: number): Promise<void> {
    const pool = new Queue(getQueueName(key, system), { connection: redis, prefix: BULL_PREFIX });
    await pool.addBulk(Array.from({ length: count }, (_, index) => ({ name: "trial", data: { index } })));
    await pool.close();
  }

  it("lists runs with waiting and delivered trials, those with a live coordinator first", async () => {
    const invocation = { command: "run", cwd: "/project", configFile: null, flags: {} };
    await announce("dead", { leaseMs: -1 });
    await announce("live", { title: "Nightly", source: { kind: "command", invocation } });
    await addJobs("live", 0, 3);
    await addJobs("live", 1, 2);
    await redis.setbit(KEYS.delivered("live"), 4, 1);
    expect(await listRuns(redis)).toEqual([
      {
        key: "live",
        runId: "live-id",
        title: "Nightly",
        isCoordinated: true,
        planned: 12,
        delivered: 1,
        waiting: 5,
        active: 0,
        systems: 2,
        sharedDir: null,
        startedBy: { command: "run", cwd: "/project" },
      },
      expect.objectContaining({ key: "dead", isCoordinated: false, waiting: 0, startedBy: null }),
    ]);
    expect(await listLiveRuns(redis)).toEqual(["live"]);
  });

  it("lists a run of another version by its key and its queues", async () => {
    await announce("later", { schema: "assay.queue/2" as Announcement["schema"] });
    await addJobs("later", 2, 1);
    expect(await listRuns(redis)).toMatchObject([
      { key: "later", runId: "later", planned: null, systems: 3, waiting: 1 },
    ]);
  });

  it("lists a run whose announcement cannot be read", async () => {
    await announce("torn", {});
    await redis.set(KEYS.run("torn"), "{");
    expect(await listRuns(redis)).toMatchObject([{ key: "torn", runId: "torn", planned: null }]);
  });

  it("lists live workers by host and process", async () => {
    const states = [stateOf("b", 2), stateOf("a", 9), stateOf("a", 3)];
    const presences = states.map((state) => new WorkerHeartbeat({ redis, state, leaseMs: 5000 }));
    for (const presence of presences) await presence.start();
    await redis.zadd(KEYS.workers, 1, "gone");
    await redis.set(KEYS.worker("gone"), JSON.stringify(stateOf("gone", 1)));
    const [now, torn] = [await readRedisTime(redis), "torn"];
    await redis.zadd(KEYS.workers, now + 5000, torn);
    await redis.set(KEYS.worker(torn), "{");
    expect((await listWorkers(redis)).map(({ host, pid }) => [host, pid])).toEqual([
      ["a", 3],
      ["a", 9],
      ["b", 2],
    ]);
    for (const presence of presences) await presence.stop();
    expect(await listWorkers(redis)).toEqual([]);
  });

  it("removes a run, and nothing of another with the same prefix", async () => {
    for (const key of ["run", "run-2", "run.0"]) {
      await announce(key, {});
      await addJobs(key, 0, 2);
      await addJobs(key, 1, 2);
      await redis.setbit(KEYS.delivered(key), 1, 1);
      await redis.hset(`${KEYS.budget(key)}:spent`, "usd", 1);
      await redis.xadd(KEYS.results(key), "*", "z", "parcel");
    }
    await redis.set("somebody:else", "stays");
    const before = await redis.dbsize();
    await removeRun(redis, "run", 2);
    const left = (await redis.keys("*")).sort();
    expect(left.filter((name) => /^assay:(?:run:run(?::|$)|bull:run\.\d+:)/.test(name))).toEqual([]);
    expect(left).toContain("somebody:else");
    expect((await listRuns(redis)).map(({ key, waiting }) => [key, waiting])).toEqual([
      ["run-2", 4],
      ["run.0", 4],
    ]);
    for (const key of ["run-2", "run.0"]) await removeRun(redis, key, 2);
    expect(await redis.keys("*")).toEqual(["somebody:else"]);
    expect(before).toBeGreaterThan(30);
  });
});

function announcementOf(key: string, more: Partial<Announcement>): Announcement {
  const work = { fingerprint: "f" };
  return {
    schema: "assay.queue/1",
    key,
    runId: `${key}-id`,
    title: "A run",
    assayVersion: "0",
    identity: { planned: 12, systems: { one: work, two: work }, config: {} as Announcement["identity"]["config"] },
    source: null,
    budget: {},
    retry: { maxRetries: 0 } as Announcement["retry"],
    giveUpAfterMs: null,
    maxWorkers: null,
    sharedDir: null,
    ...more,
  };
}

function stateOf(host: string, pid: number): WorkerState {
  return {
    ...{ id: `${host}-${pid}`, host, pid, run: null, concurrency: 8, startedAt: "2026-01-01T00:00:00.000Z" },
    ...{ active: 0, done: 0, perSecond: 0, waiting: null, refuses: null },
  };
}
