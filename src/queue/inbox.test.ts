import { deflateRawSync } from "node:zlib";
import type { Redis } from "ioredis";
import { describe, expect, it } from "vitest";
import { QueueError } from "../core/errors.js";
import { type EvalRow, makeRow } from "../core/row.js";
import type { UngradedOutput } from "../runner/call.js";
import type { EncodedTrial } from "../runner/ports.js";
import { type EarlierResults, NO_EARLIER_RESULTS } from "../runner/row-collector.js";
import { encodeOutputAlone, encodeRow } from "../store/row-codec.js";
import { describeWithRedis } from "../testing/redis-server.js";
import { isCommandMissing } from "../testing/system-command.js";
import type { Announcement } from "./contract.js";
import { deliverResults, wasDelivered } from "./deliver.js";
import { ResultInbox } from "./inbox.js";
import { KEYS } from "./keys.js";
import { encodeBatch, type ResultBatch } from "./result-batch.js";
import {
  createSampleAnnouncement,
  createSampleCollector,
  createSamplePlan,
  SAMPLE_SIGNER,
  SampleSink,
} from "./run-testing.js";
import { QueueSigner } from "./signer.js";
import { WorkerDismissals } from "./worker-dismissals.js";

const KEY = "run-00000000";
const NAME = `${"0f".repeat(16)}.json`;

describe.skipIf(isCommandMissing("redis-server"))("ResultInbox", () => {
  let redis: Redis;

  describeWithRedis((own) => {
    ({ redis } = own);
  });

  /** An inbox of a run, with three trials by default. */
  async function opened({
    earlier = NO_EARLIER_RESULTS as EarlierResults,
    examples = 3,
    ...more
  }: Partial<Announcement> & { earlier?: EarlierResults; examples?: number } = {}) {
    const plan = await createSamplePlan(["s"], examples);
    const sink = new SampleSink();
    const settled: number[] = [];
    const notes: string[] = [];
    const held: number[] = [];
    const collector = createSampleCollector(plan, sink, earlier);
    const onNote = (note: string) => void notes.push(note);
    const inbox = new ResultInbox({
      ...{
        redis,
        plan,
        collector,
        outputs: earlier.outputs,
        onNote,
        signer: SAMPLE_SIGNER,
        announcement: createSampleAnnouncement(KEY, more),
        dismissals: new WorkerDismissals({ redis, key: KEY, signer: SAMPLE_SIGNER, onNote }),
      },
      dispatcher: {
        settle: (_, index) => void settled.push(index),
        fill: async () => {},
        hold: (_, index) => void held.push(index),
      },
    });
    const recorded = () => sink.entries.map(({ finished }) => finished.row.exampleId);
    return { inbox, sink, settled, notes, recorded, collector, held };
  }

  const rowOf = (index: number, more: Partial<EvalRow> = {}) =>
    makeRow({ system: "s", dataset: "", exampleId: `e${index}`, trial: 0, outcome: "pass", durationMs: 5, ...more });

  async function packed(parcel: ResultBatch): Promise<Buffer> {
    return SAMPLE_SIGNER.signResults(KEY, await encodeBatch(parcel));
  }

  async function arrive(index: number, row = rowOf(index), more: Partial<EncodedTrial> = {}): Promise<void> {
    const lines = { row: encodeRow(row), output: null, ...more };
    const data = await packed({ worker: "w", news: [{ kind: "finished", index, lines }] });
    await deliverResults(redis, KEY, { data, trials: [index], settlements: [] });
  }

  it("records delivered trials, settles them, and removes the entry", async () => {
    const { inbox, settled, recorded, notes } = await opened();
    await arrive(0);
    await arrive(2);
    await inbox.drain();
    expect(recorded()).toEqual(["e0", "e2"]);
    expect(settled).toEqual([0, 2]);
    expect([...inbox.done]).toEqual([["w", 2]]);
    expect(notes).toEqual([]);
    expect(await redis.xlen(KEYS.results(KEY))).toBe(0);
  });

  it.each([
    ["/etc/passwd", "/shared", /it names the file "\/etc\/passwd", which is not a name that workers use/],
    ["../manifest.json", "/shared", /which is not a name that workers use/],
    [`../${NAME}`, "/shared", /which is not a name that workers use/],
    [`${NAME}\n`, "/shared", /which is not a name that workers use/],
    [NAME, null, /the run has no shared folder/],
  ])("moves no file named %j, with the shared folder %s", async (outputFile, sharedDir, why) => {
    const { inbox, settled, recorded, notes } = await opened({ sharedDir });
    await arrive(1, rowOf(1), { outputFile });
    expect(await wasDelivered(redis, KEY, 1)).toBe(true);
    await inbox.drain();
    expect([recorded(), settled]).toEqual([[], []]);
    expect(notes).toEqual([expect.stringMatching(why)]);
    expect(inbox.listNotes()).toEqual(notes);
    // It must be run again.
    expect(await wasDelivered(redis, KEY, 1)).toBe(false);
  });

  it("finds the file of a large output in the folder of the run", async () => {
    const { inbox, sink } = await opened({ sharedDir: "/shared" });
    await arrive(1, rowOf(1), { outputFile: NAME });
    await inbox.drain();
    expect(sink.entries[0]?.encoded?.outputFile).toBe(`/shared/${KEY}/${NAME}`);
  });

  it.each([
    ["another example", 0, rowOf(1)],
    ["another system", 1, rowOf(1, { system: "t" })],
    ["another dataset", 1, rowOf(1, { dataset: "d" })],
    ["another trial", 1, rowOf(1, { trial: 1 })],
    ["a place beyond the plan", 3, rowOf(3)],
    ["an invalid place", Number.NaN, rowOf(1)],
  ])("does not record a row of %s", async (_, index, row) => {
    const { inbox, settled, recorded, notes } = await opened();
    const lines = { row: encodeRow(row), output: null };
    const data = await packed({ worker: "w", news: [{ kind: "finished", index, lines }] });
    await deliverResults(redis, KEY, { data, trials: [], settlements: [] });
    await inbox.drain();
    expect([recorded(), settled]).toEqual([[], []]);
    expect(notes).toEqual([expect.stringContaining("the plan has a different trial at this index")]);
    expect(await redis.xlen(KEYS.results(KEY))).toBe(0);
  });

  it("does not confuse a row with a recorded one whose example is no longer kept", async () => {
    const { inbox, recorded, notes } = await opened();
    await arrive(1);
    await inbox.drain();
    await arrive(1, rowOf(2));
    await inbox.drain();
    expect(recorded()).toEqual(["e1"]);
    expect(notes).toHaveLength(1);
  });

  it("sets aside an unreadable batch and handles the others", async () => {
    const { inbox, recorded, notes } = await opened();
    await arrive(0);
    const torn = SAMPLE_SIGNER.signResults(KEY, deflateRawSync("w\nfinished 1\n{\n\n"));
    for (const parcel of ["no parcel", torn, ""]) await redis.xadd(KEYS.results(KEY), "*", "z", parcel);
    await arrive(2);
    await inbox.drain();
    expect(recorded()).toEqual(["e0", "e2"]);
    expect(notes).toHaveLength(3);
    expect(notes[0]).toMatch(/^a batch of results \(\d+-\d\) cannot be read, so its trials are run again: /);
    expect(await redis.xlen(KEYS.results(KEY))).toBe(0);
    expect((await redis.xrange(KEYS.unreadable(KEY), "-", "+")).map(([, fields]) => fields[0])).toEqual([
      "z",
      "z",
      "z",
    ]);
  });

  it("rejects results that no worker of the run has signed, or that were changed", async () => {
    const { inbox, recorded, notes } = await opened();
    const lines = { row: encodeRow(rowOf(1)), output: null };
    const data = await encodeBatch({ worker: "w", news: [{ kind: "finished", index: 1, lines }] });
    const changed = SAMPLE_SIGNER.signResults(KEY, data);
    changed[40] = (changed[40] ?? 0) ^ 1;
    const parcels = [new QueueSigner("a secret of another").signResults(KEY, data), changed];
    for (const parcel of [...parcels, SAMPLE_SIGNER.signResults("another-run", data)])
      await redis.xadd(KEYS.results(KEY), "*", "z", parcel);
    await inbox.drain();
    expect(recorded()).toEqual([]);
    expect(notes).toHaveLength(3);
    for (const note of notes) expect(note).toMatch(/it is not signed with the ASSAY_QUEUE_SECRET of the run$/);
  });

  async function arriveFrom(worker: string, index: number, isError: boolean): Promise<void> {
    const durationMs = worker === "bad" ? index : 100 + index;
    const attempts = [{ errorCategory: "system_error" as const, message: "no key", durationMs }];
    const failed = { outcome: "error" as const, errorCategory: "system_error" as const, attempts, costUsd: 0.5 };
    const news = [
      {
        kind: "finished" as const,
        index,
        lines: { row: encodeRow(rowOf(index, isError ? failed : {})), output: null },
      },
    ];
    await deliverResults(redis, KEY, { data: await packed({ worker, news }), trials: [index], settlements: [] });
  }

  it("dismisses a worker that fails where others succeed, and runs its trials again once", async () => {
    const { inbox, notes, held, collector, settled } = await opened({ examples: 24 });
    // The first trial fails on both, so the trial is the cause.
    await arriveFrom("good", 0, true);
    await inbox.drain();
    for (let index = 1; index < 21; index++) await arriveFrom(index % 2 === 1 ? "bad" : "good", index, index % 2 === 1);
    await inbox.drain();
    expect(notes).toEqual([
      "the worker bad was dismissed because it fails where others succeed: 10 of its last 10 trials of s are errors (no key). Others run its failed trials",
    ]);
    expect(inbox.listNotes()).toEqual(notes);
    expect(held).toEqual([1, 3, 5, 7, 9, 11, 13, 15, 17, 19]);
    expect(held.filter((index) => collector.has(index))).toEqual([]);
    expect(collector.getRow(0)).toMatchObject({ outcome: "error" });
    expect(collector.repeatedUsd).toBe(5);
    const mark = (await redis.hget(KEYS.leaving(KEY), "bad")) ?? "";
    expect(SAMPLE_SIGNER.openLeave(KEY, "bad", mark)).toMatch(/^it fails where others succeed: 10 of/);
    expect(SAMPLE_SIGNER.openLeave(KEY, "good", mark)).toBeNull();
    // Trials that were running then also fail.
    await arriveFrom("bad", 21, true);
    await inbox.drain();
    expect([held.at(-1), collector.has(21)]).toEqual([21, false]);
    // One that fails on another worker is an error; one that succeeds keeps the earlier attempts.
    await arriveFrom("good", 1, true);
    await arriveFrom("good", 3, false);
    await inbox.drain();
    expect(collector.getRow(1)).toMatchObject({ outcome: "error" });
    expect(collector.getRow(3)).toMatchObject({ outcome: "pass", attempts: [{ message: "no key", durationMs: 3 }] });
    expect(settled).toContain(1);
    expect(held).toHaveLength(11);
    await arriveFrom("bad", 1, true);
    await inbox.drain();
    expect(collector.has(1)).toBe(true);
  });

  it("ends the run when too many results are unusable", async () => {
    const { inbox } = await opened();
    for (let i = 0; i < 20; i++) await redis.xadd(KEYS.results(KEY), "*", "z", "no parcel");
    await expect(inbox.drain()).rejects.toThrow(QueueError);
    await redis.xadd(KEYS.results(KEY), "*", "z", "no parcel");
    await expect(inbox.drain()).rejects.toThrow(/Too many delivered results are unusable.*continue with --resume/);
  });

  it("ignores a late failure of the last start, and records the next one", async () => {
    const attempts = [{ errorCategory: "system_error" as const, message: "boom", durationMs: 3 }];
    const { inbox, sink, settled, notes } = await opened({
      earlier: {
        rows: new Map(),
        attempts: new Map([[1, attempts]]),
        outputs: new Map(),
        spentUsd: 0,
        besides: NO_EARLIER_RESULTS.besides,
      },
    });
    const failed = rowOf(1, { outcome: "error", errorCategory: "system_error", attempts });
    await arrive(1, failed);
    await inbox.drain();
    expect([sink.entries, settled, notes]).toEqual([[], [], []]);
    expect(await wasDelivered(redis, KEY, 1)).toBe(false);
    // Identical: otherwise a trial that always fails the same way would run without end.
    await arrive(1, failed);
    await inbox.drain();
    expect(settled).toEqual([1]);
    expect(sink.entries.map(({ finished }) => finished.row.attempts)).toEqual([[...attempts, ...attempts]]);
  });

  const outputOf = (index: number, response = "a") => {
    const key = { system: "s", dataset: "", exampleId: `e${index}`, trial: 0 };
    const call = { latency: 0.1, durationMs: 100 };
    return { ...key, output: { response, costUsd: 0.25 }, call } satisfies UngradedOutput;
  };

  async function arriveUngraded(index: number, ungraded = outputOf(index)): Promise<void> {
    const data = await packed({ worker: "w", news: [{ kind: "output", index, line: JSON.stringify(ungraded) }] });
    await deliverResults(redis, KEY, { data, trials: [], settlements: [] });
  }

  it("stores an output that is being graded once, and not again with its row", async () => {
    const { inbox, sink, settled } = await opened();
    for (let i = 0; i < 2; i++) await arriveUngraded(0);
    await arriveUngraded(1);
    await inbox.drain();
    expect(sink.outputs).toEqual([outputOf(0), outputOf(1)]);
    expect(settled).toEqual([]);
    expect([inbox.spentUsd, inbox.ungradedUsd]).toEqual([0.5, 0.5]);

    const { output, call: _, ...key } = outputOf(0);
    const row = (index: number) => rowOf(index, { costUsd: 0.25, judgeCostUsd: 0.01 });
    await arrive(0, row(0), { output: encodeOutputAlone(key, output) });
    const another = encodeOutputAlone({ ...key, exampleId: "e1" }, { response: "of a second call" });
    await arrive(1, row(1), { output: another });
    await arriveUngraded(0);
    await inbox.drain();
    expect(sink.entries.map(({ encoded }) => encoded?.output)).toEqual([null, another]);
    expect(sink.outputs).toHaveLength(2);
    expect(inbox.spentUsd).toBeCloseTo(0.52, 12);
    expect(inbox.ungradedUsd).toBe(0);
  });

  it("counts an output of an earlier start as paid, and stores none of another trial", async () => {
    const earlier = { ...NO_EARLIER_RESULTS, outputs: new Map([[0, outputOf(0)]]) };
    const { inbox, sink, notes } = await opened({ earlier });
    expect(inbox.ungradedUsd).toBe(0.25);
    await arriveUngraded(1, outputOf(2));
    await arrive(0, rowOf(0, { costUsd: 0.25, judgeCostUsd: 0.01 }));
    await inbox.drain();
    expect(sink.outputs).toEqual([]);
    expect(notes).toEqual([expect.stringContaining("delivered for trial 1 is not stored: the plan has a different")]);
    expect(inbox.spentUsd).toBeCloseTo(0.01, 12);
  });

  it("marks recorded trials as delivered when it opens, and none that run again", async () => {
    const before = rowOf(9);
    const { inbox } = await opened({ examples: 20, earlier: { ...NO_EARLIER_RESULTS, rows: new Map([[9, before]]) } });
    // Marked by an earlier start: its row failed, and it is retried.
    await redis.setbit(KEYS.delivered(KEY), 3, 1);
    await arrive(17);
    await inbox.open();
    await arrive(18);
    const marked = await Promise.all([3, 8, 9, 10, 17, 18, 19].map((index) => wasDelivered(redis, KEY, index)));
    expect(marked).toEqual([false, false, true, false, true, true, false]);
  });
});
