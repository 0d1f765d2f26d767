import { requireInteger, requireOpenProbability } from "./distributions.js";
import type { Interval } from "./intervals.js";
import { mean, type Numbers } from "./mean.js";

/** What is known about observations before the first of them. */
export interface ObservationOptions {
  /** The smallest possible observation. Default: 0. */
  lower?: number | undefined;
  /** The largest possible observation. Default: 1. */
  upper?: number | undefined;
  /**
   * The number of observations there are at most, such as the size of the dataset. Bets are sized for it; every guarantee
   * holds for any number of observations. Default: the population size, else 500.
   */
  horizon?: number | undefined;
  /**
   * Set it if observations are drawn from a finite population without replacement. The mean is then that of the
   * population.
   */
  populationSize?: number | undefined;
}

/** Options of `ConfidenceSequence`. */
export interface ConfidenceSequenceOptions extends ObservationOptions {
  /** The chance that the true mean is ever outside the interval. Default: 0.05. */
  alpha?: number | undefined;
}

const DEFAULT_HORIZON = 500;

/**
 * The bets that share the starting capital. A bet of size κ stakes κ / (σ √horizon) per unit of the observation, which
 * grows fastest if the mean is κ standard errors of the whole dataset away. The minimum detectable difference is 2.8
 * standard errors; most capital is on a bit more than twice that. See docs/internals/sequential.md for the alternatives.
 */
const BETS = [
  { size: 3, share: 0.15 },
  { size: 6.5, share: 0.6 },
  { size: 14, share: 0.15 },
  { size: 30, share: 0.1 },
] as const;

/** No bet risks more than this share of its capital on one observation. */
const MAX_STAKE = 0.9;
/** Before the first observation, the standard deviation is a quarter of the range, worth this many observations. */
const PRIOR_OBSERVATIONS = 2;
/** Keeps products finite. A capital that is cut off is smaller, so every guarantee stays. */
const MAX_CAPITAL = 1e250;
/** Sums of the observations are this exact, relative to their range. */
const ROUNDING = 1e-9;

interface Range {
  lower: number;
  upper: number;
  horizon: number;
  populationSize: number | null;
}

function checkObservationOptions(options: ObservationOptions): Range {
  const { lower = 0, upper = 1, populationSize = null } = options;
  const { horizon = populationSize ?? DEFAULT_HORIZON } = options;
  if (!(Number.isFinite(lower) && Number.isFinite(upper) && lower < upper))
    throw new RangeError(`lower must be below upper, and both finite, got ${lower} and ${upper}`);
  requireInteger("horizon", horizon, { low: 1 });
  if (populationSize !== null) requireInteger("populationSize", populationSize, { low: 1 });
  return { lower, upper, horizon, populationSize };
}

/** What the observations so far add up to, and the bets on the next, which depend on nothing else. */
class ObservationLog {
  readonly range: Range;
  count = 0;
  /** The sum of all values. */
  total = 0;
  /** The bets on the next observation. */
  readonly stakes = new Float64Array(BETS.length);
  #mean = 0;
  #spread = 0;

  constructor(range: Range) {
    this.range = range;
    this.#sizeBets();
  }

  /** The mean of what is left of a population whose mean is `mean`; without a population, `mean` itself. */
  computeRemainingMean(mean: number, seen = this.count, total = this.total): number {
    const { populationSize } = this.range;
    return populationSize === null ? mean : (populationSize * mean - total) / (populationSize - seen);
  }

  check(value: number): void {
    const { lower, upper, populationSize } = this.range;
    if (!(value >= lower && value <= upper))
      throw new RangeError(`Observation ${this.count + 1} is ${value}, not in [${lower}, ${upper}].`);
    if (populationSize !== null && this.count >= populationSize)
      throw new RangeError(`All ${populationSize} members of the population have been observed.`);
  }

  add(value: number): void {
    this.count++;
    this.total += value;
    const distance = value - this.#mean;
    this.#mean += distance / this.count;
    this.#spread += distance * (value - this.#mean);
    this.#sizeBets();
  }

  #sizeBets(): void {
    const { lower, upper, horizon } = this.range;
    const prior = ((upper - lower) / 4) ** 2 * PRIOR_OBSERVATIONS;
    const sd = Math.sqrt((prior + this.#spread) / (PRIOR_OBSERVATIONS + this.count));
    const unit = 1 / (sd * Math.sqrt(horizon));
    for (let bet = 0; bet < BETS.length; bet++) this.stakes[bet] = (BETS[bet]?.size ?? 0) * unit;
  }
}

/** Capital bet against each of several means, on observations above it and on observations below it. */
class Capitals {
  readonly #above: Float64Array;
  readonly #below: Float64Array;
  readonly #range: Range;

  constructor(means: number, range: Range) {
    this.#range = range;
    const shares = BETS.map(({ share }) => share);
    this.#above = Float64Array.from({ length: means * BETS.length }, (_, i) => shares[i % BETS.length] ?? 0);
    this.#below = this.#above.slice();
  }

  /**
   * Settles the bets on a value against one of the means. A stake is cut where it would risk too much, which depends on
   * the mean alone.
   */
  settle(value: number, against: { at: number; mean: number }, stakes: Numbers): void {
    const { lower, upper } = this.#range;
    const start = against.at * BETS.length;
    // Sampling without replacement can rule a mean out: the rest would have to be outside the range.
    const slack = (upper - lower) * ROUNDING;
    if (against.mean < lower - slack) return void this.#above.fill(MAX_CAPITAL, start, start + BETS.length);
    if (against.mean > upper + slack) return void this.#below.fill(MAX_CAPITAL, start, start + BETS.length);
    const mean = Math.min(upper, Math.max(lower, against.mean));
    const distance = value - mean;
    const maxAbove = MAX_STAKE / (mean - lower);
    const maxBelow = MAX_STAKE / (upper - mean);
    for (let bet = 0; bet < BETS.length; bet++) {
      const stake = stakes[bet] ?? 0;
      const above = (this.#above[start + bet] ?? 0) * (1 + Math.min(stake, maxAbove) * distance);
      const below = (this.#below[start + bet] ?? 0) * (1 - Math.min(stake, maxBelow) * distance);
      this.#above[start + bet] = Math.min(above, MAX_CAPITAL);
      this.#below[start + bet] = Math.min(below, MAX_CAPITAL);
    }
  }

  sumAbove(at: number): number {
    return sumBets(this.#above, at);
  }

  sumBelow(at: number): number {
    return sumBets(this.#below, at);
  }
}

function sumBets(capitals: Float64Array, at: number): number {
  let total = 0;
  for (let bet = 0; bet < BETS.length; bet++) total += capitals[at * BETS.length + bet] ?? 0;
  return total;
}

/**
 * Tests one hypothesized mean of bounded observations, at any time. `above` is an e-value for "the mean is at most this":
 * if that is true, the chance that it ever reaches 1/α is at most α. `below` is the same for "at least this".
 * @example
 * const test = new MeanTest(0, { lower: -1, upper: 1, horizon: 200 });
 * for (const difference of differences) test.add(difference);
 * test.maxAbove >= 1 / 0.025; // the mean is above 0
 */
export class MeanTest {
  readonly mean: number;
  readonly #log: ObservationLog;
  readonly #capitals: Capitals;
  /** The largest value of `above` so far. */
  maxAbove = 1;
  /** The largest value of `below` so far. */
  maxBelow = 1;

  constructor(mean: number, options: ObservationOptions = {}) {
    this.mean = mean;
    this.#log = new ObservationLog(checkObservationOptions(options));
    this.#capitals = new Capitals(1, this.#log.range);
  }

  get count(): number {
    return this.#log.count;
  }

  get above(): number {
    return this.#capitals.sumAbove(0);
  }

  get below(): number {
    return this.#capitals.sumBelow(0);
  }

  add(value: number): void {
    this.#log.check(value);
    const log = this.#log;
    this.#capitals.settle(value, { at: 0, mean: log.computeRemainingMean(this.mean) }, log.stakes);
    log.add(value);
    this.maxAbove = Math.max(this.maxAbove, this.above);
    this.maxBelow = Math.max(this.maxBelow, this.below);
  }
}

/** Bounds are found on this many points of the range, and rounded outward. */
const CELLS = 2000;
/** A cell is halved this often to find an exact bound. */
const BISECTIONS = 12;

/**
 * An interval for the mean of bounded observations that holds at every time at once: a betting confidence sequence
 * (Waudby-Smith and Ramdas 2024), as the running intersection of all intervals so far.
 *
 * For every mean m, imaginary capital is bet on "the observations average more than m", and other capital on "less":
 * ∏(1 + λ_i (x_i − m)) and ∏(1 − λ_i (x_i − m)), each averaged over several sizes of bets. If m is the true mean, neither
 * grows on average, so by Ville's inequality each ever reaches 2/α with a chance of at most α/2. Means against which it
 * did are excluded. The capital above m falls as m rises, so the excluded means lie at the two ends.
 * @example
 * const sequence = new ConfidenceSequence({ alpha: 0.05, lower: -1, upper: 1, horizon: 200 });
 * for (const difference of differences) sequence.add(difference);
 * sequence.interval; // { low: 0.02, high: 0.11 }
 */
export class ConfidenceSequence {
  readonly alpha: number;
  readonly #options: ObservationOptions;
  readonly #values: number[] = [];
  readonly #log: ObservationLog;
  readonly #points: Float64Array;
  readonly #capitals: Capitals;
  /** The innermost points that are excluded, or the ends of the range. */
  #low = 0;
  #high = CELLS;

  constructor(options: ConfidenceSequenceOptions = {}) {
    const { alpha = 0.05 } = options;
    requireOpenProbability("alpha", alpha);
    this.alpha = alpha;
    this.#options = options;
    this.#log = new ObservationLog(checkObservationOptions(options));
    this.#capitals = new Capitals(CELLS + 1, this.#log.range);
    const { lower, upper } = this.#log.range;
    this.#points = Float64Array.from({ length: CELLS + 1 }, (_, i) => (lower * (CELLS - i) + upper * i) / CELLS);
  }

  /** The number of observations. */
  get count(): number {
    return this.#log.count;
  }

  /** The mean of the observations; 0 without any. */
  get mean(): number {
    return mean(this.#values);
  }

  /** Adds the next observation. Observations are in random order, or independent. */
  add(value: number): void {
    const log = this.#log;
    log.check(value);
    // The excluded points stay excluded.
    for (let at = this.#low + 1; at < this.#high; at++) {
      const mean = log.computeRemainingMean(this.#points[at] ?? 0);
      this.#capitals.settle(value, { at, mean }, log.stakes);
    }
    log.add(value);
    this.#values.push(value);
    const threshold = 2 / this.alpha;
    // Bounds that cross have a chance of at most alpha; they then stop next to each other.
    while (this.#low + 1 < this.#high && this.#capitals.sumAbove(this.#low + 1) >= threshold) this.#low++;
    while (this.#high - 1 > this.#low && this.#capitals.sumBelow(this.#high - 1) >= threshold) this.#high--;
  }

  /** The running intersection. A bound inside the range is itself excluded. */
  get interval(): Interval {
    return this.#limitByPopulation({ low: this.#points[this.#low] ?? 0, high: this.#points[this.#high] ?? 0 });
  }

  /** The same with exact bounds, which takes longer: those of `interval` are rounded outward to a point of the grid. */
  get exactInterval(): Interval {
    const threshold = 2 / this.alpha;
    const [low, high] = [this.#low, this.#high];
    const exact = {
      low: low === 0 ? this.#log.range.lower : this.#findBound(low, low + 1, (test) => test.maxAbove >= threshold),
      high:
        high === CELLS ? this.#log.range.upper : this.#findBound(high, high - 1, (test) => test.maxBelow >= threshold),
    };
    // They cross if the mean has changed and no mean is left.
    return exact.low <= exact.high ? this.#limitByPopulation(exact) : this.interval;
  }

  /** The innermost excluded mean between an excluded point and the next. */
  #findBound(excludedAt: number, nextAt: number, isExcluded: (test: MeanTest) => boolean): number {
    let [excluded, next] = [this.#points[excludedAt] ?? 0, this.#points[nextAt] ?? 0];
    for (let step = 0; step < BISECTIONS; step++) {
      const middle = (excluded + next) / 2;
      if (isExcluded(this.#replay(middle))) excluded = middle;
      else next = middle;
    }
    return excluded;
  }

  #limitByPopulation(points: Interval): Interval {
    const { populationSize, lower, upper } = this.#log.range;
    if (populationSize === null) return points;
    const rest = populationSize - this.count;
    if (rest === 0) return { low: this.mean, high: this.mean };
    // What is left cannot move the mean of the population any further than this.
    const certain = {
      low: (this.#log.total + rest * lower) / populationSize,
      high: (this.#log.total + rest * upper) / populationSize,
    };
    const both = { low: Math.max(points.low, certain.low), high: Math.min(points.high, certain.high) };
    return both.low <= both.high ? both : certain;
  }

  /** The e-value for "the mean is at most `mean`", at the present time. */
  eValueAbove(mean: number): number {
    return this.#replay(mean).above;
  }

  /** The e-value for "the mean is at least `mean`", at the present time. */
  eValueBelow(mean: number): number {
    return this.#replay(mean).below;
  }

  #replay(mean: number): MeanTest {
    const test = new MeanTest(mean, this.#options);
    for (const value of this.#values) test.add(value);
    return test;
  }
}
