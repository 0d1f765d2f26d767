import { type EvalRow, hasOutput } from "../../core/row.js";
import {
  createRandom,
  hashSeed,
  mean,
  requiredTasks,
  type SequentialQuestion,
  SequentialTest,
  shuffle,
} from "../../stats/index.js";
import { selectComparableMetrics } from "./comparable-metrics.js";
import { collectSample, pairRows } from "./compare-rows.js";
import type { PairedSample } from "./compare-sample.js";
import { type PairedComparison, toAlpha } from "./comparison.js";
import { classifyAdjustedLift, findQualityMetric } from "./lift.js";

/** The rows of one system of one run. */
export interface PaidSide {
  /** Different for different sides: the same one may be in several pairs, and is paid for once. */
  readonly key: string;
  readonly rows: readonly EvalRow[];
  /** True if its outputs were recorded before, for another purpose: only judging them is paid for. */
  readonly isRecorded?: boolean | undefined;
}

/** Two systems that were compared, and what came of it. */
export interface PaidPair {
  readonly a: PaidSide;
  readonly b: PaidSide;
  readonly isDecided: boolean;
  /** How many more tasks a run of fixed size takes to decide, if the difference stays what it is; null if unknown. */
  readonly moreTasks: number | null;
}

/** What a comparison cost, what a run of fixed size costs, and what stopping when decided would have cost. */
export interface DecisionCost {
  /** All trials of all systems that were compared, with the cost of judging them; null if some is unknown. */
  readonly spentUsd: number | null;
  /** Questions, one for each pair, and those that are decided. */
  readonly asked: number;
  readonly decided: number;
  /** Null if nothing was decided, or the cost is unknown. */
  readonly usdPerDecision: number | null;
  /** Of a run of fixed size: of this one, or of one large enough to decide, if it does not; null if unknown. */
  readonly fixedTasks: number | null;
  readonly fixedUsd: number | null;
  /** With `--until decided`: the median over random orders of the tasks; null for a pair that is undecided. */
  readonly earlyTasks: number | null;
  readonly earlyUsd: number | null;
  /** Tasks of the largest pair. */
  readonly tasks: number;
  /** Why the cost is unknown. */
  readonly reason?: string;
}

export interface DecisionCostOptions {
  readonly question: SequentialQuestion;
  /** The metric that decides. Default: `pass_rate`. */
  readonly quality?: "pass_rate" | "mean_score" | undefined;
  readonly scoreField?: string | undefined;
  /** The chance of a wrong verdict. Default: 0.05. */
  readonly alpha?: number | undefined;
  /** Seed of the orders. Default: 0. */
  readonly seed?: number | undefined;
}

/** Odd, so that the median is one of them. */
const ORDERS = 9;

/**
 * Computes what a decision cost. To say what stopping early would have cost, the tasks are shown in random orders to the
 * test behind `--until decided`.
 * @example
 * computeDecisionCost([{ a, b, isDecided: true, moreTasks: null }], { question: { kind: "difference" } }).earlyUsd;
 */
export function computeDecisionCost(pairs: readonly PaidPair[], options: DecisionCostOptions): DecisionCost {
  const sides = new Map(pairs.flatMap(({ a, b }) => [a, b].map((side) => [side.key, side] as const)));
  const costs = new Map(Array.from(sides, ([key, side]) => [key, sumCost(side)]));
  const unknown = [...costs.values()].reduce((sum, cost) => sum + cost.unknown, 0);
  const addUp = (share: (key: string) => number) =>
    unknown > 0 ? null : [...costs].reduce((sum, [key, { usd }]) => sum + usd * share(key), 0);
  const decided = pairs.filter(({ isDecided }) => isDecided).length;
  const samples = pairs.map((pair) => collectPairSample(pair, options));
  const tasks = Math.max(0, ...samples.map(({ a }) => a.length));
  const grow = (at: number) => {
    const { isDecided = false, moreTasks = null } = pairs[at] ?? {};
    const n = samples[at]?.a.length ?? 0;
    return isDecided ? 1 : moreTasks === null || n === 0 ? Number.NaN : (n + moreTasks) / n;
  };
  const replay = { ...options, candidates: pairs.length };
  const early = pairs.map(({ isDecided }, i) =>
    isDecided ? replayEarly(samples[i] ?? EMPTY_SAMPLE, replay) : Number.NaN,
  );
  /** A side is needed as long as any of its pairs. */
  const mostOf = (key: string, shares: (at: number) => number) =>
    Math.max(...pairs.flatMap(({ a, b }, at) => (a.key === key || b.key === key ? [shares(at)] : [])));
  const all = pairs.map((_, at) => at);
  const spentUsd = addUp(() => 1);
  const fixedUsd = addUp((key) => mostOf(key, grow));
  const earlyUsd = addUp((key) => mostOf(key, (at) => early[at] ?? Number.NaN));
  return {
    spentUsd,
    asked: pairs.length,
    decided,
    usdPerDecision: spentUsd === null || decided === 0 ? null : spentUsd / decided,
    fixedTasks: toCount(Math.max(...all.map((at) => (samples[at]?.a.length ?? 0) * grow(at)))),
    fixedUsd: toAmount(fixedUsd),
    earlyTasks: toCount(Math.max(...all.map((at) => (samples[at]?.a.length ?? 0) * (early[at] ?? Number.NaN)))),
    earlyUsd: toAmount(earlyUsd),
    tasks,
    ...(unknown === 0 ? {} : { reason: `the cost of ${unknown} ${unknown === 1 ? "trial" : "trials"} is unknown` }),
  };
}

/** Beyond this number nobody would run more. */
const MAX_MORE_TASKS = 1e6;

/** Comparisons with the rows of their sides: decided are those whose quality differs. */
export function computeComparisonCost(
  compared: readonly { readonly comparison: PairedComparison; readonly a: PaidSide; readonly b: PaidSide }[],
  options: Pick<DecisionCostOptions, "scoreField" | "seed"> = {},
): DecisionCost {
  const pairs = compared.map(({ comparison, a, b }) => {
    const lift = classifyAdjustedLift(comparison);
    const isDecided = lift === "better" || lift === "worse";
    return { a, b, isDecided, moreTasks: isDecided ? null : estimateMoreTasks(comparison) };
  });
  const [first] = compared;
  const quality = first === undefined ? undefined : findQualityMetric(first.comparison)?.metric;
  return computeDecisionCost(pairs, {
    ...options,
    question: { kind: "difference" },
    quality: quality === "mean_score" ? "mean_score" : "pass_rate",
    alpha: toAlpha(first?.comparison.level ?? 0.95),
  });
}

/** By the measured variance, at 80 % power. */
function estimateMoreTasks(comparison: PairedComparison): number | null {
  const { difference = null, se = null, n = 0 } = findQualityMetric(comparison) ?? {};
  if (difference === null || difference === 0 || se === null || se === 0) return null;
  const needed = requiredTasks({
    difference: Math.abs(difference),
    omega2: se ** 2 * n,
    sigmaA2: 0,
    sigmaB2: 0,
    alpha: toAlpha(comparison.level),
  });
  const more = Math.max(1, needed - n);
  return more > MAX_MORE_TASKS ? null : more;
}

const EMPTY_SAMPLE: PairedSample = { a: [], b: [], groups: null, trialsA: 0, trialsB: 0, isBinary: true };

function toCount(value: number): number | null {
  return Number.isFinite(value) ? Math.round(value) : null;
}

function toAmount(value: number | null): number | null {
  return value !== null && Number.isFinite(value) ? value : null;
}

function sumCost({ rows, isRecorded = false }: PaidSide): { usd: number; unknown: number } {
  let usd = 0;
  let unknown = 0;
  for (const row of rows) {
    usd += (isRecorded ? 0 : (row.costUsd ?? 0) + (row.userCostUsd ?? 0)) + (row.judgeCostUsd ?? 0);
    if (!isRecorded && row.costUsd === null && hasOutput(row)) unknown += 1;
  }
  return { usd, unknown };
}

function collectPairSample({ a, b }: PaidPair, { quality = "pass_rate", scoreField }: DecisionCostOptions) {
  const [measure] = selectComparableMetrics({ a: a.rows, b: b.rows }, { metrics: [quality], scoreField });
  return measure === undefined ? EMPTY_SAMPLE : collectSample(measure, pairRows(a.rows, b.rows).pairs);
}

/** The share of the units after which the sequential test decides: the median over random orders. */
function replayEarly(sample: PairedSample, options: DecisionCostOptions & { candidates: number }): number {
  const { question, alpha = 0.05, seed = 0, candidates } = options;
  const units = averageGroups(sample);
  if (units.length < 2) return 1;
  const shares = Array.from({ length: ORDERS }, (_, order) => {
    // Several candidates share the error, as with e-Holm at its first step.
    const test = new SequentialTest({ question, horizon: units.length, alpha: alpha / candidates });
    const values = shuffle(units, createRandom(hashSeed(seed, `order ${order}`)));
    let seen = 0;
    for (const value of values) {
      test.add([value]);
      seen += 1;
      if (test.isDecided) break;
    }
    return seen / units.length;
  });
  return shares.sort((x, y) => x - y)[(ORDERS - 1) / 2] ?? 1;
}

function averageGroups({ a, b, groups }: PairedSample): number[] {
  const units = new Map<string | number, number[]>();
  for (const [i, value] of a.entries()) {
    const unit = groups?.[i] ?? i;
    const known = units.get(unit);
    const difference = (b[i] ?? 0) - value;
    if (known === undefined) units.set(unit, [difference]);
    else known.push(difference);
  }
  return Array.from(units.values(), (values) => mean(values));
}
