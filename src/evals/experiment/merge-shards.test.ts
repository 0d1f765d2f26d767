import { describe, expect, test } from "vitest";
import { type ExperimentRecord, mergeShards, readExperimentRecord } from "./record.js";

function part(index: number, of: number, changes: Partial<ExperimentRecord> = {}) {
  const record: ExperimentRecord = {
    name: "x",
    description: null,
    fingerprint: "f",
    baseline: "a",
    vary: ["/skill"],
    variants: [{ name: "a", systems: ["a"], settings: {} }],
    stimuli: 8,
    shard: { index, of },
    notes: [`note of ${index}`],
    ...changes,
  };
  return { run: `run-${index}`, record };
}

describe("mergeShards", () => {
  test("merges all shards into the whole experiment", () => {
    const { record, missing, runs } = mergeShards([part(2, 2), part(1, 2)]);
    expect(missing).toEqual([]);
    expect(record).toMatchObject({ shard: null, stimuli: 8, notes: ["note of 1", "note of 2"] });
    expect(runs.map(({ run }) => run)).toEqual(["run-1", "run-2"]);
  });

  test("counts the planned trials of missing shards", () => {
    const variants = [{ name: "a", systems: ["a"], settings: {}, planned: { all: 24, here: 6 } }];
    const { record } = mergeShards([part(3, 4, { variants })]);
    expect(record.variants[0]?.planned).toEqual({ all: 24, here: 24 });
    expect(mergeShards([part(3, 4)]).record.variants[0]).not.toHaveProperty("planned");
  });

  test("lists missing shards", () => {
    expect(mergeShards([part(1, 4), part(3, 4)]).missing).toEqual(["2/4", "4/4"]);
  });

  test("rejects shards of different plans", () => {
    expect(() => mergeShards([part(1, 2), part(2, 2, { fingerprint: "g" })])).toThrow(
      'run-1 and run-2 belong to the same experiment "x", but its file, its evals or the files they name differ.',
    );
    expect(() => mergeShards([part(1, 2), part(2, 2, { fingerprint: "g", name: "y" })])).toThrow(
      'different experiments, "x" and "y"',
    );
  });

  test("rejects a shard that is given twice", () => {
    expect(() => mergeShards([part(1, 2), part(2, 2), { ...part(1, 2), run: "again" }])).toThrow(
      "Given twice: 1/2 (run-1 and again). Keep one run of each shard.",
    );
    const whole = part(1, 1, { shard: null });
    expect(() => mergeShards([whole, whole])).toThrow("the whole (run-1 and run-1)");
  });

  test("rejects shards of different splits", () => {
    expect(() => mergeShards([part(1, 2), part(2, 4)])).toThrow("run-1 is one of 2 shards, run-2 one of 4");
  });

  test("rejects an empty list of runs", () => {
    expect(() => mergeShards([])).toThrow("No runs to merge");
  });
});

describe("readExperimentRecord", () => {
  test("reads a record back from JSON", () => {
    const { record } = part(1, 2);
    const stored: unknown = JSON.parse(JSON.stringify({ command: "experiment", experiment: record }));
    expect(readExperimentRecord(stored)).toEqual(record);
  });

  test.each([null, undefined, 3, {}, { experiment: {} }, { experiment: { name: "x" } }])(
    "returns null for %j",
    (invocation) => {
      expect(readExperimentRecord(invocation)).toBeNull();
    },
  );

  test.each([{ order: "abc" }, { order: [7] }, { variants: [{ name: "a", systems: [], planned: 3 }] }])(
    "rejects a record with %j",
    (changes) => {
      expect(readExperimentRecord({ experiment: { ...part(1, 2).record, ...changes } })).toBeNull();
    },
  );
});
