import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Dataset, makeDataset } from "../core/dataset.js";
import type { Evaluator } from "../core/evaluator.js";
import { Registry } from "../core/registry.js";
import type { System } from "../core/system.js";
import { loadDataset } from "../datasets/load-dataset.js";
import { needle } from "../datasets/needle.js";
import { type EvaluateOptions, evaluate } from "../evaluate.js";
import { readManifest, readRows } from "../store/journal.js";
import { compressorFactories } from "../systems/compressors/index.js";
import { gradeRun } from "./grade-run.js";
import { loadRun } from "./load-run.js";

let dir = "";

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "assay-facets-"));
});

afterEach(() => {
  rmSync(dir, { recursive: true, force: true });
});

const ORIGIN = { repo: "owner/quiz", revision: "0123abc", files: ["test.parquet"] };
const SUBJECTS = ["law", "art", "law", "art", "law", undefined];

function quiz(more: Partial<Dataset> = {}): Dataset {
  const examples = SUBJECTS.map((subject, id) => ({
    id,
    question: `question ${id}`,
    answer: id < 4 ? "yes" : "no",
    ...(subject === undefined ? {} : { subject }),
  }));
  return makeDataset({ name: "quiz", examples, facets: ["subject", "year"], origin: ORIGIN, ...more });
}

const YES: System = { name: "yes", process: () => ({ response: "yes" }), fingerprint: () => "yes" };
const EXACT: Evaluator = {
  name: "exact",
  fields: ["em"],
  score: ({ answer }, { response }) => ({ em: answer === response ? 1 : 0 }),
};
const WORDS = { name: "words", count: (text: string) => text.split(" ").length };

function measure(more: Partial<EvaluateOptions> = {}) {
  return evaluate({ systems: [YES], dataset: quiz(), evaluators: [EXACT], tokenizer: WORDS, runsDir: dir, ...more });
}

const BY_SUBJECT = { "facet:subject=law": 2 / 3, "facet:subject=law_n": 3, "facet:subject=art": 1 };

describe("facets of a run", () => {
  it("are on its rows, in its journal, its summary and its report", async () => {
    const result = await measure({ trials: 2 });
    const facets = result.rows.filter(({ trial }) => trial === 1).map((row) => row.facets?.subject);
    expect(facets).toEqual(SUBJECTS);
    expect(result.rows[0]?.facets).toBe(result.rows[4]?.facets);
    expect(readRows(result.runDir ?? "").filter((row) => row.facets?.subject === "law")).toHaveLength(6);
    expect(result.summary.yes).toMatchObject(BY_SUBJECT);
    expect(result.toJSON().rows.at(-1)).toHaveProperty("facets", null);
    expect(result.toJSON().summary.yes).toMatchObject(BY_SUBJECT);
    expect(result.toTable()).toContain("Mean score by subject.");
    expect(result.toTable({ columns: ["quality"] })).not.toContain("by subject");
    expect(result.toTable().match(/facet:/g)).toBeNull();
    expect(result.notes).toContain('no example of quiz has "year" to group results by');
  });

  it("are restored when it is loaded, without the examples", async () => {
    const { runDir } = await measure();
    const loaded = await loadRun(runDir ?? "");
    expect(loaded.summary.yes).toMatchObject(BY_SUBJECT);
    expect(loaded.toTable()).toContain("Mean score by subject.");
    const law = loaded.filter((row) => row.facets?.subject === "law");
    expect(Object.keys(law.summary.yes ?? {})).not.toContain("facet:subject=art");
  });

  it("are on failed trials and on trials that never start", async () => {
    const stop = new AbortController();
    const failing: System = {
      name: "failing",
      process: () => {
        stop.abort();
        throw new Error("out of order");
      },
    };
    const { rows } = await measure({
      systems: [failing],
      signal: stop.signal,
      maxWorkers: 1,
      retry: { maxRetries: 0 },
    });
    expect(new Set(rows.map(({ outcome }) => outcome))).toContain("skipped");
    expect(rows.map((row) => row.facets?.subject)).toEqual(SUBJECTS);
    const { rows: errors } = await measure({
      systems: [{ ...failing, process: () => Promise.reject(new Error("out of order")) }],
      retry: { maxRetries: 0 },
    });
    expect(errors.map(({ outcome }) => outcome)).toEqual(Array(6).fill("error"));
    expect(errors.map((row) => row.facets?.subject)).toEqual(SUBJECTS);
  });

  it("are kept beside what a system measures", async () => {
    const costly: System = { name: "c", process: () => ({ response: "yes", costUsd: 1, metadata: { region: "eu" } }) };
    const { rows } = await measure({ systems: [costly] });
    expect(rows[0]).toMatchObject({ costUsd: 1, metadata: { region: "eu" }, facets: { subject: "law" } });
  });

  it("are on all rows after a resume", async () => {
    const stop = new AbortController();
    const once: System = {
      ...YES,
      process: () => {
        stop.abort();
        return { response: "yes" };
      },
    };
    const { runDir } = await measure({ systems: [once], signal: stop.signal, maxWorkers: 1 });
    const resumed = await measure({ resume: runDir ?? "" });
    expect(readRows(runDir ?? "").length).toBeGreaterThanOrEqual(6);
    expect(resumed.rows.map((row) => row.facets?.subject)).toEqual(SUBJECTS);
    expect(resumed.summary.yes).toMatchObject(BY_SUBJECT);
  });

  it("are updated when a run is graded again, and kept if the dataset declares none", async () => {
    const { runDir: old } = await measure({ dataset: makeDataset({ name: "quiz", examples: quiz().examples }) });
    expect((await loadRun(old ?? "")).rows.every(({ facets }) => facets === null)).toBe(true);
    const graded = await gradeRun(old ?? "", { datasets: [quiz()], evaluators: [EXACT], runsDir: dir });
    expect(graded.summary.yes).toMatchObject(BY_SUBJECT);
    const plain = makeDataset({ name: "quiz", examples: quiz().examples });
    const again = await gradeRun(graded.runDir ?? "", { datasets: [plain], evaluators: [EXACT] });
    expect(again.summary.yes).toMatchObject(BY_SUBJECT);
  });

  it("are kept apart for several datasets", async () => {
    const other = makeDataset({ name: "exam", examples: [{ id: 1, question: "?", answer: "no", subject: "law" }] });
    const { summary } = await measure({ dataset: quiz(), datasets: [{ ...other, facets: ["subject"] }] });
    expect(summary.yes).toMatchObject({ "facet:quiz:subject=law": 2 / 3, "facet:exam:subject=law": 0 });
    expect(summary.yes).not.toHaveProperty("facet:subject=law");
  });
});

describe("needles", () => {
  it("are reported as a map of depth and length", async () => {
    const registry = new Registry();
    registry.register("dataset", "needle", needle);
    const dataset = await loadDataset("needle:lengths=500,2000;depths=0,0.5,1", { registry, maxExamples: 12 });
    const half = compressorFactories.truncate?.("0.5");
    const table = (await evaluate({ systems: half === undefined ? [] : [half], dataset })).toTable();
    const lines = table.split("\n").filter((line) => /^\| (?:depth|0|0\.5|1|mean) /.test(line));
    expect(lines.map((line) => line.replaceAll(/ +/g, " "))).toEqual([
      "| depth ↓ length → | 500 | 2000 | mean |",
      "| 0 | ██ 1.00 | ██ 1.00 | ██ 1.00 |",
      expect.stringMatching(/^\| 0\.5 \| /),
      "| 1 | ·· 0.00 | ·· 0.00 | ·· 0.00 |",
      expect.stringMatching(/^\| mean \| /),
    ]);
    expect(table).toContain("2 tasks per cell");
  });
});

describe("the origin of a dataset", () => {
  it("is stored with the run and in its report, and is absent if the dataset has none", async () => {
    const { runDir, config } = await measure();
    expect(config.datasets[0]?.origin).toEqual(ORIGIN);
    expect(readManifest(runDir ?? "").config.datasets[0]?.origin).toEqual(ORIGIN);
    expect((await loadRun(runDir ?? "")).toJSON().config.datasets[0]?.origin).toEqual(ORIGIN);
    const { config: without } = await measure({ dataset: makeDataset({ name: "quiz", examples: quiz().examples }) });
    expect(without.datasets[0]).not.toHaveProperty("origin");
  });

  it("may change between two starts of a run if the examples do not", async () => {
    const { runDir } = await measure();
    const resume = { resume: runDir ?? "" };
    const moved = quiz({ origin: { ...ORIGIN, revision: "4567def" } });
    expect((await measure({ ...resume, dataset: moved })).rows).toHaveLength(6);
    const changed = quiz({ examples: quiz().examples.slice(1) });
    await expect(measure({ ...resume, dataset: changed })).rejects.toThrow(/datasets: was quiz \(6 examples/);
    expect(readFileSync(join(runDir ?? "", "manifest.json"), "utf8")).toContain("0123abc");
  });
});
