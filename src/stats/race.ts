import { ConfidenceSequence, MeanTest } from "./confidence-sequence.js";
import { requireInteger, requireOpenProbability, requireSameLength } from "./distributions.js";
import type { Interval } from "./intervals.js";
import { mean } from "./mean.js";
import { testDifference } from "./sequential.js";

/** Options of `Race`. */
export interface RaceOptions {
  /** The number of systems. */
  arms: number;
  /** The number of units (tasks, or groups of tasks) there are at most. */
  horizon: number;
  /** The chance that the best system is ever dropped. Default: 0.05. */
  alpha?: number | undefined;
  /** The smallest possible value. Default: 0. */
  lower?: number | undefined;
  /** The largest possible value. Default: 1. */
  upper?: number | undefined;
  /** Set it if the units are all of a finite population, drawn without replacement. */
  populationSize?: number | undefined;
}

/** What is known of one arm. */
export interface RaceArm {
  /** The number of units after which it was dropped; null if it can still be the best. */
  droppedAt: number | null;
  /** True if it was dropped by the test of all units. */
  isFinal: boolean;
  /** The e-value for "it is not the best", at its largest. */
  eValue: number;
  /** The number of units of this arm. */
  count: number;
  mean: number;
  /** Holds at every time at once with a chance of 1 − alpha, for this arm alone. */
  interval: Interval;
}

interface ArmState {
  droppedAt: number | null;
  isFinal: boolean;
  eValue: number;
  readonly values: number[];
  sequence: ConfidenceSequence | null;
}

function subtract(a: number | null | undefined, b: number | null | undefined): number | null {
  return a == null || b == null ? null : a - b;
}

/** The differences between two arms, a − b. */
interface Pair {
  a: number;
  b: number;
  test: MeanTest;
  differences: number[];
}

/**
 * Races several systems on the same units, and drops those that cannot be the best.
 *
 * Guarantee: the chance that the best system is ever dropped is at most alpha. For arm j the hypothesis is H_j: "no arm
 * has a higher mean than j". The e-values for "arm i is better than j" are e-processes under H_j, all on the same units,
 * so their mean over the other arms is one too: by Ville's inequality it ever reaches 2/α with a chance of at most α/2. An
 * arm is dropped when it does. A pair stops when either arm is dropped, and a stopped e-process is one. H_j is true for
 * the best arm only (with ties, for each of the best), so no correction for the number of arms dropped is needed. The
 * other α/2 is for the tests when all units are done: arm j is dropped if another is better by a one-sided paired test at
 * α/2 divided by the number of other arms. With a population size there is no such test, and looking has all of alpha.
 * Values may be missing if that has nothing to do with which arm is better: a pair without a value bets nothing in that
 * unit.
 * @example
 * const race = new Race({ arms: 8, horizon: 200 });
 * while (race.contenders.length > 1 && units.length > 0) race.add(await runUnit(units.pop(), race.contenders));
 * race.finish();
 */
export class Race {
  readonly alpha: number;
  readonly #arms: ArmState[];
  readonly #pairs: Pair[] = [];
  readonly #populationSize: number | undefined;
  readonly #makeSequence: () => ConfidenceSequence;
  #units = 0;

  constructor(options: RaceOptions) {
    const { arms, alpha = 0.05, lower = 0, upper = 1, horizon, populationSize } = options;
    requireInteger("arms", arms, { low: 2 });
    requireOpenProbability("alpha", alpha);
    this.alpha = alpha;
    this.#populationSize = populationSize;
    const shared = { horizon, populationSize };
    this.#makeSequence = () => new ConfidenceSequence({ ...shared, alpha, lower, upper });
    this.#arms = Array.from({ length: arms }, () => ({
      droppedAt: null,
      isFinal: false,
      eValue: 1,
      values: [],
      sequence: null,
    }));
    const range = upper - lower;
    for (let a = 0; a < arms; a++) {
      for (let b = a + 1; b < arms; b++) {
        const test = new MeanTest(0, { ...shared, lower: -range, upper: range });
        this.#pairs.push({ a, b, test, differences: [] });
      }
    }
  }

  /** The values of the next unit, one of each arm. Null for arms that were dropped, or have none. */
  add(values: readonly (number | null)[]): void {
    this.addGroup([values]);
  }

  /**
   * The values of the tasks of the next unit, by task and arm. Two arms are compared by the mean difference over the tasks
   * that both have, so that a value that one arm lacks takes nothing from the others.
   */
  addGroup(tasks: readonly (readonly (number | null)[])[]): void {
    for (const task of tasks) requireSameLength("values and arms", task.length, this.#arms.length);
    this.#units++;
    const isRacing = this.#arms.map(({ droppedAt }) => droppedAt === null);
    this.#arms.forEach((arm, i) => {
      const own = tasks.flatMap((task) => task[i] ?? []);
      if (isRacing[i] && own.length > 0) arm.values.push(mean(own));
    });
    for (const { a, b, test, differences } of this.#pairs) {
      if (!(isRacing[a] && isRacing[b])) continue;
      const own = tasks.flatMap((task) => subtract(task[a], task[b]) ?? []);
      if (own.length === 0) continue;
      test.add(mean(own));
      differences.push(mean(own));
    }
    this.#look();
  }

  #look(): void {
    const others = this.#arms.length - 1;
    const totals = new Float64Array(this.#arms.length);
    for (const { a, b, test } of this.#pairs) {
      totals[a] = (totals[a] ?? 0) + test.below;
      totals[b] = (totals[b] ?? 0) + test.above;
    }
    const threshold = (this.#populationSize === undefined ? 2 : 1) / this.alpha;
    const losers = this.contenders.filter((i) => {
      const arm = this.#arms[i];
      if (arm === undefined) return false;
      arm.eValue = Math.max(arm.eValue, (totals[i] ?? 0) / others);
      return arm.eValue >= threshold;
    });
    this.#drop(losers, false);
  }

  #drop(losers: readonly number[], isFinal: boolean): void {
    // Arms that all lose to each other have missing units; none of them is then known to be worse.
    if (losers.length === this.contenders.length) return;
    for (const i of losers) {
      const arm = this.#arms[i];
      if (arm !== undefined) Object.assign(arm, { droppedAt: this.#units, isFinal });
    }
  }

  /** Makes the final tests. Call it once, when all units are done. */
  finish(): void {
    const left = new Set(this.contenders);
    const level = this.alpha / 2 / (this.#arms.length - 1);
    const losers = new Set<number>();
    for (const { a, b, differences } of this.#pairs) {
      if (!(left.has(a) && left.has(b)) || differences.length === 0) continue;
      const { above, below } = this.#compare(differences);
      if (above <= level) losers.add(b);
      if (below <= level) losers.add(a);
    }
    this.#drop([...losers], true);
  }

  #compare(differences: readonly number[]): { above: number; below: number } {
    if (this.#populationSize === undefined) return testDifference(differences);
    // Means of a population of which every member was seen are no estimates.
    const total = differences.length === this.#populationSize ? differences.reduce((sum, d) => sum + d, 0) : 0;
    return { above: total > 0 ? 0 : 1, below: total < 0 ? 0 : 1 };
  }

  /** The arms that can still be the best. */
  get contenders(): number[] {
    return this.#arms.flatMap(({ droppedAt }, i) => (droppedAt === null ? [i] : []));
  }

  /** One entry for each arm, in their order. */
  get arms(): RaceArm[] {
    return this.#arms.map((arm) => {
      const { droppedAt, isFinal, eValue, values } = arm;
      // Brought up to date only here, because it is much slower than the tests of pairs.
      arm.sequence ??= this.#makeSequence();
      for (const value of values.slice(arm.sequence.count)) arm.sequence.add(value);
      const { mean, interval } = arm.sequence;
      return { droppedAt, isFinal, eValue, count: values.length, mean, interval };
    });
  }
}
