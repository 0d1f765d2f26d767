import {
  detectableDifference,
  MAX_EXACT_UNITS,
  mcnemarExact,
  mean,
  pairedDifference,
  type Seed,
} from "../../stats/index.js";
import type { ComparableMetric } from "./comparable-metrics.js";
import { type Detectable, type MetricComparison, type TestName, toAlpha } from "./comparison.js";

/** How samples are compared. */
export interface SampleOptions {
  level: number;
  seed: Seed;
}

/** Task means of both sides, for tasks with a value on both. */
export interface PairedSample {
  a: number[];
  b: number[];
  /** The group of each task; null if every task is independent. */
  groups: string[] | null;
  trialsA: number;
  trialsB: number;
  /** True if every task has one trial per side that scored 0 or 1. */
  isBinary: boolean;
}

/** Above MAX_EXACT_UNITS, signs are sampled; fewer for very many tasks, but at least the second number. */
const DEFAULT_PERMUTATIONS = 10_000;
const MIN_PERMUTATIONS = 1000;

/**
 * Compares one metric over the tasks that have it on both sides; `adjustTogether` sets the adjusted p and the change later.
 * @example
 * compareSample({ metric: "pass_rate", kind: "quality", better: "more" }, sample, { level: 0.95, seed: 0 }).p;
 */
export function compareSample(
  { metric, kind, better }: Pick<ComparableMetric, "metric" | "kind" | "better">,
  sample: PairedSample,
  options: SampleOptions,
): MetricComparison {
  const { a, b, groups } = sample;
  const n = a.length;
  const paired = pairedDifference(b, a, {
    ...options,
    permutations: DEFAULT_PERMUTATIONS,
    clusters: groups ?? undefined,
  });
  const { test, p } = selectTest(sample, paired);
  const units = paired.clusters ?? n;
  const smallestP = computeSmallestP(units, test);
  const { se, low, high } = paired;
  const reason = n === 0 ? null : explainInconclusive({ units, smallestP, groups, level: options.level });
  return {
    metric,
    kind,
    better,
    n,
    groups: paired.clusters ?? null,
    a: n === 0 ? null : mean(a),
    b: n === 0 ? null : mean(b),
    difference: n === 0 ? null : normalizeZero(paired.difference),
    low: low === null ? null : normalizeZero(low),
    high: high === null ? null : normalizeZero(high),
    se,
    test,
    p,
    adjustedP: null,
    hypotheses: 0,
    smallestP,
    change: "unclear",
    detectable:
      kind === "quality" ? computeDetectable({ ...sample, n, units, se, smallestP, level: options.level }) : null,
    ...(reason === null ? {} : { reason }),
  };
}

function selectTest(
  { a, b, groups, isBinary }: PairedSample,
  { permutationP: p, permutationExact }: { permutationP: number | null; permutationExact: boolean },
): { test: TestName | null; p: number | null } {
  if (p === null) return { test: null, p };
  if (!isBinary || groups !== null) return { test: permutationExact ? "sign-flip" : "sign-flip-sampled", p };
  const gained = a.filter((value, i) => value < (b[i] ?? 0)).length;
  const lost = a.filter((value, i) => value > (b[i] ?? 0)).length;
  return { test: "mcnemar", p: mcnemarExact(lost, gained) };
}

/** If all differences have the same sign, only that sign assignment and its mirror image are as extreme. */
function computeSmallestP(units: number, test: TestName | null): number {
  if (units === 0) return 1;
  if (test === "mcnemar" || units <= MAX_EXACT_UNITS) return 2 ** (1 - units);
  return 1 / ((units <= DEFAULT_PERMUTATIONS ? DEFAULT_PERMUTATIONS : MIN_PERMUTATIONS) + 1);
}

function explainInconclusive(design: {
  units: number;
  smallestP: number;
  groups: unknown;
  level: number;
}): string | null {
  const { units, smallestP, groups, level } = design;
  const unit = groups === null ? "task" : "group of tasks";
  if (units === 1) return `one ${unit}`;
  if (smallestP < toAlpha(level)) return null;
  return `too few ${groups === null ? "tasks" : "groups of tasks"} for any difference to be significant`;
}

function normalizeZero(value: number): number {
  return value === 0 ? 0 : value;
}

/** The power of all sample sizes and detectable differences. */
export const POWER = 0.8;

interface MeasuredDesign {
  /** Tasks, and the number of independent units (tasks or groups). */
  n: number;
  units: number;
  trialsA: number;
  trialsB: number;
  se: number | null;
  smallestP: number;
  level: number;
}

/** The minimum detectable difference at 80 % power, without correction for several metrics. */
function computeDetectable(design: MeasuredDesign): Detectable {
  const { n, units, se, smallestP } = design;
  const alpha = toAlpha(design.level);
  const spread = se === null || se === 0 ? "assumed" : "measured";
  if (smallestP >= alpha) return { difference: null, power: POWER, spread, reason: explainTooFewTasks(units) };
  const difference =
    se === null || se === 0
      ? detectableDifference({ n: units, ...countTrialsPerTask(design), alpha, power: POWER })
      : detectableDifference({ n, omega2: se ** 2 * n, sigmaA2: 0, sigmaB2: 0, alpha, power: POWER });
  if (difference <= 1) return { difference, power: POWER, spread };
  return { difference: null, power: POWER, spread, reason: "larger than 1, the largest possible difference of scores" };
}

function explainTooFewTasks(units: number): string {
  return units === 0 ? "no paired tasks" : "too few tasks for any difference to be significant";
}

/** Trials per task, rounded down to be conservative. */
function countTrialsPerTask({ n, trialsA, trialsB }: MeasuredDesign): { trialsA: number; trialsB: number } {
  const perTask = (trials: number) => Math.max(1, Math.floor(trials / n));
  return { trialsA: perTask(trialsA), trialsB: perTask(trialsB) };
}
