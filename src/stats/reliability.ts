import { type BootstrapInterval, bootstrapInterval } from "./bootstrap.js";
import { requireProbability } from "./distributions.js";
import { type MeanIntervalOptions, type OpenInterval, scoreInterval } from "./intervals.js";
import { computeDisagreement, type ResponseCell } from "./item-response.js";
import { type Clusters, mean, type Numbers, sumSquaredDeviations } from "./mean.js";
import { type PairedRatio, pairedRatio } from "./paired-ratio.js";
import type { Seed } from "./random.js";

/** A figure in [0, 1] with its interval over tasks; null without tasks that count. */
export interface ReliabilityFigure extends OpenInterval {
  value: number | null;
  /** The number of tasks that count. */
  n: number;
}

/** How alike the outcomes of repeated trials are. */
export interface OutcomeConsistency extends ReliabilityFigure {
  /** The chance that two trials of a task have the same outcome. */
  agreement: ReliabilityFigure;
}

/** Options of figures over tasks. */
export type ReliabilityOptions = MeanIntervalOptions;

function pickClusters(clusters: Clusters | undefined, kept: readonly number[]): { clusters?: (string | number)[] } {
  return clusters === undefined ? {} : { clusters: kept.map((i) => clusters[i] ?? "") };
}

function summarize(values: readonly number[], kept: readonly number[], options: ReliabilityOptions): ReliabilityFigure {
  const { mean: value, low, high, n } = scoreInterval(values, { ...options, ...pickClusters(options.clusters, kept) });
  return { value: n === 0 ? null : value, low, high, n };
}

/**
 * Outcome consistency: the mean over tasks of 1 − 4·p(1 − p) = (2p − 1)², where p is the task's pass rate. 1: every task
 * always passes or always fails; 0: every task is a coin. arXiv 2602.16666 inserts the observed rate for p, which is too
 * high with few trials (0.5 for two trials of a coin); this is 2·agreement − 1, from the unbiased chance that two
 * trials agree. Tasks with one trial do not count.
 * @example
 * outcomeConsistency([{ passes: 5, trials: 5 }, { passes: 3, trials: 5 }]).value; // 0.4
 */
export function outcomeConsistency(
  tasks: readonly ResponseCell[],
  options: ReliabilityOptions = {},
): OutcomeConsistency {
  const kept = tasks.flatMap((task, i) => (task.trials >= 2 ? [i] : []));
  const agreements = tasks.filter(({ trials }) => trials >= 2).map((task) => 1 - computeDisagreement(task));
  const agreement = summarize(agreements, kept, options);
  const scale = (share: number | null) => (share === null ? null : 2 * share - 1);
  return {
    value: scale(agreement.value),
    low: scale(agreement.low),
    high: scale(agreement.high),
    n: agreement.n,
    agreement,
  };
}

/** How much the use of a resource varies between trials of a task. */
export interface ResourceConsistency extends ReliabilityFigure {
  /** The mean coefficient of variation (standard deviation over mean) of the tasks. */
  variation: number | null;
}

/**
 * Resource consistency of costs, tokens or times: the mean over tasks of exp(−CV), where CV is the coefficient of
 * variation of the task's trials (arXiv 2602.16666). 1: every trial of a task costs the same. Tasks with one trial, or
 * that cost nothing, do not count.
 * @example
 * resourceConsistency([[0.02, 0.02, 0.02], [0.01, 0.03, 0.02]]);
 */
export function resourceConsistency(
  tasks: readonly (readonly number[])[],
  options: ReliabilityOptions = {},
): ResourceConsistency {
  const variations = tasks.map((values) => {
    for (const value of values)
      if (!(value >= 0 && value < Number.POSITIVE_INFINITY))
        throw new RangeError(`amounts must be finite and not negative, got ${value}`);
    const center = mean(values);
    if (values.length < 2 || center === 0) return null;
    return Math.sqrt(sumSquaredDeviations(values, center) / (values.length - 1)) / center;
  });
  const kept = variations.flatMap((variation, i) => (variation === null ? [] : [i]));
  const counted = variations.filter((variation) => variation !== null);
  const scores = counted.map((variation) => Math.exp(-variation));
  return { ...summarize(scores, kept, options), variation: counted.length === 0 ? null : mean(counted) };
}

/** The pass rate under a fault or another wording, as a share of the usual one. */
export interface Robustness extends PairedRatio {
  /** The ratio, at most 1, as arXiv 2602.16666 defines robustness; null without passes in usual conditions. */
  score: number | null;
}

/**
 * Robustness: the pass rate under faults (or with other wording) over the usual pass rate, on the same tasks, with the
 * paired interval of `pairedRatio`. The ratio itself may exceed 1.
 * @example
 * robustnessRatio({ usual: [1, 1, 0.5], perturbed: [1, 0.5, 0.5] }).ratio; // 0.8
 */
export function robustnessRatio(
  taskMeans: { usual: Numbers; perturbed: Numbers },
  options: ReliabilityOptions = {},
): Robustness {
  const { usual, perturbed } = taskMeans;
  const found = pairedRatio(perturbed, usual, options);
  return { ...found, score: found.ratio === null ? null : Math.min(1, found.ratio) };
}

/** One trial with the confidence that the system stated. */
export interface ConfidentTrial {
  /** Trials of one task belong together. */
  task: string | number;
  /** The stated chance of passing, in [0, 1]. */
  confidence: number;
  passed: boolean;
}

/** Options of `calibrationFigures`. */
export interface CalibrationOptions {
  level?: number | undefined;
  seed?: Seed | undefined;
  /** The number of equally wide ranges of confidence. Default: 10. */
  bins?: number | undefined;
  /** Default: 1000. */
  resamples?: number | undefined;
}

/** How well stated confidence fits what happened, with bootstrap intervals over tasks. */
export interface Calibration {
  /** The mean squared distance of confidence from outcome; 0 is perfect, 0.25 is always saying 0.5. */
  brier: ReliabilityFigure;
  /** The expected calibration error: the mean distance of confidence and pass rate over ranges of confidence. */
  ece: ReliabilityFigure;
  /** The chance that a trial that passed has more confidence than one that failed; null if all passed or all failed. */
  discrimination: ReliabilityFigure;
  bins: { low: number; high: number; n: number; confidence: number; passRate: number }[];
}

const DEFAULT_BINS = 10;
const DEFAULT_RESAMPLES = 1000;

/**
 * Brier score, expected calibration error and discrimination (AUROC) of stated confidence. The calibration error of a
 * sample is too high, because chance alone moves pass rates away from confidence, and that of a resample is too high
 * twice; so its interval is the reflected (basic) one, which corrects for that. The others have percentile intervals.
 * @example
 * calibrationFigures([{ task: "a", confidence: 0.9, passed: true }, { task: "b", confidence: 0.6, passed: false }]);
 */
export function calibrationFigures(trials: readonly ConfidentTrial[], options: CalibrationOptions = {}): Calibration {
  const { level, seed = 0, bins = DEFAULT_BINS, resamples = DEFAULT_RESAMPLES } = options;
  for (const { confidence } of trials) requireProbability("confidence", confidence);
  const byTask = new Map<string | number, ConfidentTrial[]>();
  for (const trial of trials) {
    const own = byTask.get(trial.task);
    if (own === undefined) byTask.set(trial.task, [trial]);
    else own.push(trial);
  }
  const tasks = [...byTask.values()];
  const resample = (figure: (sample: readonly ConfidentTrial[]) => number | null) =>
    bootstrapInterval(tasks, (sample) => figure(sample.flat()) ?? Number.NaN, { level, seed, resamples });
  const describe = (value: number | null, { low, high }: BootstrapInterval): ReliabilityFigure => ({
    value,
    low: value === null || low === null ? null : Math.min(low, value),
    high: value === null || high === null ? null : Math.max(high, value),
    n: tasks.length,
  });
  const isEmpty = trials.length === 0;
  const ece = isEmpty ? null : computeCalibrationError(trials, bins);
  return {
    brier: describe(isEmpty ? null : computeBrier(trials), resample(computeBrier)),
    ece: describe(
      ece,
      reflect(
        ece,
        resample((sample) => computeCalibrationError(sample, bins)),
      ),
    ),
    discrimination: describe(computeDiscrimination(trials), resample(computeDiscrimination)),
    bins: fillBins(trials, bins),
  };
}

function computeBrier(trials: readonly ConfidentTrial[]): number {
  return mean(trials.map(({ confidence, passed }) => (confidence - Number(passed)) ** 2));
}

/** 2·value − bound, which is a distance and so not below 0. */
function reflect(value: number | null, found: BootstrapInterval): BootstrapInterval {
  if (value === null || found.low === null || found.high === null) return found;
  return { ...found, low: Math.max(0, 2 * value - found.high), high: Math.max(0, 2 * value - found.low) };
}

function fillBins(trials: readonly ConfidentTrial[], bins: number): Calibration["bins"] {
  const filled = Array.from({ length: bins }, () => ({ n: 0, confidence: 0, passes: 0 }));
  for (const { confidence, passed } of trials) {
    const bin = filled[Math.min(bins - 1, Math.floor(confidence * bins))];
    if (bin === undefined) continue;
    bin.n++;
    bin.confidence += confidence;
    bin.passes += Number(passed);
  }
  return filled.flatMap(({ n, confidence, passes }, i) =>
    n === 0 ? [] : [{ low: i / bins, high: (i + 1) / bins, n, confidence: confidence / n, passRate: passes / n }],
  );
}

function computeCalibrationError(trials: readonly ConfidentTrial[], bins: number): number {
  return fillBins(trials, bins).reduce(
    (sum, { n, confidence, passRate }) => sum + (n / trials.length) * Math.abs(confidence - passRate),
    0,
  );
}

/** The Mann–Whitney statistic over ranks; ties count half. */
function computeDiscrimination(trials: readonly ConfidentTrial[]): number | null {
  const sorted = trials.toSorted((x, y) => x.confidence - y.confidence);
  const passes = trials.filter(({ passed }) => passed).length;
  const fails = trials.length - passes;
  if (passes === 0 || fails === 0) return null;
  let [wins, failsBelow] = [0, 0];
  for (let start = 0; start < sorted.length; ) {
    let [end, tiedPasses, tiedFails] = [start, 0, 0];
    while (end < sorted.length && sorted[end]?.confidence === sorted[start]?.confidence) {
      if (sorted[end]?.passed) tiedPasses++;
      else tiedFails++;
      end++;
    }
    wins += tiedPasses * (failsBelow + tiedFails / 2);
    failsBelow += tiedFails;
    start = end;
  }
  return wins / (passes * fails);
}
