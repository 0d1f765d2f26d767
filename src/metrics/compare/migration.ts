import { type EvalRow, hasOutput, isScored } from "../../core/index.js";
import {
  bootstrapInterval,
  holm,
  mean,
  meanInterval,
  nonInferiorityTest,
  passHatK,
  quantile,
  requiredForDecision,
  type Seed,
} from "../../stats/index.js";
import { selectComparableMetrics } from "./comparable-metrics.js";
import { collectSample, findFlips, getGroupKey, pairRows, type TaskPair } from "./compare-rows.js";
import { DEFAULT_LEVEL, type Flips, toAlpha } from "./comparison.js";

/** Is a candidate as good as the system it may replace, up to the margin? */
type MigrationVerdict = "non-inferior" | "inferior" | "undecided";

/** What decides quality. */
export type MigrationQuality = "pass_rate" | "mean_score";

/** Options of `judgeCandidates`. */
export interface MigrationOptions {
  /** The largest loss of quality that is acceptable, in (0, 1). */
  margin: number;
  /** Default: "pass_rate". */
  quality?: MigrationQuality | undefined;
  scoreField?: string | undefined;
  /** One-sided level of the bounds. Default: 0.95. */
  level?: number | undefined;
  /** Seed of the bootstrap. Default: 0. */
  seed?: Seed | undefined;
}

/** A candidate and the system it may replace: their rows on the same tasks. */
export interface MigrationPair {
  system: string;
  from: readonly EvalRow[];
  to: readonly EvalRow[];
  /** True if one recorded output of a task stands for all trials of the old system, which says nothing about pass^k. */
  isRecordedOnce?: boolean | undefined;
}

/** The quality of a candidate minus that of the old system, tested against −margin. */
interface CandidateQuality {
  metric: MigrationQuality;
  /** Tasks with a score from both, or groups of them. */
  n: number;
  /** Number of independent groups; null if every task is independent. */
  groups: number | null;
  from: number | null;
  to: number | null;
  difference: number | null;
  /** One-sided bounds, without correction for several candidates. With "anytime": the interval that holds at any time. */
  low: number | null;
  high: number | null;
  method: "tango" | "t" | "anytime";
  pNonInferior: number | null;
  pInferior: number | null;
  /** Holm-corrected over the candidates. */
  adjustedPNonInferior: number | null;
  adjustedPInferior: number | null;
}

/** A figure of both systems over the same tasks, and its difference with a two-sided interval. */
export interface FigureDifference {
  metric: string;
  from: number | null;
  to: number | null;
  difference: number | null;
  low: number | null;
  high: number | null;
  n: number;
  /** Why a value is null. */
  reason?: string;
}

/** How a run that may stop before its last task came to a verdict. */
export interface EarlyDecision {
  /** Tasks seen when it was decided; all that are complete if it is not. */
  tasks: number;
  planned: number;
  /** True if the fixed-sample test of all tasks decided. */
  isFinal: boolean;
  /** Planned trials of the candidate that were not needed, and what they would have cost. */
  notRun: number;
  notSpentUsd: number | null;
}

/** The verdict on one candidate. */
export interface CandidateVerdict {
  system: string;
  verdict: MigrationVerdict;
  quality: CandidateQuality;
  /** Null if all tasks were run and tested as a fixed sample. */
  early: EarlyDecision | null;
  /** If undecided: about how many more examples would decide; null if no number would. */
  moreExamples: number | null;
  /** Why it is undecided, if not for the number of examples. */
  reason?: string;
  /** Cost per pass, latency and pass^k. */
  differences: readonly FigureDifference[];
  flips: Flips;
  /** Tasks without a score from both. */
  unpaired: number;
  notes: readonly string[];
}

/**
 * Judges whether candidates are non-inferior to the systems they may replace, with Holm correction over the candidates.
 * @example
 * judgeCandidates([{ system: "new", from: oldRows, to: newRows }], { margin: 0.02 })[0]?.verdict; // "non-inferior"
 */
export function judgeCandidates(pairs: readonly MigrationPair[], options: MigrationOptions): CandidateVerdict[] {
  const compared = pairs.map((pair) => comparePair(pair, options));
  const adjust = (key: "pNonInferior" | "pInferior") => holm(compared.map(({ quality }) => quality[key] ?? 1));
  const [nonInferior, inferior] = [adjust("pNonInferior"), adjust("pInferior")];
  const alpha = toAlpha(options.level ?? DEFAULT_LEVEL);
  return compared.map(({ variance, ...candidate }, i) => {
    const quality: CandidateQuality = {
      ...candidate.quality,
      adjustedPNonInferior: candidate.quality.pNonInferior === null ? null : (nonInferior[i] ?? 1),
      adjustedPInferior: candidate.quality.pInferior === null ? null : (inferior[i] ?? 1),
    };
    const verdict = decide(quality, alpha);
    const isOpen = verdict === "undecided";
    const more = isOpen ? estimateMoreExamples(quality, variance, { ...options, alpha: alpha / pairs.length }) : null;
    const reason = isOpen && more === null ? explainUndecided(quality) : undefined;
    return { ...candidate, quality, verdict, moreExamples: more, ...(reason === undefined ? {} : { reason }) };
  });
}

function decide({ adjustedPNonInferior, adjustedPInferior }: CandidateQuality, alpha: number): MigrationVerdict {
  if (adjustedPNonInferior !== null && adjustedPNonInferior < alpha) return "non-inferior";
  return adjustedPInferior !== null && adjustedPInferior < alpha ? "inferior" : "undecided";
}

/** Beyond this number nobody would run more examples. */
const MAX_MORE_EXAMPLES = 1e6;

function estimateMoreExamples(
  { n, difference }: CandidateQuality,
  variance: number | null,
  { margin, alpha }: { margin: number; alpha: number },
): number | null {
  if (difference === null || variance === null) return null;
  const more = requiredForDecision({ difference, margin, variance, alpha }) - n;
  return more > MAX_MORE_EXAMPLES ? null : Math.max(1, more);
}

function explainUndecided({ n, difference }: CandidateQuality): string {
  if (n === 0) return "no example was scored with both";
  if (n === 1 || difference === null) return "one example decides nothing";
  return "the difference is too close to the margin for any number of examples to decide";
}

type ComparedPair = Omit<CandidateVerdict, "verdict" | "moreExamples" | "reason"> & { variance: number | null };

function comparePair({ system, from, to, isRecordedOnce }: MigrationPair, options: MigrationOptions): ComparedPair {
  const { margin, quality: metric = "pass_rate", scoreField, level, seed = 0 } = options;
  const { pairs, notes } = pairRows(from, to);
  const [measure] = selectComparableMetrics({ a: from, b: to }, { metrics: [metric], scoreField });
  if (measure === undefined) throw new RangeError(`unknown quality ${metric}`);
  const { a, b, groups, isBinary } = collectSample(measure, pairs);
  const test = nonInferiorityTest(a, b, { margin, level, isBinary, ...(groups === null ? {} : { clusters: groups }) });
  const { method, low, high, pNonInferior, pInferior, variance, n } = test;
  const [meanA, meanB] = n === 0 ? [null, null] : [mean(a), mean(b)];
  return {
    system,
    early: null,
    quality: {
      metric,
      n,
      groups: test.clusters ?? null,
      from: meanA,
      to: meanB,
      difference: n === 0 ? null : test.difference,
      low,
      high,
      method,
      pNonInferior,
      pInferior,
      adjustedPNonInferior: null,
      adjustedPInferior: null,
    },
    variance,
    differences: compareFigures(pairs, { seed, isRecordedOnce }),
    flips: findFlips(pairs),
    unpaired: pairs.length - n,
    notes,
  };
}

interface FigureOptions extends Pick<MigrationPair, "isRecordedOnce"> {
  /** Null for differences without intervals. */
  seed: Seed | null;
}

/** Over the tasks that both systems ran, so that both figures are about the same. */
export function compareFigures(
  pairs: readonly TaskPair[],
  { seed, isRecordedOnce = false }: FigureOptions,
): FigureDifference[] {
  const shared = pairs.filter(isRunByBoth);
  const trials = Math.max(
    0,
    ...shared.map(({ a, b }) => Math.min(a.filter(isScored).length, b.filter(isScored).length)),
  );
  return [
    compareCostPerPass(shared, seed),
    compareLatency(shared, seed),
    ...(trials < 2 ? [] : [isRecordedOnce ? skipPassHat(trials) : comparePassHat(shared, trials, seed !== null)]),
  ];
}

function skipPassHat(k: number): FigureDifference {
  return createUnknownFigure(`pass_hat_${k}`, 0, "one recorded output stands for all trials");
}

export function isRunByBoth({ a, b }: TaskPair): boolean {
  return a.some(hasRun) && b.some(hasRun);
}

function hasRun({ outcome }: EvalRow): boolean {
  return outcome !== "skipped";
}

interface CostFigures {
  cost: number;
  passes: number;
  /** False if the cost of a trial with an output is unknown. */
  isKnown: boolean;
}

function compareCostPerPass(pairs: readonly TaskPair[], seed: Seed | null): FigureDifference {
  const metric = "cost_per_pass_usd";
  if (pairs.length === 0) return createUnknownFigure(metric, 0, "no shared example");
  const read = (rows: readonly EvalRow[]): CostFigures => ({
    cost: rows.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0),
    passes: rows.filter(({ outcome }) => outcome === "pass").length,
    isKnown: rows.every((row) => !hasOutput(row) || row.costUsd != null),
  });
  const rate = (figures: readonly CostFigures[]) => {
    const passes = figures.reduce((sum, one) => sum + one.passes, 0);
    if (passes === 0 || !figures.every(({ isKnown }) => isKnown)) return null;
    return figures.reduce((sum, one) => sum + one.cost, 0) / passes;
  };
  const isKnown = pairs.every(({ a, b }) => read(a).isKnown && read(b).isKnown);
  const undefinedReason = isKnown ? "no trial passed" : "the cost of a trial is unknown";
  return compareByBootstrap({ metric, pairs, read, figure: rate, seed, undefinedReason });
}

function compareLatency(pairs: readonly TaskPair[], seed: Seed | null): FigureDifference {
  const read = (rows: readonly EvalRow[]) => rows.flatMap((row) => (hasOutput(row) ? (row.latency ?? []) : []));
  const figure = (latencies: readonly (readonly number[])[]) => {
    const all = latencies.flat();
    return all.length === 0 ? null : quantile(all, 0.95);
  };
  return compareByBootstrap({ metric: "latency_p95", pairs, read, figure, seed, undefinedReason: "not measured" });
}

interface BootstrapComparison<T> {
  metric: string;
  pairs: readonly TaskPair[];
  /** What one task contributes. */
  read: (rows: readonly EvalRow[]) => T;
  /** The figure of a system; null if undefined. */
  figure: (tasks: readonly T[]) => number | null;
  /** Null for a difference without an interval. */
  seed: Seed | null;
  undefinedReason: string;
}

/** Resamples whole groups, or tasks; the trials of both systems stay together. */
function compareByBootstrap<T>(comparison: BootstrapComparison<T>): FigureDifference {
  const { metric, pairs, read, figure, seed, undefinedReason } = comparison;
  const units = new Map<string, { a: T; b: T }[]>();
  for (const pair of pairs) {
    const key = getGroupKey(pair);
    const values = { a: read(pair.a), b: read(pair.b) };
    const known = units.get(key);
    if (known === undefined) units.set(key, [values]);
    else known.push(values);
  }
  const compute = (sample: readonly (readonly { a: T; b: T }[])[]) => {
    const tasks = sample.flat();
    return [figure(tasks.map(({ a }) => a)), figure(tasks.map(({ b }) => b))] as const;
  };
  const all = [...units.values()];
  const [from, to] = compute(all);
  if (from === null || to === null) return { ...createUnknownFigure(metric, pairs.length, undefinedReason), from, to };
  const difference = (sample: readonly (readonly { a: T; b: T }[])[]) => {
    const [ofA, ofB] = compute(sample);
    return ofA === null || ofB === null ? Number.NaN : ofB - ofA;
  };
  const { low, high } = seed === null ? NO_BOUNDS : bootstrapInterval(all, difference, { seed });
  return { metric, from, to, difference: to - from, low, high, n: pairs.length };
}

const NO_BOUNDS = { low: null, high: null };

function comparePassHat(pairs: readonly TaskPair[], k: number, hasInterval: boolean): FigureDifference {
  const usable = pairs.flatMap((pair) => {
    const [a, b] = [pair.a.filter(isScored), pair.b.filter(isScored)];
    if (a.length < k || b.length < k) return [];
    const estimate = (rows: readonly EvalRow[]) =>
      passHatK(rows.length, rows.filter(({ outcome }) => outcome === "pass").length, k);
    return [{ a: estimate(a), b: estimate(b), group: getGroupKey(pair) }];
  });
  const groups = usable.map(({ group }) => group);
  const isGrouped = new Set(groups).size < groups.length;
  const differences = usable.map(({ a, b }) => b - a);
  const interval = meanInterval(differences, isGrouped ? { clusters: groups } : {});
  const { low, high } = hasInterval ? interval : NO_BOUNDS;
  return {
    metric: `pass_hat_${k}`,
    from: mean(usable.map(({ a }) => a)),
    to: mean(usable.map(({ b }) => b)),
    difference: interval.mean,
    low,
    high,
    n: usable.length,
  };
}

function createUnknownFigure(metric: string, n: number, reason: string): FigureDifference {
  return { metric, from: null, to: null, difference: null, low: null, high: null, n, reason };
}
