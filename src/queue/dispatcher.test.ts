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
    const ledger = createSampleCollector(plan, new SampleSink());
    const feeder = new Dispatcher({
      redis,
      key: KEY,
      plan,
      ledger,
      signal: new AbortController().signal,
      signer: SAMPLE_SIGNER,
    });
    await feeder.open({ isResumed });
    return feeder;
  }

  function laneOf(system: number | "suspects"): Queue {
    const lane = new Queue(getQueueName(KEY, system), { connection: redis, prefix: BULL_PREFIX });
    onTestFinished(() => lane.close());
    return lane;
  }

  const waitingIn = (system: number) => laneOf(system).getWaitingCount();
  const lose = (system: number) => laneOf(system).drain();

  const later = () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 10_000 });
  };

  it("dispatches missing trials of one system while those of another wait", async () => {
    const feeder = await opened();
    await lose(1);
    later();
    await feeder.reconcile();
    expect([await waitingIn(0), await waitingIn(1)]).toEqual([2, 2]);
  });

  it("waits only for the batches that were there when trials were found missing", async () => {
    const feeder = await opened();
    await lose(1);
    await deliverResults(redis, KEY, { data: Buffer.from("parcel"), trials: [2], settlements: [] });
    later();
    await feeder.reconcile();
    expect(await waitingIn(1)).toBe(0);
    await redis.xtrim(KEYS.results(KEY), "MAXLEN", 0);
    await deliverResults(redis, KEY, { data: Buffer.from("another"), trials: [], settlements: [] });
    await feeder.reconcile();
    expect(await waitingIn(1)).toBe(2);
    // Trials that were delivered but are still missing are run again.
    expect(await wasDelivered(redis, KEY, 2)).toBe(false);
  });

  it("does not dispatch trials that an earlier start left to run alone", async () => {
    await laneOf("suspects").add("trial", { index: 1, signature: SAMPLE_SIGNER.signJob(KEY, 1, false) });
    const feeder = await opened({ isResumed: true });
    expect([await waitingIn(0), await waitingIn(1)]).toEqual([1, 2]);
    expect(feeder.dispatchedCount).toBe(4);
  });

  it("dispatches nothing after withdraw", async () => {
    const feeder = await opened();
    await Promise.all([feeder.dispatchAgain(), feeder.withdraw(), feeder.dispatchAgain(), feeder.fill()]);
    expect([await waitingIn(0), await waitingIn(1)]).toEqual([0, 0]);
    expect(feeder.isDone).toBe(true);
  });
});
