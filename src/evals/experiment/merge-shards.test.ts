import { describe, expect, test } from "vitest";
import { mergeShards } from "./merge-shards.js";
import { type ExperimentRecord, experimentIn } from "./record.js";

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

describe("merging shards", () => {
  test("gives the whole", () => {
    const { record, missing, runs } = mergeShards([part(2, 2), part(1, 2)]);
    expect(missing).toEqual([]);
    expect(record).toMatchObject({ shard: null, stimuli: 8, notes: ["note of 1", "note of 2"] });
    expect(runs.map(({ run }) => run)).toEqual(["run-1", "run-2"]);
  });

  test("counts what was planned in shards that are missing", () => {
    const variants = [{ name: "a", systems: ["a"], settings: {}, planned: { all: 24, here: 6 } }];
    const { record } = mergeShards([part(3, 4, { variants })]);
    expect(record.variants[0]?.planned).toEqual({ all: 24, here: 24 });
    expect(mergeShards([part(3, 4)]).record.variants[0]).not.toHaveProperty("planned");
  });

  test("says which shards are missing", () => {
    expect(mergeShards([part(1, 4), part(3, 4)]).missing).toEqual(["2/4", "4/4"]);
  });

  test("of different plans is refused", () => {
    expect(() => mergeShards([part(1, 2), part(2, 2, { fingerprint: "g" })])).toThrow(
      'run-1 and run-2 are of the same experiment "x", but its file, its evals or what they name were not the same.',
    );
    expect(() => mergeShards([part(1, 2), part(2, 2, { fingerprint: "g", name: "y" })])).toThrow(
      'different experiments, "x" and "y"',
    );
  });

  test("of one shard twice is refused", () => {
    expect(() => mergeShards([part(1, 2), part(2, 2), { ...part(1, 2), run: "again" }])).toThrow(
      "These parts are there twice: 1/2 (run-1 and again). Leave one of each out.",
    );
    const whole = part(1, 1, { shard: null });
    expect(() => mergeShards([whole, whole])).toThrow("the whole (run-1 and run-1)");
  });

  test("of different cuts is refused", () => {
    expect(() => mergeShards([part(1, 2), part(2, 4)])).toThrow("run-1 is one of 2 shards, run-2 one of 4");
  });

  test("of nothing is refused", () => {
    expect(() => mergeShards([])).toThrow("There is no run to merge");
  });
});

describe("the record in a manifest", () => {
  test("is read back from JSON", () => {
    const { record } = part(1, 2);
    const stored: unknown = JSON.parse(JSON.stringify({ command: "experiment", experiment: record }));
    expect(experimentIn(stored)).toEqual(record);
  });

  test.each([null, undefined, 3, {}, { experiment: {} }, { experiment: { name: "x" } }])("%j is none", (invocation) => {
    expect(experimentIn(invocation)).toBeNull();
  });

  test.each([{ order: "abc" }, { order: [7] }, { variants: [{ name: "a", systems: [], planned: 3 }] }])(
    "with %j is none that a report could use",
    (changes) => {
      expect(experimentIn({ experiment: { ...part(1, 2).record, ...changes } })).toBeNull();
    },
  );
});
