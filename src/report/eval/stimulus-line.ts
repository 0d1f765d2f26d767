import type { DatasetGate } from "../../core/dataset.js";
import { type EvalRow, isScored, OUTCOMES, type Outcome, scoreOf } from "../../core/row.js";
import { mean, passAtK, passHatK, wilsonInterval } from "../../stats/index.js";

/** All trials of one stimulus by one system. What nothing stands behind is null. */
export interface StimulusLine {
  readonly stimulus: string;
  readonly trials: number;
  readonly outcomes: Readonly<Record<Outcome, number>>;
  readonly passRate: number | null;
  /** Wilson, over the trials. */
  readonly passRateInterval: readonly [number, number] | null;
  /** What `passAtK` and `passHatK` are for. */
  readonly k: number;
  readonly passAtK: number | null;
  readonly passHatK: number | null;
  /** The share of trials that went the rarer way, in percent. */
  readonly flakyPercent: number | null;
  readonly meanScore: number | null;
  /** For each trial. */
  readonly meanCostUsd: number | null;
  readonly meanSeconds: number | null;
  /** Why a trial has no verdict, where one has none. */
  readonly why: string | null;
  /** What trials did not pass by, and how often; null when all that have a verdict passed. */
  readonly failed: string | null;
}

/** How many trials in a row people mostly ask about, where no gate does. */
const USUAL_K = 3;

/** The k that a table of stimuli shows: that of a gate, else three, and no more than there are trials. */
export function headlineK(rows: readonly EvalRow[], gates: readonly DatasetGate[]): number {
  const trials = rows.reduce((most, { trial }) => Math.max(most, trial + 1), 1);
  const asked = gates.flatMap(({ metric }) => /^pass_(?:at|hat)_(\d+)$/.exec(metric)?.[1] ?? []).map(Number);
  return Math.min(trials, asked[0] ?? USUAL_K);
}

export function stimulusLine(stimulus: string, rows: readonly EvalRow[], k: number): StimulusLine {
  const scored = rows.filter(isScored);
  const [n, passes] = [scored.length, scored.filter(({ passed }) => passed === true).length];
  const interval = n === 0 ? null : wilsonInterval(passes, n);
  const isEnough = n >= k;
  return {
    stimulus,
    trials: rows.length,
    outcomes: outcomesOf(rows),
    passRate: n === 0 ? null : passes / n,
    passRateInterval: interval === null ? null : [interval.low, interval.high],
    k,
    passAtK: isEnough ? passAtK(n, passes, k) : null,
    passHatK: isEnough ? passHatK(n, passes, k) : null,
    flakyPercent: n === 0 ? null : (100 * Math.min(passes, n - passes)) / n,
    meanScore: meanOf(scored.map((row) => row.scores.weighted_score ?? scoreOf(row, "score") ?? null)),
    meanCostUsd: meanOf(rows.map(({ costUsd }) => costUsd)),
    meanSeconds: meanOf(rows.map(({ durationMs }) => (durationMs === null ? null : durationMs / 1000))),
    why: whyNot(rows),
    failed: failedBy(scored),
  };
}

function outcomesOf(rows: readonly EvalRow[]): Record<Outcome, number> {
  const counts = OUTCOMES.map((outcome) => [outcome, rows.filter((row) => row.outcome === outcome).length]);
  return Object.fromEntries(counts) as Record<Outcome, number>;
}

function meanOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : mean(known);
}

/** Fields that say what the checks come to together. */
const OVERALL = new Set(["verdict", "weighted_score"]);

/** The checks that a trial did not pass in full, by their names. */
export function shortOf({ scores }: EvalRow): string[] {
  return Object.keys(scores).filter((field) => !OVERALL.has(field) && (scores[field] ?? 0) < 1);
}

/** `not passed by tests (3 of 5), lint (1 of 5)`. */
function failedBy(scored: readonly EvalRow[]): string | null {
  const failed = scored.filter(({ passed }) => passed === false);
  if (failed.length === 0) return null;
  const times = new Map<string, number>();
  for (const field of failed.flatMap(shortOf)) times.set(field, (times.get(field) ?? 0) + 1);
  const checks = Array.from(times, ([field, count]) => `${field} (${count} of ${scored.length})`);
  return `not passed by ${checks.join(", ") || "its verdict"}`;
}

/** The first reason that is told. */
function whyNot(rows: readonly EvalRow[]): string | null {
  const row = rows.find(({ outcome }) => outcome === "error" || outcome === "unscored");
  return row === undefined ? null : reasonOf(row);
}

/**
 * Why a trial ended as it did, in words. What scoring has to say stands last among the notes; attempts that failed before
 * the output came are no reason that it could not be scored.
 */
export function reasonOf({ outcome, attempts, notes, errorCategory }: EvalRow): string {
  if (outcome === "unscored") return notes.at(-1) ?? errorCategory;
  return attempts.at(-1)?.message ?? notes[0] ?? errorCategory;
}
