import { requireInteger, requireOpenProbability, requireSameLength } from "./distributions.js";
import { DEFAULT_LEVEL, NO_INTERVAL } from "./intervals.js";
import { type Clusters, mean, type Numbers, sum, sumByCluster, sumSquaredDeviations } from "./mean.js";
import { type BoundedEstimate, bound } from "./prediction-powered.js";
import { createRandom, type Seed, shuffle } from "./random.js";

/** The tasks that were run, and what history says of all tasks from which they were drawn at random. */
export interface HistoryScores {
  /** The values of the tasks that were run. */
  values: Numbers;
  /** What history predicts for the same tasks; NaN for those that it does not have, which are not adjusted. */
  history: Numbers;
  /** What history predicts for the tasks that were not run. */
  rest: Numbers;
}

/** Options of `adjustByHistory`. */
export interface HistoryOptions {
  level?: number | undefined;
  /** The smallest possible value. Default: 0. Use −1 for differences. */
  lower?: number | undefined;
  /** The largest possible value. Default: 1. */
  upper?: number | undefined;
  /** Default: 5. */
  folds?: number | undefined;
  /** Decides which task is in which fold. Default: 0. */
  seed?: Seed | undefined;
  /** The cluster of each task that was run. Whole clusters were drawn, and share a fold. */
  clusters?: Clusters | undefined;
}

/** A mean that was adjusted for how hard the tasks are that happened to be drawn. */
export interface AdjustedMean extends BoundedEstimate {
  /** Without the adjustment. */
  plain: BoundedEstimate;
  /** 1 − Var(adjusted) / Var(plain), at most 1; null without variances. Negative if history misleads. */
  varianceReduction: number | null;
  /** The mean weight of history over the folds. */
  weight: number;
  n: number;
  /** Of n, those that history has. */
  matched: number;
}

const DEFAULT_FOLDS = 5;

/**
 * Adjusts the mean of the tasks that were run for how hard they are by history, compared with all tasks. History is a
 * control variate: β (h_i − h̄) is subtracted from each value, with β fitted on the other folds. For a fold, h̄ is the mean
 * over all tasks that are not in the other folds, and β is multiplied by their share of all tasks. So, given the other
 * folds, the term has the mean 0 exactly, and the estimate is unbiased whatever history says, while all folds together
 * shift it by β times the difference of run and all tasks. If all tasks were run there is nothing to adjust. Tasks that
 * history does not have keep their values: the others are still a random sample of those that it has.
 * @example
 * adjustByHistory({ values: [1, 0, 1], history: [0.9, 0.2, 0.8], rest: [0.5, 0.1] }).value;
 */
export function adjustByHistory(scores: HistoryScores, options: HistoryOptions = {}): AdjustedMean {
  const { values, history, rest } = scores;
  const { level = DEFAULT_LEVEL, lower = 0, upper = 1, folds = DEFAULT_FOLDS, seed = 0, clusters } = options;
  requireOpenProbability("level", level);
  requireInteger("folds", folds, { low: 2 });
  requireSameLength("values and history", values.length, history.length);
  const n = values.length;
  if (n === 0) throw new RangeError("values must not be empty");
  const names = clusters === undefined ? Array.from({ length: n }, (_, i) => i) : Array.from(clusters);
  requireSameLength("values and clusters", n, names.length);
  const foldOfCluster = assignFolds([...new Set<string | number>(names)], folds, seed);
  const foldOfTask = names.map((name) => foldOfCluster.get(name) ?? 0);
  const known = Array.from(history, (_, i) => i).filter((i) => !Number.isNaN(history[i]));
  const frame = { total: sum(known.map((i) => history[i] ?? 0)) + sum(rest), size: known.length + rest.length };

  const weights = new Float64Array(n);
  let shift = 0;
  for (let fold = 0; fold < folds; fold++) {
    const others = known.filter((i) => foldOfTask[i] !== fold);
    const slope = fitSlope(values, history, others);
    const left = frame.size - others.length;
    const center = (frame.total - others.reduce((total, i) => total + (history[i] ?? 0), 0)) / left;
    for (const i of known) {
      if (foldOfTask[i] !== fold) continue;
      weights[i] = slope;
      shift += ((slope * left) / frame.size) * ((history[i] ?? 0) - center);
    }
  }
  const units = foldOfCluster.size;
  const range = { level, lower, upper };
  const plain = bound(mean(values), computeSe(values, names), { ...range, units });
  const { se, slope } = computeAdjustedSe(scores, names, known);
  const adjusted = bound(mean(values) - shift / n, se, { ...range, units: units - 1 });
  return {
    ...adjusted,
    plain,
    varianceReduction: plain.se === null || se === null || plain.se === 0 ? null : 1 - (se / plain.se) ** 2,
    weight: rest.length === 0 ? slope : mean(known.map((i) => weights[i] ?? 0)),
    n,
    matched: known.length,
  };
}

/** Whole clusters in folds of about the same size. */
function assignFolds(names: readonly (string | number)[], folds: number, seed: Seed): Map<string | number, number> {
  return new Map(shuffle(names, createRandom(seed)).map((name, i) => [name, i % folds]));
}

function fitSlope(values: Numbers, history: Numbers, tasks: readonly number[]): number {
  const y = tasks.map((i) => values[i] ?? 0);
  const h = tasks.map((i) => history[i] ?? 0);
  const [meanY, meanH] = [mean(y), mean(h)];
  const square = sumSquaredDeviations(h, meanH);
  const product = y.reduce((total, value, i) => total + (value - meanY) * ((h[i] ?? 0) - meanH), 0);
  return square > 1e-12 ? product / square : 0;
}

function computeSe(values: Numbers, names: readonly (string | number)[]): number | null {
  const sums = sumByCluster(values, names, mean(values));
  return sums.length < 2
    ? null
    : Math.sqrt((sums.length / (sums.length - 1)) * sumSquaredDeviations(sums, 0)) / values.length;
}

/** The variance of what history leaves, over the tasks that were run, and that of history, over all tasks. */
function computeAdjustedSe(
  { values, history, rest }: HistoryScores,
  names: readonly (string | number)[],
  known: readonly number[],
) {
  const slope = fitSlope(values, history, known);
  const ofKnown = known.map((i) => history[i] ?? 0);
  const center = mean(ofKnown);
  const residuals = Float64Array.from(values);
  for (const i of known) residuals[i] = (values[i] ?? 0) - slope * ((history[i] ?? 0) - center);
  const sums = sumByCluster(residuals, names, mean(residuals));
  const knownNames = known.map((i) => names[i] ?? i);
  const ofHistory = computeSe(ofKnown, knownNames);
  if (sums.length < 3 || ofHistory === null) return { se: null, slope };
  const left = ((sums.length / (sums.length - 2)) * sumSquaredDeviations(sums, 0)) / values.length ** 2;
  // A larger frame divides the variance of the mean of history, which moves only the part of the mean that it has.
  const share = (known.length / (known.length + rest.length)) * (known.length / values.length) ** 2;
  return { se: Math.sqrt(left + slope ** 2 * ofHistory ** 2 * share), slope };
}

/** The values of one stratum, and its share of all tasks. */
export interface Stratum {
  values: Numbers;
  share: number;
}

/** A mean over strata of known shares. */
export interface StratifiedMean extends BoundedEstimate {
  n: number;
}

/**
 * The mean over strata (subjects, languages, difficulties) whose shares of all tasks are known, which need not be those of
 * the tasks that were run: Σ W_s·ȳ_s. Its variance is Σ W_s²·s_s²/n_s, with the pooled s² where a stratum has one value.
 * Null if a stratum has none.
 * @example
 * stratifiedMean([{ values: [1, 1, 0], share: 0.2 }, { values: [0, 0, 1, 0], share: 0.8 }]);
 */
export function stratifiedMean(
  strata: readonly Stratum[],
  options: Pick<HistoryOptions, "level" | "lower" | "upper"> = {},
): StratifiedMean | null {
  const { level = DEFAULT_LEVEL, lower = 0, upper = 1 } = options;
  requireOpenProbability("level", level);
  for (const { share } of strata)
    if (!(share >= 0 && share <= 1)) throw new RangeError(`share must be between 0 and 1, got ${share}`);
  const total = strata.reduce((shares, { share }) => shares + share, 0);
  if (Math.abs(total - 1) > 1e-6) throw new RangeError(`shares must add up to 1, got ${total}`);
  const used = strata.filter(({ share }) => share > 0);
  if (used.some(({ values }) => values.length === 0)) return null;

  const parts = used.map(({ values, share }) => {
    const center = mean(values);
    return { share, center, n: values.length, spread: sumSquaredDeviations(values, center) };
  });
  const value = parts.reduce((all, { share, center }) => all + share * center, 0);
  const n = parts.reduce((all, part) => all + part.n, 0);
  const df = n - parts.length;
  if (df < 1) return { value, se: null, ...NO_INTERVAL, n };
  const pooled = parts.reduce((all, { spread }) => all + spread, 0) / df;
  const variances = parts.map((part) => {
    const variance = part.n < 2 ? pooled : part.spread / (part.n - 1);
    return { variance: (part.share ** 2 * variance) / part.n, df: Math.max(1, part.n - 1) };
  });
  const variance = variances.reduce((all, each) => all + each.variance, 0);
  // Satterthwaite's degrees of freedom.
  const squares = variances.reduce((all, each) => all + each.variance ** 2 / each.df, 0);
  const units = squares > 0 ? Math.min(df, variance ** 2 / squares) + 1 : df + 1;
  return { ...bound(value, Math.sqrt(variance), { level, lower, upper, units }), n };
}
