import { Queue } from "bullmq";
import type { Redis } from "ioredis";
import { afterEach, describe, expect, it } from "vitest";
import { TrialError } from "../core/errors.js";
import type { System } from "../core/system.js";
import { VERSION } from "../core/version.js";
import type { EvaluateOptions } from "../evaluate.js";
import { type Announcement, QUEUE_SCHEMA, type TrialJob, type WorkerState } from "../queue/contract.js";
import { removeRun } from "../queue/directory.js";
import { BULL_PREFIX, getJobId, getQueueName, KEYS } from "../queue/keys.js";
import { SAMPLE_SIGNER } from "../queue/run-testing.js";
import { QueueSigner } from "../queue/signer.js";
import { readRedisTime } from "../queue/worker-heartbeat.js";
import { buildPlanIdentity } from "../store/open-run.js";
import { describeWithRedis, type RedisServer } from "../testing/redis-server.js";
import { isCommandMissing } from "../testing/system-command.js";
import { prepareRun } from "./prepare-run.js";
import { serveQueue } from "./serve-queue.js";
import { runWorker, type WorkerOptions } from "./worker.js";

const KEY = "run-1";

function systemOf(name: string, more: Partial<System> = {}): System {
  return { name, process: () => ({ response: "yes" }), fingerprint: () => name, ...more };
}

function optionsOf(...systems: System[]): EvaluateOptions {
  const exact = { name: "exact", fields: ["em"], score: () => ({ em: 1 }) };
  return { systems, dataset: [{ id: 0, question: "?", answer: "yes" }], evaluators: [exact] };
}

describe.skipIf(isCommandMissing("redis-server"))("runWorker", () => {
  let server: RedisServer;
  let redis: Redis;

  describeWithRedis((own) => {
    ({ server, redis } = own);
  });

  afterEach(async () => {
    await redis.config("SET", "maxmemory", "0");
  });

  /** Acts as the coordinator for the duration of a test. */
  async function announce(options: EvaluateOptions, more: Partial<Announcement> = {}): Promise<void> {
    const { plan, config, retry } = await prepareRun(options);
    const announcement: Announcement = {
      schema: QUEUE_SCHEMA,
      key: KEY,
      runId: KEY,
      title: "",
      assayVersion: VERSION,
      identity: buildPlanIdentity(plan, config),
      source: null,
      budget: {},
      retry,
      giveUpAfterMs: 60_000,
      maxWorkers: null,
      sharedDir: null,
      ...more,
    };
    await redis.set(KEYS.run(KEY), SAMPLE_SIGNER.signAnnouncement(announcement));
    await redis.zadd(KEYS.runs, (await readRedisTime(redis)) + 600_000, KEY);
  }

  async function handOut(index: number, signature = SAMPLE_SIGNER.signJob(KEY, index, false)): Promise<void> {
    const pool = new Queue<TrialJob>(getQueueName(KEY, 0), { connection: redis, prefix: BULL_PREFIX });
    await pool.add("trial", { index, signature }, { jobId: getJobId(index) });
    await pool.close();
  }

  function serve(options: EvaluateOptions, how: Partial<WorkerOptions> = {}): Promise<void> {
    return runWorker(options, { queue: server.url, run: KEY, ...how });
  }

  async function isServed(): Promise<void> {
    await expect.poll(() => redis.zcard(KEYS.workers)).toBe(1);
  }

  it("delivers results that Redis had no memory for once it has", async () => {
    const full = async () => {
      await redis.config("SET", "maxmemory", "1");
      return { response: "yes" };
    };
    const options = optionsOf(systemOf("a", { process: full }));
    await announce(options);
    await handOut(0);
    const states: WorkerState[] = [];
    const drain = new AbortController();
    const serving = serve(options, { drain: drain.signal, onState: (state) => states.push(state) });
    await expect.poll(() => states.at(-1)?.waiting).toContain("OOM");
    drain.abort();
    await redis.config("SET", "maxmemory", "0");
    await serving;
    expect(await redis.xlen(KEYS.results(KEY))).toBe(1);
    expect(states.at(-1)).toMatchObject({ done: 1, active: 0, waiting: null });
  });

  it("runs no job that is unsigned, or signed for another trial", async () => {
    let runs = 0;
    const options = optionsOf(systemOf("a", { process: () => ({ response: `yes ${++runs}` }) }));
    await announce(options);
    await handOut(0, SAMPLE_SIGNER.signJob(KEY, 1, false));
    await handOut(1, new QueueSigner("a secret of another").signJob(KEY, 1, false));
    const drain = new AbortController();
    const states: WorkerState[] = [];
    const serving = serve(options, { drain: drain.signal, onState: (state) => states.push(state) });
    await expect.poll(() => states.at(-1)?.waiting).toBe("jobs skipped because the run did not sign them: 2");
    drain.abort();
    await serving;
    expect(runs).toBe(0);
  });

  it("joins no run that is signed with another secret, altered, or replayed", async () => {
    const options = optionsOf(systemOf("a"));
    await announce(options);
    await expect(serve(options, { secret: "another secret, long enough" })).rejects.toThrow(
      /does not join run-1: its announcement is not signed with this worker's secret, or was changed\. Set ASSAY_QUEUE_SECRET/,
    );
    const text = (await redis.get(KEYS.run(KEY))) ?? "";
    await redis.set(KEYS.run(KEY), text.replace("assay.queue/1", "assay.queue/2"));
    await expect(serve(options)).rejects.toThrow("or was changed");
    const announcement = SAMPLE_SIGNER.openAnnouncement(KEY, text);
    if (announcement === null) throw new Error("there is no announcement");
    await redis.set(KEYS.run(KEY), SAMPLE_SIGNER.signAnnouncement(announcement, Date.now() - 360_000));
    await expect(serve(options)).rejects.toThrow(
      /was signed 6 minutes ago: it may be a replayed old one, or the clocks/,
    );
    // An announcement of another run, under this name.
    await redis.set(KEYS.run(KEY), SAMPLE_SIGNER.signAnnouncement({ ...announcement, key: "run-2" }));
    await expect(serve(options)).rejects.toThrow("or was changed");
  });

  it("ends if Redis keeps refusing, also while it drains", async () => {
    const full = async () => {
      await redis.config("SET", "maxmemory", "1");
      return { response: "yes" };
    };
    const options = optionsOf(systemOf("a", { process: full }));
    await announce(options);
    await handOut(0);
    const drain = new AbortController();
    const states: WorkerState[] = [];
    const how = {
      queue: server.url,
      run: KEY,
      drain: drain.signal,
      onState: (state: WorkerState) => states.push(state),
    };
    const serving = serveQueue(options, how, { refusalMs: 2000 });
    const refused = expect(serving).rejects.toThrow(/Redis rejected requests for 2 s.*OOM.*start it again/);
    await expect.poll(() => states.at(-1)?.waiting).toContain("OOM");
    drain.abort();
    await refused;
  });

  it("returns a trial that never ends to another worker, and records nothing of it", async () => {
    let begun = 0;
    const stuck = () => {
      begun += 1;
      return new Promise<never>(() => {});
    };
    const options = (process: System["process"]) => optionsOf(systemOf("a", { process }));
    await announce(options(stuck));
    await handOut(0);
    const [drain, giveBack] = [new AbortController(), new AbortController()];
    const how = { queue: server.url, run: KEY, drain: drain.signal };
    const serving = serveQueue(options(stuck), how, { giveBack: giveBack.signal });
    await expect.poll(() => begun).toBe(1);
    drain.abort();
    giveBack.abort();
    await serving;
    expect(await redis.xlen(KEYS.results(KEY))).toBe(0);
    const next = new AbortController();
    const again = serve(
      options(() => ({ response: "yes" })),
      { drain: next.signal },
    );
    await expect.poll(() => redis.xlen(KEYS.results(KEY))).toBe(1);
    next.abort();
    await again;
  });

  it("calls a stopped system again at the next start of the run", async () => {
    let calls = 0;
    const process = () => {
      calls += 1;
      throw new TrialError("api_error", "the key is wrong", { outlook: "refused" });
    };
    const dataset = [0, 1, 2].map((id) => ({ id, question: "?", answer: "yes" }));
    const options = { ...optionsOf(systemOf("a", { process })), dataset };
    await announce(options);
    await redis.set(KEYS.start(KEY), "first");
    const drain = new AbortController();
    const serving = serve(options, { concurrency: 1, drain: drain.signal });
    for (const index of [0, 1]) await handOut(index);
    await expect.poll(() => redis.xlen(KEYS.results(KEY))).toBe(2);
    await handOut(2);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(calls).toBe(1);
    await redis.set(KEYS.start(KEY), "second");
    await expect.poll(() => calls).toBe(2);
    drain.abort();
    await serving;
  });

  it("leaves a run that is announced again with other settings", async () => {
    const options = optionsOf(systemOf("a"));
    await announce(options);
    const serving = serve(options);
    await isServed();
    await announce(options, { maxWorkers: 3 });
    await serving;
  });

  it("ends the trials of a run that was removed", async () => {
    const begun: AbortSignal[] = [];
    const process: System["process"] = (_, { signal }) => {
      begun.push(signal);
      return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("stopped"))));
    };
    const options = optionsOf(systemOf("a", { process }));
    await announce(options);
    await handOut(0);
    const serving = serve(options);
    await expect.poll(() => begun.length).toBe(1);
    await removeRun(redis, KEY, 1);
    await serving;
    expect(begun[0]?.aborted).toBe(true);
  });

  it("rejects a run without its folder for large outputs, and a lease that is too short", async () => {
    const options = optionsOf(systemOf("a"));
    await announce(options, { sharedDir: "/is/not/there" });
    await expect(serve(options)).rejects.toThrow("/is/not/there, does not exist");
    await expect(serve(options, { leaseSeconds: 2 })).rejects.toThrow("3 or more");
  });

  it("rejects a run whose systems have another order or other limits", async () => {
    const limited = (hardTimeoutMs: number) => ({ limits: { price: null, maxCostUsd: null, hardTimeoutMs } });
    const [a, b] = [systemOf("a", limited(1000)), systemOf("b")];
    await announce(optionsOf(a, b));
    await expect(serve(optionsOf(b, a))).rejects.toThrow("systems: were a, b, are b, a");
    await expect(serve(optionsOf(systemOf("a", limited(2000)), b))).rejects.toThrow('"a": its price or limits differ');
  });
});
