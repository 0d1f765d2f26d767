import { Queue } from "bullmq";
import type { Redis } from "ioredis";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { describeWithRedis } from "../testing/redis-server.js";
import { isCommandMissing } from "../testing/system-command.js";
import { deliverResults, wasDelivered } from "./deliver.js";
import { Dispatcher } from "./dispatcher.js";
import { BULL_PREFIX, getQueueName, KEYS } from "./keys.js";
import { createSampleCollector, createSamplePlan, SAMPLE_SIGNER, SampleSink } from "./run-testing.js";

const KEY = "run-00000000";

describe.skipIf(isCommandMissing("redis-server"))("Dispatcher", () => {
  let redis: Redis;

  describeWithRedis((own) => {
    ({ redis } = own);
  });
  afterEach(() => void vi.useRealTimers());

  /** Two systems of two trials each: 0 and 1, 2 and 3. */
  async function opened({ isResumed = false } = {}): Promise<Dispatcher> {
    const plan = await createSamplePlan(["slow", "quick"], 2);
    const collector = createSampleCollector(plan, new SampleSink());
    const dispatcher = new Dispatcher({
      redis,
      key: KEY,
      plan,
      collector,
      signal: new AbortController().signal,
      signer: SAMPLE_SIGNER,
    });
    await dispatcher.open({ isResumed });
    return dispatcher;
  }

  function laneOf(system: number | "suspects"): Queue {
    const pool = new Queue(getQueueName(KEY, system), { connection: redis, prefix: BULL_PREFIX });
    onTestFinished(() => pool.close());
    return pool;
  }

  const waitingIn = (system: number) => laneOf(system).getWaitingCount();
  const lose = (system: number) => laneOf(system).drain();

  const later = () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 10_000 });
  };

  it("dispatches missing trials of one system while those of another wait", async () => {
    const dispatcher = await opened();
    await lose(1);
    later();
    await dispatcher.reconcile();
    expect([await waitingIn(0), await waitingIn(1)]).toEqual([2, 2]);
  });

  it("waits only for the batches that were there when trials were found missing", async () => {
    const dispatcher = await opened();
    await lose(1);
    await deliverResults(redis, KEY, { data: Buffer.from("parcel"), trials: [2], settlements: [] });
    later();
    await dispatcher.reconcile();
    expect(await waitingIn(1)).toBe(0);
    await redis.xtrim(KEYS.results(KEY), "MAXLEN", 0);
    await deliverResults(redis, KEY, { data: Buffer.from("another"), trials: [], settlements: [] });
    await dispatcher.reconcile();
    expect(await waitingIn(1)).toBe(2);
    // Trials that were delivered but are still missing are run again.
    expect(await wasDelivered(redis, KEY, 2)).toBe(false);
  });

  it("does not dispatch trials that an earlier start left to run alone", async () => {
    await laneOf("suspects").add("trial", { index: 1, signature: SAMPLE_SIGNER.signJob(KEY, 1, false) });
    const dispatcher = await opened({ isResumed: true });
    expect([await waitingIn(0), await waitingIn(1)]).toEqual([1, 2]);
    expect(dispatcher.dispatchedCount).toBe(4);
  });

  it("dispatches nothing after withdraw", async () => {
    const dispatcher = await opened();
    await Promise.all([
      dispatcher.dispatchAgain(),
      dispatcher.withdraw(),
      dispatcher.dispatchAgain(),
      dispatcher.fill(),
    ]);
    expect([await waitingIn(0), await waitingIn(1)]).toEqual([0, 0]);
    expect(dispatcher.isDone).toBe(true);
  });
});
