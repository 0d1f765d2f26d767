import type { DatasetGate, EvalResult } from "../core/index.js";
import { type EvalRow, makeRow, type Outcome, type RowInit } from "../core/index.js";
import { standardMetrics } from "../metrics/index.js";
import { RunResult } from "../report/index.js";
import { makeConfig, makeTiming } from "./make-run.js";

/** A passing trial of an eval by default. */
export function makeTrialRow(known: Partial<RowInit> = {}): EvalRow {
  const outcome: Outcome = known.outcome ?? "pass";
  const isScored = outcome === "pass" || outcome === "fail";
  const score = outcome === "pass" ? 1 : 0;
  return makeRow({
    system: "agent",
    dataset: "tidy",
    exampleId: "one",
    errorCategory: outcome === "fail" ? "logic_error" : "none",
    primaryField: "verdict",
    passed: isScored ? outcome === "pass" : null,
    scores: isScored ? { verdict: score, weighted_score: score } : {},
    ...known,
    outcome,
  });
}

/** Trials of one test case, one letter each: Pass, Fail, Error, Unscored, Skipped. */
export function makeTrialRows(letters: string, known: Partial<RowInit> = {}): EvalRow[] {
  const outcomes = new Map<string, Outcome>([
    ["P", "pass"],
    ["F", "fail"],
    ["E", "error"],
    ["U", "unscored"],
    ["S", "skipped"],
  ]);
  return [...letters].map((letter, trial) =>
    makeTrialRow({ ...known, trial, outcome: outcomes.get(letter) ?? "pass" }),
  );
}

interface TestEval {
  readonly skill?: string;
  readonly gates?: readonly DatasetGate[];
}

export interface TestEvalRun {
  /** By eval name. */
  readonly evals?: Readonly<Record<string, TestEval>>;
  readonly title?: string;
  readonly runDir?: string;
  readonly notes?: readonly string[];
}

export function makeEvalResult(rows: readonly EvalRow[], run: TestEvalRun = {}): EvalResult {
  const { evals = {}, title = "a run", runDir = null, notes = [] } = run;
  const names = [...new Set([...Object.keys(evals), ...rows.map(({ dataset }) => dataset)])];
  const systems = [...new Set(rows.map(({ system }) => system))];
  const datasets = names.map((name) => ({
    name,
    examples: new Set(rows.filter(({ dataset }) => dataset === name).map(({ exampleId }) => exampleId)).size,
    fingerprint: "",
    tags: [name],
    primaryField: "verdict",
    evaluators: {},
    terms: {},
    ...evals[name],
  }));
  const trials = Math.max(1, ...rows.map(({ trial }) => trial + 1));
  return new RunResult({
    rows,
    metrics: standardMetrics(systems.length, datasets.length),
    config: makeConfig({ title, systems, datasets, evaluators: ["graders"], trials }),
    timing: makeTiming(),
    runDir,
    notes,
  });
}
