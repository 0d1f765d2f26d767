import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Dataset, makeDataset } from "../core/dataset.js";
import type { Evaluator } from "../core/evaluator.js";
import type { Example } from "../core/example.js";
import type { System } from "../core/system.js";
import { type EvaluateOptions, evaluate } from "../evaluate.js";
import { readManifest, readRows } from "../store/journal.js";
import { gradeRun } from "./grade-run.js";
import { loadRun } from "./load-run.js";

let dir = "";

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "assay-groups-"));
});

afterEach(() => {
  rmSync(dir, { recursive: true, force: true });
});

const TALKS = ["a", "a", "a", "b", "b", "c", "c", "c"];
const ANSWERS = ["yes", "yes", "yes", "no", "no", "yes", "no", "yes"];
const EXAMPLES: Example[] = TALKS.map((talk, id) => ({ id, question: `q ${id}`, answer: ANSWERS[id] ?? "", talk }));

function talks(more: Partial<Dataset> = {}): Dataset {
  return makeDataset({ name: "talks", examples: EXAMPLES, groupBy: "talk", ...more });
}

const YES: System = { name: "yes", process: () => ({ response: "yes" }), fingerprint: () => "yes" };
const EXACT: Evaluator = {
  name: "exact",
  fields: ["em"],
  score: ({ answer }, { response }) => ({ em: answer === response ? 1 : 0 }),
};
const WORDS = { name: "words", count: (text: string) => text.split(" ").length };

function measure(more: Partial<EvaluateOptions> = {}) {
  return evaluate({ systems: [YES], dataset: talks(), evaluators: [EXACT], tokenizer: WORDS, runsDir: dir, ...more });
}

/** From the contract's test vector: mean .625, clustered SE .258167, three groups; Wilson interval with t at 3.516 trials. */
const BY_TALK = {
  mean_score: 0.625,
  mean_score_ci_low: expect.closeTo(0.063886, 5),
  mean_score_n: 8,
  mean_score_groups: 3,
  pass_rate_groups: 3,
};

describe("groups of a run", () => {
  it("are on its rows, in its journal, its summary and its report", async () => {
    const result = await measure({ trials: 2 });
    expect(result.rows.filter(({ trial }) => trial === 1).map(({ group }) => group)).toEqual(TALKS);
    expect(readRows(result.runDir ?? "").filter(({ group }) => group === "a")).toHaveLength(6);
    expect(readManifest(result.runDir ?? "").config.datasets[0]?.groupBy).toBe("talk");
    expect(result.summary.yes).toMatchObject(BY_TALK);
    const json = result.toJSON();
    expect(json.rows[7]).toHaveProperty("group", "b");
    expect(json.summary.yes).toMatchObject({ mean_score_groups: 3 });
    expect(result.toTable()).toContain("- intervals over 3 groups by talk\n");
    expect(result.toTable()).not.toContain("_groups");
    expect(result.toColumns().group).toHaveLength(16);
  });

  it("are restored when it is loaded, and are null in a journal without them", async () => {
    const { runDir } = await measure();
    const loaded = await loadRun(runDir ?? "");
    expect(loaded.summary.yes).toMatchObject(BY_TALK);
    expect(loaded.toTable()).toContain("- intervals over 3 groups by talk\n");
    const [journal = ""] = readdirSync(runDir ?? "").filter((file) => file.startsWith("rows"));
    const path = join(runDir ?? "", journal);
    writeFileSync(path, readFileSync(path, "utf8").replaceAll(/,"group":"\w"/g, ""));
    const old = await loadRun(runDir ?? "");
    expect(old.rows.every(({ group }) => group === null)).toBe(true);
    expect(old.summary.yes).not.toHaveProperty("mean_score_groups");
    expect(old.toTable()).not.toContain("groups");
  });

  it("are on failed trials, on trials that never start, and on all rows after a resume", async () => {
    const stop = new AbortController();
    const once: System = {
      ...YES,
      process: () => {
        stop.abort();
        throw new Error("out of order");
      },
    };
    const stopped = await measure({
      systems: [once],
      signal: stop.signal,
      maxWorkers: 1,
      retry: { maxRetries: 0 },
    });
    expect(new Set(stopped.rows.map(({ outcome }) => outcome))).toContain("skipped");
    expect(stopped.rows.map(({ group }) => group)).toEqual(TALKS);
    const resumed = await measure({ resume: stopped.runDir ?? "" });
    expect(resumed.rows.map(({ group }) => group)).toEqual(TALKS);
    expect(resumed.summary.yes).toMatchObject(BY_TALK);
    const failing = { ...YES, process: () => Promise.reject(new Error("out of order")) };
    const { rows } = await measure({ systems: [failing], retry: { maxRetries: 0 } });
    expect(rows.map(({ outcome, group }) => [outcome, group])).toEqual(TALKS.map((talk) => ["error", talk]));
  });

  it("are updated when a run is graded again, and kept if the dataset names none", async () => {
    const plain = makeDataset({ name: "talks", examples: EXAMPLES });
    const { runDir, summary } = await measure({ dataset: plain });
    expect(summary.yes).not.toHaveProperty("mean_score_groups");
    const graded = await gradeRun(runDir ?? "", { datasets: [talks()], evaluators: [EXACT], runsDir: dir });
    expect(graded.summary.yes).toMatchObject(BY_TALK);
    const again = await gradeRun(graded.runDir ?? "", { datasets: [plain], evaluators: [EXACT] });
    expect(again.summary.yes).toMatchObject(BY_TALK);
    expect(again.toTable()).toContain("- intervals over 3 groups\n");
  });

  it("may be numbers or strings, and are kept beside what a system measures", async () => {
    const values = [0, 0, true, true, "x", "", undefined, null];
    const examples = EXAMPLES.map(({ talk: _, ...example }, i) => ({ ...example, block: values[i] }));
    const costly: System = { name: "c", process: () => ({ response: "yes", costUsd: 1 }) };
    const { rows, summary } = await measure({ systems: [costly], dataset: talks({ examples, groupBy: "block" }) });
    expect(rows.map(({ group }) => group)).toEqual([0, 0, "true", "true", "x", null, null, null]);
    expect(rows[0]).toMatchObject({ costUsd: 1, group: 0 });
    expect(summary.c).toMatchObject({ mean_score_n: 8, mean_score_groups: 6 });
  });

  it("are kept apart for several datasets, and an example without one is its own group", async () => {
    const other = makeDataset({ name: "quiz", examples: EXAMPLES.slice(0, 4) });
    const same = talks({ name: "more talks", examples: EXAMPLES.slice(0, 4) });
    const result = await measure({ datasets: [other, same] });
    expect(result.summary.yes).toMatchObject({
      mean_score_n: 16,
      mean_score_groups: 3 + 4 + 2,
      "dataset:talks_groups": 3,
      "dataset:more talks_groups": 2,
    });
    expect(result.summary.yes).not.toHaveProperty("dataset:quiz_groups");
    expect(result.toTable()).toContain("- intervals over 9 groups by talk, examples without a group counted singly\n");
  });
});
