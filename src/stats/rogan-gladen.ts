import {
  normalQuantile,
  requireInteger,
  requireOpenProbability,
  requirePositive,
  requireProbability,
} from "./distributions.js";
import { DEFAULT_LEVEL, NO_INTERVAL, type OpenInterval } from "./intervals.js";

/** What a judge said, and how it did on a labeled set of its own. */
export interface JudgedRate {
  /** The share that the judge passed. */
  rate: number;
  /** The number of independent trials behind it, which need not be whole. */
  n: number;
  /** Labeled passes, and those of them that the judge passed. */
  passes: number;
  truePasses: number;
  /** Labeled fails, and those of them that the judge failed. */
  fails: number;
  trueFails: number;
}

/** A pass rate corrected for the mistakes of a judge. */
export interface CorrectedRate extends OpenInterval {
  /** Null if the judge says too little. */
  value: number | null;
  se: number | null;
  /** The share of labeled passes that the judge passed; null without any. */
  sensitivity: number | null;
  /** The share of labeled fails that the judge failed; null without any. */
  specificity: number | null;
}

/** A judge of which sensitivity and specificity add up to no more than this is hardly better than a coin. */
const MIN_INFORMATION = 1.05;

/**
 * Corrects the pass rate of a judge with labels from another set: Rogan and Gladen's estimate. The interval counts the
 * uncertainty of the rate, of the sensitivity and of the specificity; it is Lang and Reiczigel's (2014), which adds a few
 * imaginary observations to each and so covers well near 0 and 1, where the delta method does not.
 * @example
 * correctJudgedRate({ rate: 0.84, n: 500, passes: 60, truePasses: 57, fails: 40, trueFails: 32 });
 */
export function correctJudgedRate(judged: JudgedRate, level: number = DEFAULT_LEVEL): CorrectedRate {
  const { rate, n, passes, truePasses, fails, trueFails } = judged;
  requireProbability("rate", rate);
  requirePositive("n", n);
  requireInteger("passes", passes, { low: 0 });
  requireInteger("truePasses", truePasses, { low: 0, high: passes });
  requireInteger("fails", fails, { low: 0 });
  requireInteger("trueFails", trueFails, { low: 0, high: fails });
  requireOpenProbability("level", level);
  const sensitivity = passes === 0 ? null : truePasses / passes;
  const specificity = fails === 0 ? null : trueFails / fails;
  if (sensitivity === null || specificity === null || sensitivity + specificity <= MIN_INFORMATION)
    return { value: null, se: null, ...NO_INTERVAL, sensitivity, specificity };

  const value = clampRate((rate + specificity - 1) / (sensitivity + specificity - 1));
  const z = normalQuantile((1 + level) / 2);
  const adjusted = {
    rate: (n * rate + z ** 2 / 2) / (n + z ** 2),
    sensitivity: (truePasses + 1) / (passes + 2),
    specificity: (trueFails + 1) / (fails + 2),
  };
  const information = adjusted.sensitivity + adjusted.specificity - 1;
  const center = (adjusted.rate + adjusted.specificity - 1) / information;
  const fromSensitivity = (adjusted.sensitivity * (1 - adjusted.sensitivity)) / (passes + 2);
  const fromSpecificity = (adjusted.specificity * (1 - adjusted.specificity)) / (fails + 2);
  const fromRate = (adjusted.rate * (1 - adjusted.rate)) / (n + z ** 2);
  const se =
    Math.sqrt(fromRate + center ** 2 * fromSensitivity + (1 - center) ** 2 * fromSpecificity) / Math.abs(information);
  const shift = 2 * z ** 2 * (center * fromSensitivity - (1 - center) * fromSpecificity);
  return {
    value,
    se,
    low: Math.min(value, clampRate(center + shift - z * se)),
    high: Math.max(value, clampRate(center + shift + z * se)),
    sensitivity,
    specificity,
  };
}

function clampRate(rate: number): number {
  return Math.min(1, Math.max(0, rate));
}
