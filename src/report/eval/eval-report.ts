import type {
  DatasetConfig,
  DatasetGate,
  EvalResult,
  GateVerdict,
  ReportOptions,
  RunVerdict,
  Summary,
} from "../../core/index.js";
import { type EvalRow, getOwn, getScore, isScored, OUTCOMES, type Outcome } from "../../core/index.js";
import { computeSkillScore, computeStimulusScore, type TrialGrade } from "../../metrics/index.js";
import { mean, passAtK, passHatK, wilsonInterval } from "../../stats/index.js";
import { createLayout } from "../layout.js";
import { OVERALL_FIELDS } from "../lead.js";
import { renderReliability } from "../reliability.js";
import type { EvalPart, GateResult, SkillLine, StimulusLine, TriggerScore } from "./eval-part.js";

/** The results of an eval by test case, for people, pull requests and CI. */
export interface EvalReport {
  readonly schema: "assay.eval/1";
  readonly title: string;
  readonly run: string | null;
  /** One for each eval file and system. */
  readonly parts: readonly EvalPart[];
  /** Gates of the command, over all parts; gates of eval files are in their parts. */
  readonly gates: readonly GateVerdict[];
  /** How the command ended; null for a report of a stored run. */
  readonly verdict: RunVerdict | null;
  readonly notes: readonly string[];
  /** The figures of a stress test in Markdown; absent for other runs. */
  readonly reliability?: string;
}

/**
 * Builds the report of an eval from the rows of a run.
 * @example
 * const { parts } = evalReport(result);
 * parts[0]?.stimuli.map(({ stimulus, passRate }) => [stimulus, passRate]);
 */
export function evalReport(result: EvalResult, { gates = [], verdict }: ReportOptions = {}): EvalReport {
  const { config, runDir, notes } = result;
  const parts = config.datasets.flatMap((dataset) => buildParts(result, dataset));
  const reliability = renderReliability(result, createLayout()).join("\n\n");
  return {
    schema: "assay.eval/1",
    title: config.title,
    run: runDir,
    parts,
    gates,
    verdict: verdict ?? null,
    notes,
    ...(reliability !== "" && { reliability }),
  };
}

/** The name of examples without a dataset name. */
export const UNNAMED_DATASET = "examples";

function buildParts(result: EvalResult, dataset: DatasetConfig): EvalPart[] {
  const own = result.filter(({ dataset: name }) => dataset.tags.includes(name));
  return own.config.systems.map((system) => {
    const rows = own.rows.filter((row) => row.system === system);
    return buildPart(rows, { dataset, system, summary: own.summary[system] ?? {} });
  });
}

interface PartContext {
  dataset: DatasetConfig;
  system: string;
  summary: Summary;
}

function buildPart(rows: readonly EvalRow[], { dataset, system, summary }: PartContext): EvalPart {
  const gates: readonly DatasetGate[] = dataset.gates ?? [];
  const k = chooseHeadlineK(rows, gates);
  const groups = groupRowsByStimulus(rows);
  const stimuli = [...groups].map(([stimulus, own]) => buildStimulusLine(stimulus, own, k));
  const { pass_rate: rate = null, pass_rate_ci_low: low = null, pass_rate_ci_high: high = null } = summary;
  const scored = rows.filter(isScored).length;
  return {
    eval: dataset.name || UNNAMED_DATASET,
    unit: dataset.terms === undefined ? "example" : "stimulus",
    system,
    planned: rows.length,
    scored,
    passed: rows.filter(({ passed }) => passed === true).length,
    stimuli,
    skill: buildSkillLine(dataset.skill ?? null, groups),
    triggers: computeTriggerScore(rows),
    gates: gates.map((gate) => checkDatasetGate(gate, summary)),
    passRate: scored === 0 ? null : rate,
    passRateInterval: low === null || high === null ? null : [low, high],
    costUsd: sumIfKnown(rows.map(({ costUsd }) => costUsd)),
  };
}

/** In the order of the file. */
function groupRowsByStimulus(rows: readonly EvalRow[]): Map<string, EvalRow[]> {
  const groups = new Map<string, EvalRow[]>();
  for (const row of rows) {
    const name = String(row.exampleId);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [row]);
    else group.push(row);
  }
  return groups;
}

function sumIfKnown(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((total, value) => total + value, 0);
}

/** The usual number of trials in a row, if no gate names another. */
const DEFAULT_K = 3;

/** The k of the table: that of a gate, otherwise three, but not more than there are trials. */
export function chooseHeadlineK(rows: readonly EvalRow[], gates: readonly DatasetGate[]): number {
  const trials = rows.reduce((most, { trial }) => Math.max(most, trial + 1), 1);
  const asked = gates.flatMap(({ metric }) => /^pass_(?:at|hat)_(\d+)$/.exec(metric)?.[1] ?? []).map(Number);
  return Math.min(trials, asked[0] ?? DEFAULT_K);
}

export function buildStimulusLine(stimulus: string, rows: readonly EvalRow[], k: number): StimulusLine {
  const scored = rows.filter(isScored);
  const [n, passes] = [scored.length, scored.filter(({ passed }) => passed === true).length];
  const interval = n === 0 ? null : wilsonInterval(passes, n);
  const isEnough = n >= k;
  return {
    stimulus,
    trials: rows.length,
    outcomes: countStimulusOutcomes(rows),
    passRate: n === 0 ? null : passes / n,
    passRateInterval: interval === null ? null : [interval.low, interval.high],
    k,
    passAtK: isEnough ? passAtK(n, passes, k) : null,
    passHatK: isEnough ? passHatK(n, passes, k) : null,
    flakyPercent: n === 0 ? null : (100 * Math.min(passes, n - passes)) / n,
    meanScore: averageKnown(scored.map((row) => row.scores.weighted_score ?? getScore(row, "score") ?? null)),
    meanCostUsd: averageKnown(rows.map(({ costUsd }) => costUsd)),
    meanSeconds: averageKnown(rows.map(({ durationMs }) => (durationMs === null ? null : durationMs / 1000))),
    why: findMissingVerdictReason(rows),
    failed: describeFailedChecks(scored),
  };
}

function countStimulusOutcomes(rows: readonly EvalRow[]): Record<Outcome, number> {
  const counts = OUTCOMES.map((outcome) => [outcome, rows.filter((row) => row.outcome === outcome).length]);
  return Object.fromEntries(counts) as Record<Outcome, number>;
}

function averageKnown(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : mean(known);
}

/** Names of the checks without a full score. */
export function listFailedChecks({ scores }: EvalRow): string[] {
  return Object.keys(scores).filter((field) => !OVERALL_FIELDS.has(field) && (scores[field] ?? 0) < 1);
}

/** `failed checks: tests (3 of 5), lint (1 of 5)`. */
function describeFailedChecks(scored: readonly EvalRow[]): string | null {
  const failed = scored.filter(({ passed }) => passed === false);
  if (failed.length === 0) return null;
  const times = new Map<string, number>();
  for (const field of failed.flatMap(listFailedChecks)) times.set(field, (times.get(field) ?? 0) + 1);
  const checks = Array.from(times, ([field, count]) => `${field} (${count} of ${scored.length})`);
  return `failed checks: ${checks.join(", ") || "verdict"}`;
}

function findMissingVerdictReason(rows: readonly EvalRow[]): string | null {
  const row = rows.find(({ outcome }) => outcome === "error" || outcome === "unscored");
  return row === undefined ? null : describeReason(row);
}

/**
 * Describes why a trial ended as it did. Notes of scoring come last; attempts that failed before the output arrived are not
 * the reason for a missing score.
 */
export function describeReason({ outcome, attempts, notes, errorCategory }: EvalRow): string {
  if (outcome === "unscored") return notes.at(-1) ?? errorCategory;
  return attempts.at(-1)?.message ?? notes[0] ?? errorCategory;
}

/** Leaves out test cases without a verdict. */
export function buildSkillLine(skill: string | null, groups: ReadonlyMap<string, readonly EvalRow[]>): SkillLine {
  const stimuli = [...groups].map(([name, rows]) => computeStimulusScore(name, toTrialGrades(rows), true));
  const { overallScore, overallMultiTrial } = computeSkillScore(skill ?? "", stimuli, 0);
  const scored = stimuli.filter(({ unscored }) => !unscored).length;
  const known = <T>(value: T) => (scored === 0 ? null : value);
  return {
    skill,
    score: known(overallScore),
    scored,
    stimuli: stimuli.length,
    k: overallMultiTrial.k,
    passAtK: known(overallMultiTrial.passAtK),
    passRate: known(overallMultiTrial.perTrialPassRate),
  };
}

/** A row without graders uses its verdict as the score. */
function toTrialGrades(rows: readonly EvalRow[]): TrialGrade[] {
  return rows.filter(isScored).map(({ passed, scores, primaryField }) => {
    const isPass = passed === true;
    const score = scores.weighted_score ?? scores[primaryField ?? ""] ?? (isPass ? 1 : 0);
    return { passed: isPass, grade: { name: "trial", kind: "code", passed: isPass, score, evidence: "" } };
  });
}

/**
 * Precision, recall and F1 over the trials of trigger tests; null when there are none. A trial passes if the skill is
 * activated or not, as expected.
 */
export function computeTriggerScore(rows: readonly EvalRow[]): TriggerScore | null {
  const tests = rows.filter(({ facets }) => facets?.trigger === "should" || facets?.trigger === "should_not");
  if (tests.length === 0) return null;
  const count = (trigger: string, passed: boolean) =>
    tests.filter((row) => isScored(row) && row.facets?.trigger === trigger && row.passed === passed).length;
  const [truePositives, falseNegatives] = [count("should", true), count("should", false)];
  const [trueNegatives, falsePositives] = [count("should_not", true), count("should_not", false)];
  const precision = computeRatio(truePositives, truePositives + falsePositives);
  const recall = computeRatio(truePositives, truePositives + falseNegatives);
  const f1 = computeRatio(2 * truePositives, 2 * truePositives + falsePositives + falseNegatives);
  return { truePositives, falsePositives, falseNegatives, trueNegatives, precision, recall, f1 };
}

function computeRatio(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}

/** Sums of decimals are not exact: a value equal to the limit must reach it. */
const ROUNDING = 1e-9;

const GATE_OPERATORS: Readonly<Record<DatasetGate["op"], (actual: number, value: number) => boolean>> = {
  ">=": (actual, value) => actual >= value - ROUNDING,
  "<=": (actual, value) => actual <= value + ROUNDING,
  ">": (actual, value) => actual > value + ROUNDING,
  "<": (actual, value) => actual < value - ROUNDING,
  "==": (actual, value) => Math.abs(actual - value) <= ROUNDING,
};

/**
 * The key of the summary that a gate is about. pass@1 equals the pass rate, and a run with a single trial of each test case
 * has no other pass@k.
 * @example
 * resolveGateKey("pass_at_1"); // "pass_rate"
 */
export function resolveGateKey(metric: string): string {
  return /^pass_(?:at|hat)_1$/.test(metric) ? "pass_rate" : metric;
}

/**
 * Compares a value of a summary with its gate.
 * @example
 * checkDatasetGate({ metric: "pass_rate", op: ">=", value: 0.8 }, { pass_rate: 0.9 }).passed; // true
 */
export function checkDatasetGate(gate: DatasetGate, summary: Summary): GateResult {
  const key = resolveGateKey(gate.metric);
  const isCounted = summary[`${key}_n`] !== 0;
  const actual = isCounted ? (getOwn(summary, key) ?? null) : null;
  return { ...gate, actual, passed: actual !== null && GATE_OPERATORS[gate.op](actual, gate.value) };
}
