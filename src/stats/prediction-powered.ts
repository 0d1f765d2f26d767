import { normalQuantile, requireOpenProbability, requirePositive, requireSameLength } from "./distributions.js";
import { computeRateBounds, DEFAULT_LEVEL, type OpenInterval } from "./intervals.js";
import { type Clusters, mean, type Numbers, sum, sumByCluster, sumSquaredDeviations } from "./mean.js";

/** Labels of some units, and what a judge gave for all of them. */
export interface LabeledScores {
  /** What people gave, for the labeled units. */
  labels: Numbers;
  /** What the judge gave for the same units. */
  judged: Numbers;
  /** What the judge gave for all other units. */
  unlabeled: Numbers;
}

/** Options of `predictionPoweredMean`. */
export interface PredictionPoweredOptions {
  level?: number | undefined;
  /** The weight of the judge, from 0 (labels alone) to 1. Default: the one that makes the interval narrowest. */
  lambda?: number | undefined;
  /** The smallest possible label. Default: 0. Use −1 for differences of two systems. */
  lower?: number | undefined;
  /** The largest possible label. Default: 1. */
  upper?: number | undefined;
  /** The cluster of each unit; units of one cluster are not independent. */
  clusters?: { labeled: Clusters; unlabeled: Clusters } | undefined;
  /**
   * The chance with which each labeled unit was chosen for labeling, if they were not all equal. A unit that was unlikely
   * to be chosen counts more.
   */
  chances?: Numbers | undefined;
}

/** A mean with its standard error and interval, which stays within the range of the values. */
export interface BoundedEstimate extends OpenInterval {
  value: number;
  /** Null if there are too few independent units. */
  se: number | null;
}

/** A mean of labels, estimated with the help of a judge. */
export interface PredictionPoweredMean extends BoundedEstimate {
  /** The weight of the judge. */
  lambda: number;
  labels: number;
  unlabeled: number;
  /** The number of clusters that have labels, if clusters were given. */
  clusters?: number;
  /** The mean of the judge over all units: wrong if the judge is. */
  judgeAlone: number;
  /** What the labels say without the judge. */
  labelsAlone: BoundedEstimate;
  /** The number of labels that would do as well without the judge; null without standard errors. */
  effectiveLabels: number | null;
}

/**
 * Estimates the mean of what people would say from few labels and many judge scores: prediction-powered inference with
 * power tuning (PPI++, Angelopoulos, Duchi and Zrnic 2023). It is right however bad the judge is; a good judge makes the
 * interval narrower. The interval is Wilson's at the number of pass/fail trials that would have the same standard error,
 * because the plain t interval of few labels covers too little near 0 and 1.
 * @example
 * predictionPoweredMean({ labels: [1, 0, 1], judged: [1, 1, 1], unlabeled: [1, 1, 0, 1, 1] });
 */
export function predictionPoweredMean(
  scores: LabeledScores,
  options: PredictionPoweredOptions = {},
): PredictionPoweredMean {
  const { labels, judged, unlabeled } = scores;
  const { level = DEFAULT_LEVEL, lower = 0, upper = 1, clusters } = options;
  requireOpenProbability("level", level);
  checkScores(scores, options);
  const weights = normalizeWeights(labels.length, options.chances);
  const influence = computeInfluence(scores, weights, clusters);
  const all = labels.length + unlabeled.length;
  const toPlain = all === 0 ? 0 : unlabeled.length / all;
  const lambda = options.lambda ?? Math.min(1, toPlain * influence.slope);
  // The plain PPI++ estimate uses the judge's mean of the other units only. With the mean over all units, which unequal
  // chances require, the same estimate has this larger weight.
  const slope = toPlain === 0 ? 0 : lambda / toPlain;
  const units = influence.units;
  const range = { lower, upper, level };
  const correction = influence.judgeMean - weightedMean(judged, weights);
  const labelMean = weightedMean(labels, weights);
  const isTuned = options.lambda === undefined && slope > 0;
  const powered = bound(labelMean + slope * correction, influence.computeSe(slope, isTuned ? 2 : 1), {
    ...range,
    units: isTuned ? units - 1 : units,
  });
  const labelsAlone = bound(labelMean, influence.computeSe(0, 1), { ...range, units });
  return {
    ...powered,
    lambda,
    labels: labels.length,
    unlabeled: unlabeled.length,
    ...(clusters === undefined ? {} : { clusters: units }),
    judgeAlone: influence.judgeMean,
    labelsAlone,
    effectiveLabels:
      powered.se === null || labelsAlone.se === null || powered.se === 0
        ? null
        : labels.length * (labelsAlone.se / powered.se) ** 2,
  };
}

function checkScores(scores: LabeledScores, options: PredictionPoweredOptions): void {
  const { labels, judged, unlabeled } = scores;
  const { lower = 0, upper = 1, lambda, clusters, chances } = options;
  requireSameLength("labels and judged", labels.length, judged.length);
  if (labels.length === 0) throw new RangeError("labels must not be empty");
  for (const label of labels)
    if (!(label >= lower && label <= upper))
      throw new RangeError(`labels must be between ${lower} and ${upper}, got ${label}`);
  if (lambda !== undefined && !(lambda >= 0 && lambda <= 1))
    throw new RangeError(`lambda must be between 0 and 1, got ${lambda}`);
  if (clusters !== undefined) {
    requireSameLength("labels and clusters.labeled", labels.length, clusters.labeled.length);
    requireSameLength("unlabeled and clusters.unlabeled", unlabeled.length, clusters.unlabeled.length);
  }
  if (chances === undefined) return;
  requireSameLength("labels and chances", labels.length, chances.length);
  for (const chance of chances)
    if (!(chance > 0 && chance <= 1)) throw new RangeError(`chances must be above 0 and at most 1, got ${chance}`);
}

/** Inverse chances that add up to 1. */
function normalizeWeights(n: number, chances: Numbers | undefined): Float64Array {
  const weights = Float64Array.from({ length: n }, (_, i) => 1 / (chances?.[i] ?? 1));
  const total = sum(weights);
  return weights.map((weight) => weight / total);
}

function weightedMean(values: Numbers, weights: Float64Array): number {
  let total = 0;
  for (let i = 0; i < values.length; i++) total += (values[i] ?? 0) * (weights[i] ?? 0);
  return total;
}

/** A judge that always gives the same has no variance but that of rounding. */
const ROUNDING = 1e-24;

interface Influence {
  /** The judge's mean over all units. */
  judgeMean: number;
  /** The multiple of the judge's correction that leaves the least variance, at least 0. */
  slope: number;
  /** Independent units that have labels. */
  units: number;
  /** `estimated` is the number of figures that were estimated from the labels. */
  computeSe: (slope: number, estimated: number) => number | null;
}

/** How much each unit, or cluster of units, moves the mean of the labels and the judge's correction. */
function computeInfluence(
  { labels, judged, unlabeled }: LabeledScores,
  weights: Float64Array,
  clusters: PredictionPoweredOptions["clusters"],
): Influence {
  const n = labels.length;
  const all = n + unlabeled.length;
  const judgeMean = mean([...judged, ...unlabeled]);
  const labelMean = weightedMean(labels, weights);
  const judgedMean = weightedMean(judged, weights);
  const ofLabels = new Float64Array(all);
  const ofJudge = new Float64Array(all);
  for (let i = 0; i < all; i++) {
    const score = (i < n ? judged[i] : unlabeled[i - n]) ?? 0;
    ofJudge[i] = -(score - judgeMean) / all;
    if (i >= n) continue;
    const weight = weights[i] ?? 0;
    ofLabels[i] = weight * ((labels[i] ?? 0) - labelMean);
    ofJudge[i] = (ofJudge[i] ?? 0) + weight * (score - judgedMean);
  }
  const names = clusters && [...Array.from(clusters.labeled), ...Array.from(clusters.unlabeled)];
  const [y, h] = names ? [sumByCluster(ofLabels, names), sumByCluster(ofJudge, names)] : [ofLabels, ofJudge];
  // A good judge is off so rarely that few labels may show no case of it. One imaginary case more keeps the variance from
  // being far too small; like all of the judge, it has the weight of the judge.
  const isPassFail = labels.every((label) => Number.isInteger(label));
  const units = clusters ? new Set(Array.from(clusters.labeled)).size : n;
  let [product, square] = [0, 0];
  for (let i = 0; i < y.length; i++) {
    product += (y[i] ?? 0) * (h[i] ?? 0);
    square += (h[i] ?? 0) ** 2;
  }
  return {
    judgeMean,
    slope: square > ROUNDING ? Math.max(0, product / square) : 0,
    units,
    computeSe: (slope, estimated) => {
      if (units <= estimated) return null;
      const rest = y.map((value, i) => value - slope * (h[i] ?? 0));
      const squares = sumSquaredDeviations(rest, 0) + (isPassFail ? (slope / n) ** 2 : 0);
      return Math.sqrt((units / (units - estimated)) * squares);
    },
  };
}

interface BoundOptions {
  lower: number;
  upper: number;
  level: number;
  /** The degrees of freedom plus one. */
  units: number;
}

/** Wilson's interval on the scale of the values, around a value that is kept within their range. */
export function bound(
  estimate: number,
  se: number | null,
  { lower, upper, level, units }: BoundOptions,
): BoundedEstimate {
  const value = Math.min(upper, Math.max(lower, estimate));
  const range = upper - lower;
  const rate = (value - lower) / range;
  const found = computeRateBounds({
    rate,
    se: se === null ? null : se / range,
    tasks: units,
    trials: Number.POSITIVE_INFINITY,
    level,
  });
  const scale = (share: number | null) => (share === null ? null : lower + share * range);
  const [low, high] = [scale(found.low), scale(found.high)];
  // Rounding must not move a bound past the value.
  return {
    value,
    se,
    low: low === null ? null : Math.min(low, value),
    high: high === null ? null : Math.max(high, value),
  };
}

/** What is known before more units are labeled. */
export interface LabelDesign {
  /** Labels so far, and the judge's scores of the same units. */
  labels: Numbers;
  judged: Numbers;
  /** The number of all units that the judge scored. */
  units: number;
  /** The half-width that is wanted. */
  halfWidth: number;
  level?: number | undefined;
}

/**
 * The number of labels that give the wanted half-width, if labels and judge go on as they do:
 * z²·σ²(1 − ρ²) / (w² − z²·σ²ρ²/M). Infinity if labels of all M units do not suffice; null below three labels.
 * @example
 * requiredLabels({ labels, judged, units: 2000, halfWidth: 0.03 }); // 310
 */
export function requiredLabels(design: LabelDesign): number | null {
  const { labels, judged, units, halfWidth, level = DEFAULT_LEVEL } = design;
  requireSameLength("labels and judged", labels.length, judged.length);
  requirePositive("units", units);
  requirePositive("halfWidth", halfWidth);
  requireOpenProbability("level", level);
  const n = labels.length;
  if (n < 3) return null;
  const [labelMean, judgedMean] = [mean(labels), mean(judged)];
  const variance = sumSquaredDeviations(labels, labelMean) / (n - 1);
  let product = 0;
  for (let i = 0; i < n; i++) product += ((labels[i] ?? 0) - labelMean) * ((judged[i] ?? 0) - judgedMean);
  const judgeVariance = sumSquaredDeviations(judged, judgedMean) / (n - 1);
  const explained = judgeVariance > 0 && product > 0 ? (product / (n - 1)) ** 2 / judgeVariance : 0;
  const z2 = normalQuantile((1 + level) / 2) ** 2;
  const room = halfWidth ** 2 - (z2 * explained) / units;
  const wanted = room > 0 ? Math.ceil((z2 * (variance - explained)) / room) : Number.POSITIVE_INFINITY;
  return wanted > units ? Number.POSITIVE_INFINITY : Math.max(1, wanted);
}

/** The share of labels that are spread evenly, whatever is expected, so that no unit is left out. */
const EVEN_SHARE = 0.5;

/**
 * The chances with which to choose units for labeling so that about n are chosen: in proportion to how far the judge is
 * expected to be off (Zrnic and Candès 2024), and half of them evenly.
 * @example
 * planLabelChances([0.1, 0.1, 0.4], 1); // more for the third
 */
export function planLabelChances(expectedErrors: Numbers, n: number): number[] {
  const units = expectedErrors.length;
  if (!(n > 0 && n <= units)) throw new RangeError(`n must be above 0 and at most ${units}, got ${n}`);
  for (const error of expectedErrors)
    if (!(error >= 0)) throw new RangeError(`expectedErrors must not be negative, got ${error}`);
  const total = sum(expectedErrors);
  const shares = Array.from(
    expectedErrors,
    (error) => EVEN_SHARE / units + (1 - EVEN_SHARE) * (total > 0 ? error / total : 1 / units),
  );
  // Chances above 1 are cut, and what is cut is shared among the others.
  let chances = shares.map(() => 0);
  for (let certain = -1, count = 0; certain !== count; ) {
    certain = count;
    const rest = shares.reduce((left, share, i) => ((chances[i] ?? 0) >= 1 ? left : left + share), 0);
    const scale = rest > 0 ? (n - certain) / rest : 0;
    chances = shares.map((share, i) => ((chances[i] ?? 0) >= 1 ? 1 : Math.min(1, share * scale)));
    count = chances.filter((chance) => chance >= 1).length;
  }
  return chances;
}
