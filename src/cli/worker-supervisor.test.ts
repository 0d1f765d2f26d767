import { hostname } from "node:os";
import type { Redis } from "ioredis";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Announcement } from "../queue/contract.js";
import { listWorkers } from "../queue/directory.js";
import { KEYS } from "../queue/keys.js";
import { createSampleAnnouncement, SAMPLE_SIGNER } from "../queue/run-testing.js";
import { readRedisTime } from "../queue/worker-heartbeat.js";
import { describeWithRedis, type RedisServer } from "../testing/redis-server.js";
import { isCommandMissing } from "../testing/system-command.js";
import { TempProject } from "../testing/temp-project.js";
import type { ServeRequest } from "./worker-process.js";
import { WorkerProgress } from "./worker-progress.js";
import { Supervisor } from "./worker-supervisor.js";

const SETTINGS: Omit<ServeRequest, "kind" | "run" | "queue" | "share"> = {
  concurrency: 4,
  leaseSeconds: 15,
  headers: {},
  project: null,
  sharedDir: null,
  allowed: { kinds: [], env: [] },
};
const WAIT = { timeout: 120_000, interval: 20 };

describe.skipIf(isCommandMissing("redis-server"))("worker", () => {
  let server: RedisServer;
  let redis: Redis;

  describeWithRedis((own) => {
    ({ server, redis } = own);
  });

  async function announce(key: string, { title = "T", leaseMs = 60_000 } = {}): Promise<void> {
    const identity = { planned: 2 } as Announcement["identity"];
    const announcement = createSampleAnnouncement(key, { runId: `${key}-id`, title, identity });
    await redis
      .multi()
      .set(KEYS.run(key), SAMPLE_SIGNER.signAnnouncement(announcement))
      .zadd(KEYS.runs, (await readRedisTime(redis)) + leaseMs, key)
      .publish(KEYS.news, key)
      .exec();
  }

  /** A worker whose processes run a program instead of the command line; each start adds a dot to a file. */
  function supervise(program: string, { isOnce = false, drainMs = 60_000 } = {}) {
    const space = new TempProject({ starts: "" });
    const count = `import { appendFileSync } from "node:fs"; appendFileSync(${JSON.stringify(space.path("starts"))}, ".");`;
    space.write("program.mjs", `${count}\n${program}`);
    const said: string[] = [];
    const progress = new WorkerProgress({ write: (text: string) => said.push(text) });
    const settings = { ...SETTINGS, queue: server.url };
    const launcher = space.path("program.mjs");
    const supervisor = new Supervisor({ redis, launcher, settings, isOnce, progress, drainMs, refusalMs: 1000 });
    const over = supervisor.run();
    onTestFinished(async () => {
      await supervisor.quit();
      supervisor.drain();
      await over;
    });
    return { space, supervisor, over, said, starts: () => space.read("starts").length, hears: hearing(said) };
  }

  function hearing(said: readonly string[]) {
    return (text: string | RegExp) => vi.waitFor(() => expect(said.join("")).toMatch(text), WAIT);
  }

  const SERVES = `process.on("message", (order) => {
      if (order.kind === "drain") process.exit(0);
      console.error("serving " + order.run);
      process.send({ kind: "state", state: { active: 2, done: 5 } });
    });
    process.on("disconnect", () => process.exit(130));`;
  const REFUSES = `process.send({ kind: "refused", why: "its plan differs" }, () => process.exit(3));`;

  it("publishes that it waits, and joins each announced run in its own process", async () => {
    const { supervisor, over, said, hears } = supervise(SERVES);
    await vi.waitFor(async () => {
      const state = { host: hostname(), pid: process.pid, run: null, concurrency: 4, refuses: null };
      expect(await listWorkers(redis)).toMatchObject([state]);
    }, WAIT);
    await announce("dead", { leaseMs: -1 });
    for (const key of ["one", "two"]) await announce(key);
    await hears(/one-id: serving one\n/);
    await hears(/two-id: serving two\n/);
    expect(said.join("")).toMatch(/Joining one-id \(T\): 2 planned trials\n/);
    // From now on its processes publish themselves.
    await vi.waitFor(async () => expect(await listWorkers(redis)).toEqual([]), WAIT);
    await vi.waitFor(() => expect(supervisor.active).toBe(4), WAIT);
    supervisor.drain();
    expect(await over).toBe(0);
    expect(said.join("")).toMatch(/Done with one-id: 5 trials delivered\n/);
    expect(said.join("")).not.toContain("dead");
  });

  it("skips a run that it refuses, publishes why, and retries when it is announced again", async () => {
    const { starts, hears } = supervise(REFUSES);
    await announce("one");
    await hears(/Not joining one-id: its plan differs\n/);
    await vi.waitFor(async () => {
      expect(await listWorkers(redis)).toMatchObject([{ run: "one", refuses: "its plan differs", active: 0 }]);
    }, WAIT);
    for (let news = 0; news < 5; news++) await announce("one");
    await announce("other");
    await hears(/Not joining other-id/);
    expect(starts()).toBe(2);
    await announce("one", { title: "Another" });
    await hears(/Joining one-id \(Another\)/);
    await vi.waitFor(() => expect(starts()).toBe(3), WAIT);
    await redis.zadd(KEYS.runs, 0, "one", 0, "other");
    await redis.publish(KEYS.news, "one");
    await vi.waitFor(async () => expect(await listWorkers(redis)).toMatchObject([{ run: null }]), WAIT);
  });

  it("reports how a process crashed, and waits before it starts another", async () => {
    const { starts, hears } = supervise("process.exit(7);");
    await announce("one");
    await hears(/The process for one-id ended \(exit code 7\)\. It is restarted in 30 s, or when the run is announced/);
    await announce("one");
    await announce("two");
    await hears(/The process for two-id ended/);
    expect(starts()).toBe(2);
  });

  it.each([
    ["what its process says", REFUSES, 3],
    ["0 when the run is over", "process.exit(0);", 0],
  ])("--once ends with %s", async (_, program, exitCode) => {
    const { over, starts } = supervise(program, { isOnce: true });
    await announce("one");
    await announce("two");
    expect(await over).toBe(exitCode);
    expect(starts()).toBe(1);
  });

  it("exits with 3 if Redis keeps rejecting requests", async () => {
    const { over, said } = supervise(SERVES);
    await vi.waitFor(async () => expect(await listWorkers(redis)).toHaveLength(1), WAIT);
    await redis.acl("SETUSER", "default", "-zrangebyscore");
    onTestFinished(async () => void (await redis.acl("SETUSER", "default", "+@all")));
    expect(await over).toBe(3);
    expect(said.join("")).toMatch(/Redis rejected requests for 1 s: NOPERM.*fix Redis, then start it again/);
  });

  it("exits with 3 if the process of a run gives up, and lets the others finish", async () => {
    const { over, hears } = supervise(
      `process.send({ kind: "gaveUp", why: "Redis rejected requests" }, () => process.exit(3));`,
    );
    await announce("one");
    await hears(/Redis rejected requests/);
    expect(await over).toBe(3);
  });

  it("gives back trials that are not done in time, and kills an unresponsive process", async () => {
    const stuck = `process.on("message", (order) => console.error("told " + order.kind)); setInterval(() => {}, 1000);`;
    const { supervisor, over, hears } = supervise(stuck, { drainMs: 200 });
    await announce("one");
    await hears(/one-id: told serve\n/);
    supervisor.drain();
    await hears(/0 trials still running after 0\.2 s: left to other workers\.\n/);
    await hears(/one-id: told giveBack\n/);
    expect(await over).toBe(3);
  });

  it("survives its Redis, and exits without it", async () => {
    const { supervisor, over, hears } = supervise(SERVES);
    await vi.waitFor(async () => expect(await listWorkers(redis)).toHaveLength(1), WAIT);
    await server.kill();
    await server.start();
    await announce("one");
    await hears(/one-id: serving one\n/);
    await server.kill();
    supervisor.drain();
    expect(await over).toBe(0);
    await server.start();
  });
});
