import { ConfidenceSequence, MeanTest, type ObservationOptions } from "./confidence-sequence.js";
import {
  incompleteBeta,
  normalQuantile,
  requireInteger,
  requireOpenProbability,
  requireSameLength,
  studentQuantile,
} from "./distributions.js";
import { type Interval, meanInterval } from "./intervals.js";
import { mean } from "./mean.js";
import { nonInferiorityTest } from "./non-inferiority.js";
import { holm, mcnemarMidP, pairedDifference } from "./paired.js";

/**
 * Holm-corrected e-values, in the given order: reject those of at least 1/α. The e-values may depend on each other, and
 * each may be the largest so far of an e-process.
 * @example
 * holmByEValues([90, 30, 25]); // [30, 15, 15]
 */
export function holmByEValues(eValues: readonly number[]): number[] {
  for (const e of eValues) if (!(e >= 0)) throw new RangeError(`eValues must not be negative, got ${e}`);
  const descending = eValues.map((e, index) => ({ e, index })).sort((x, y) => y.e - x.e);
  const adjusted = eValues.slice();
  let ceiling = Number.POSITIVE_INFINITY;
  descending.forEach(({ e, index }, rank) => {
    ceiling = Math.min(ceiling, e / (eValues.length - rank));
    adjusted[index] = ceiling;
  });
  return adjusted;
}

/**
 * What is asked of a stream of units (tasks, or groups of tasks).
 * - `difference`: is the mean paired difference, candidate − baseline, above or below 0?
 * - `non-inferiority`: is it above −margin or not?
 * - `mean`: does the mean of one system reach the threshold or not?
 * - `precision`: is the interval of the mean at most `halfWidth` to each side of its middle?
 */
export type SequentialQuestion =
  | { kind: "difference" }
  | { kind: "non-inferiority"; margin: number }
  | { kind: "mean"; threshold: number }
  | { kind: "precision"; halfWidth: number };

/** The answer to a question. */
export type SequentialVerdict = "better" | "worse" | "non-inferior" | "inferior" | "reached" | "missed" | "precise";

/** Options of `SequentialTest`. */
export interface SequentialOptions extends ObservationOptions {
  question: SequentialQuestion;
  /** The number of units there are at most. Bets are sized for it, and the last test is made when all are done. */
  horizon: number;
  /** Systems that are compared with the same baseline, or asked the same question. Default: 1. */
  candidates?: number | undefined;
  /** The chance of a wrong verdict. Default: 0.05. */
  alpha?: number | undefined;
}

/** What was decided about one candidate. */
export interface SequentialDecision {
  verdict: SequentialVerdict | null;
  /** The number of units of this candidate when it was decided. */
  decidedAt: number | null;
  /** True if the test of all units decided, not the sequence. */
  isFinal: boolean;
  /** The number of units so far. */
  count: number;
}

/** What is known of one candidate. */
export interface SequentialResult extends SequentialDecision {
  mean: number;
  /** Holds at every time at once, with a chance of at least `level`. */
  interval: Interval;
  level: number;
  /** The largest e-values so far for "the mean is above" and "below" the value in question; 1 if there is none. */
  eAbove: number;
  eBelow: number;
}

/** How the chance of a wrong verdict is spent. */
interface ErrorBudget {
  /** Of each of the two verdicts, for looking after every unit. */
  looking: number;
  /** Of each of the two verdicts, for the test of all units. */
  final: number;
}

/**
 * Two verdicts that can both be wrong (a difference of 0 is neither better nor worse) share alpha. If exactly one is
 * wrong, each has all of it. Half is for looking early and half for the test of all units; without that test, looking
 * has it all.
 */
function splitAlpha(kind: SequentialQuestion["kind"], alpha: number, hasFinalTest: boolean): ErrorBudget {
  const each = kind === "difference" || kind === "precision" ? alpha / 2 : alpha;
  return hasFinalTest ? { looking: each / 2, final: each / 2 } : { looking: each, final: 0 };
}

const VERDICTS = {
  difference: ["better", "worse"],
  "non-inferiority": ["non-inferior", "inferior"],
  mean: ["reached", "missed"],
} as const;

/** The mean in question; null if only precision is asked for. */
function getCriticalMean(question: SequentialQuestion): number | null {
  if (question.kind === "difference") return 0;
  if (question.kind === "non-inferiority") return -question.margin;
  return question.kind === "mean" ? question.threshold : null;
}

/**
 * Decides about one or several candidates after every unit, as often as one likes, and once more with a fixed-sample test
 * when all units are done.
 *
 * Guarantee: for each of the two possible verdicts, the chance that any candidate gets it wrongly is at most the alpha of
 * that verdict, see `splitAlpha`. Looking is covered by Ville's inequality and e-Holm, as follows. Let I be the candidates
 * for which the verdict is wrong. The mean of their e-values is an e-process, so it ever reaches 1/α with a chance of at
 * most α. The first of I to be called needs an e-value of at least (k − i + 1)/α after i − 1 right calls, and I has at
 * most k − i + 1 members, so that mean has then reached 1/α. The final test is Holm's over the candidates that are left:
 * all of I among them, unless looking was wrong, so the two chances add up.
 *
 * The last test is McNemar's mid-p test for pass/fail units and the sign-flip test for others, Tango's or paired t for
 * non-inferiority, and Clopper–Pearson at the effective number of trials for a mean. With `populationSize` there is none:
 * when all units are done, the mean is known.
 * @example
 * const test = new SequentialTest({ question: { kind: "difference" }, horizon: 200 });
 * for (const difference of differences) {
 *   test.add([difference]);
 *   if (test.isDecided) break;
 * }
 * if (!test.isDecided) test.finish();
 * test.results[0].verdict; // "better"
 */
export class SequentialTest {
  readonly question: SequentialQuestion;
  readonly alpha: number;
  readonly #budget: ErrorBudget;
  readonly #candidates: Candidate[];

  constructor(options: SequentialOptions) {
    const { question, candidates = 1, alpha = 0.05, populationSize } = options;
    requireOpenProbability("alpha", alpha);
    requireInteger("candidates", candidates, { low: 1 });
    if (question.kind === "non-inferiority") requireOpenProbability("margin", question.margin);
    const isDifference = question.kind === "difference" || question.kind === "non-inferiority";
    const { lower = isDifference ? -1 : 0, upper = 1 } = options;
    if (question.kind === "mean" && !(question.threshold > lower && question.threshold < upper))
      throw new RangeError(`threshold must be strictly between ${lower} and ${upper}, got ${question.threshold}`);
    this.question = question;
    this.alpha = alpha;
    this.#budget = splitAlpha(question.kind, alpha, populationSize === undefined && question.kind !== "precision");
    this.#candidates = Array.from(
      { length: candidates },
      () => new Candidate({ ...options, lower, upper }, getCriticalMean(question), 2 * this.#budget.looking),
    );
  }

  /** The values of the next unit, one of each candidate. Null for a candidate that was not run. */
  add(values: readonly (number | null)[]): void {
    requireSameLength("values and candidates", values.length, this.#candidates.length);
    this.#candidates.forEach((candidate, i) => {
      const value = values[i] ?? null;
      if (value !== null) candidate.add(value);
    });
    this.#look();
  }

  #look(): void {
    const { question } = this;
    if (question.kind === "precision") {
      for (const candidate of this.#candidates) {
        const { low, high } = candidate.interval;
        if ((high - low) / 2 <= question.halfWidth) candidate.decide("precise", false);
      }
      return;
    }
    const [above, below] = VERDICTS[question.kind];
    this.#decideByEValues(above, (test) => test.maxAbove);
    this.#decideByEValues(below, (test) => test.maxBelow);
  }

  #decideByEValues(verdict: SequentialVerdict, getEValue: (test: MeanTest) => number): void {
    const threshold = 1 / this.#budget.looking;
    const eValues = this.#candidates.map(({ test }) => (test === null ? 1 : getEValue(test)));
    // The correction only lowers e-values, and after most units none is large enough without it.
    if (!this.#candidates.some(({ verdict: own }, i) => own === null && (eValues[i] ?? 0) >= threshold)) return;
    const adjusted = holmByEValues(eValues);
    this.#candidates.forEach((candidate, i) => {
      if ((adjusted[i] ?? 0) >= threshold) candidate.decide(verdict, false);
    });
  }

  /** Makes the final test of the candidates that are undecided. Call it once, when all units are done. */
  finish(): void {
    const { question } = this;
    if (question.kind === "precision") return;
    const left = this.#candidates.filter(({ verdict }) => verdict === null);
    const tests = left.map((candidate) => candidate.runFinalTest(question));
    const [above, below] = VERDICTS[question.kind];
    const adjusted = { above: holm(tests.map((p) => p.above)), below: holm(tests.map((p) => p.below)) };
    // Without a final test, p-values are 0 or 1.
    left.forEach((candidate, i) => {
      if ((adjusted.above[i] ?? 1) <= this.#budget.final) candidate.decide(above, true);
      if ((adjusted.below[i] ?? 1) <= this.#budget.final) candidate.decide(below, true);
    });
  }

  /** True if every candidate is decided. */
  get isDecided(): boolean {
    return this.#candidates.every(({ verdict }) => verdict !== null);
  }

  /** What was decided about each candidate, without intervals, which take longer. */
  get decisions(): SequentialDecision[] {
    return this.#candidates.map(({ verdict, decidedAt, isFinal, count }) => ({ verdict, decidedAt, isFinal, count }));
  }

  /** One result for each candidate, in their order. */
  get results(): SequentialResult[] {
    const level = 1 - 2 * this.#budget.looking;
    return this.#candidates.map((candidate) => {
      const { verdict, decidedAt, isFinal, count, mean, exactInterval: interval, test } = candidate;
      const eValues = { eAbove: test?.maxAbove ?? 1, eBelow: test?.maxBelow ?? 1 };
      return { verdict, decidedAt, isFinal, count, mean, interval, level, ...eValues };
    });
  }
}

/** The p-values of "the mean is at most" and "at least the value in question". */
interface DirectedP {
  above: number;
  below: number;
}

class Candidate {
  readonly test: MeanTest | null;
  verdict: SequentialVerdict | null = null;
  decidedAt: number | null = null;
  isFinal = false;
  readonly #makeSequence: () => ConfidenceSequence;
  #sequence: ConfidenceSequence | null = null;
  readonly #values: number[] = [];
  readonly #range: { lower: number; upper: number };
  readonly #populationSize: number | undefined;

  constructor(
    options: ObservationOptions & { lower: number; upper: number },
    criticalMean: number | null,
    alpha: number,
  ) {
    this.#makeSequence = () => new ConfidenceSequence({ ...options, alpha });
    this.test = criticalMean === null ? null : new MeanTest(criticalMean, options);
    this.#range = { lower: options.lower, upper: options.upper };
    this.#populationSize = options.populationSize;
  }

  add(value: number): void {
    this.test?.add(value);
    this.#values.push(value);
  }

  get count(): number {
    return this.#values.length;
  }

  get mean(): number {
    return mean(this.#values);
  }

  /** The sequence is much slower than the test of one mean, so it is brought up to date only when it is read. */
  get interval(): Interval {
    return this.#updateSequence().interval;
  }

  /** A bound that is rounded outward could be the very value that was ruled out. */
  get exactInterval(): Interval {
    return this.#updateSequence().exactInterval;
  }

  #updateSequence(): ConfidenceSequence {
    this.#sequence ??= this.#makeSequence();
    for (const value of this.#values.slice(this.#sequence.count)) this.#sequence.add(value);
    return this.#sequence;
  }

  decide(verdict: SequentialVerdict, isFinal: boolean): void {
    if (this.verdict !== null) return;
    this.verdict = verdict;
    this.decidedAt = this.count;
    this.isFinal = isFinal;
  }

  runFinalTest(question: Exclude<SequentialQuestion, { kind: "precision" }>): DirectedP {
    if (this.#populationSize !== undefined) return this.#compareKnownMean(question);
    if (this.#values.length === 0) return { above: 1, below: 1 };
    if (question.kind === "difference") return testDifference(this.#values);
    if (question.kind === "mean") return this.#testMean(question.threshold);
    const zeros = this.#values.map(() => 0);
    const { margin } = question;
    const { pNonInferior, pInferior } = nonInferiorityTest(zeros, this.#values, {
      margin,
      isBinary: this.#values.every(isSignOrZero),
    });
    return { above: pNonInferior ?? 1, below: pInferior ?? 1 };
  }

  #testMean(threshold: number): DirectedP {
    const { lower, upper } = this.#range;
    const scale = (value: number) => (value - lower) / (upper - lower);
    return testMean(this.#values.map(scale), scale(threshold));
  }

  /** The mean of a population of which every member was seen is no estimate. */
  #compareKnownMean(question: SequentialQuestion): DirectedP {
    const critical = getCriticalMean(question) ?? 0;
    const { count, mean } = this;
    if (count !== this.#populationSize) return { above: 1, below: 1 };
    // A mean equal to the threshold reaches it.
    const isAbove = question.kind === "mean" ? mean >= critical : mean > critical;
    const isBelow = question.kind === "difference" ? mean < critical : !isAbove;
    return { above: isAbove ? 0 : 1, below: isBelow ? 0 : 1 };
  }
}

function isSignOrZero(value: number): boolean {
  return value === 0 || value === 1 || value === -1;
}

/**
 * McNemar's test for single pass/fail trials, the sign-flip test otherwise, as in `compare`, but mid-p: the exact test
 * would waste a part of the budget, which is only half of alpha.
 */
export function testDifference(differences: readonly number[]): DirectedP {
  const gained = differences.filter((value) => value > 0).length;
  const lost = differences.filter((value) => value < 0).length;
  const zeros = differences.map(() => 0);
  const p = differences.every(isSignOrZero)
    ? mcnemarMidP(lost, gained)
    : (pairedDifference(differences, zeros).permutationP ?? 1);
  const total = differences.reduce((sum, value) => sum + value, 0);
  return { above: total > 0 ? p / 2 : 1 - p / 2, below: total < 0 ? p / 2 : 1 - p / 2 };
}

const BISECTIONS = 50;

/**
 * Clopper–Pearson tests of a mean of values in [0, 1]. Values that are not all 0 or 1 count as the number of pass/fail
 * trials that would have their standard error, with a correction for its degrees of freedom (Korn and Graubard 1998).
 */
function testMean(values: readonly number[], threshold: number): DirectedP {
  const n = values.length;
  const { mean: rate, se, df } = meanInterval(values);
  if (values.every((value) => value === 0 || value === 1) || se === null || se === 0)
    return computeBinomialPs(rate * n, n, threshold);
  // The correction depends on the level, so p is the level at which the bound is the threshold.
  const solve = (side: keyof DirectedP) => {
    let [low, high] = [0, 0.5];
    for (let i = 0; i < BISECTIONS; i++) {
      const alpha = (low + high) / 2;
      const ratio = normalQuantile(1 - alpha) / studentQuantile(1 - alpha, df);
      const trials = ((rate * (1 - rate)) / se ** 2) * ratio ** 2;
      if (computeBinomialPs(rate * trials, trials, threshold)[side] <= alpha) high = alpha;
      else low = alpha;
    }
    return high < 0.5 - 1e-9 ? high : 1;
  };
  return { above: solve("above"), below: solve("below") };
}

/** P(at least this many passes) and P(at most this many), for numbers that need not be whole. */
function computeBinomialPs(passes: number, n: number, rate: number): DirectedP {
  const fails = n - passes;
  const above = passes < 1e-9 ? 1 : incompleteBeta(rate, passes, fails + 1);
  const below = fails < 1e-9 ? 1 : 1 - incompleteBeta(rate, passes + 1, fails);
  return { above, below };
}
