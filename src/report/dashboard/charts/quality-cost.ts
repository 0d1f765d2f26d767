import type { EvalConfig } from "../../../core/index.js";
import { type EvalRow, getScore, hasOutput } from "../../../core/index.js";
import { createRandom, hashSeed, paretoFronts, permutation, type Random } from "../../../stats/index.js";
import { clampToScore } from "../cards.js";
import type { QualityCostChart, QualityCostPoint } from "../contract.js";
import type { ChartSystem } from "./chart-system.js";
import { type FrontPoint, findDominators, findFrontNames, findHullNames } from "./front.js";

/** Quality against the mean cost of an attempt, with the front and how certain membership of it is. */
export function buildQualityCostChart(
  systems: readonly ChartSystem[],
  config: Pick<EvalConfig, "scoreField" | "seed">,
): QualityCostChart {
  const costUnit = chooseCostUnit(systems);
  const bare = systems.map((system) => buildQualityCostPoint(system, costUnit));
  const placed = bare.flatMap(toQualityCostFrontPoint);
  const memberships = estimateFrontMembership(
    systems.filter(({ name }) => placed.some((place) => place.name === name)),
    { ...config, costUnit },
  );
  const points = bare.map((point) => ({
    ...point,
    dominatedBy: toQualityCostFrontPoint(point).flatMap((place) => findDominators(place, placed)),
    membership: memberships.get(point.system) ?? null,
  }));
  return { costUnit, points, front: findFrontNames(placed), hull: findHullNames(placed) };
}

/** Falls back to output tokens when no price is known. */
function chooseCostUnit(systems: readonly ChartSystem[]): QualityCostChart["costUnit"] {
  const isKnown = (key: string) => systems.some(({ figure }) => figure(key) !== null);
  return !isKnown(MEAN_COST_FIGURES.usd) && isKnown(MEAN_COST_FIGURES.tokens) ? "tokens" : "usd";
}

/** The figure of the mean cost of an attempt, by unit. */
const MEAN_COST_FIGURES: Readonly<Record<QualityCostChart["costUnit"], string>> = {
  usd: "mean_cost_usd",
  tokens: "mean_output_tokens",
};

type QualityCostValues = Omit<QualityCostPoint, "dominatedBy" | "membership">;

function buildQualityCostPoint(
  { name, harness, figure }: ChartSystem,
  costUnit: QualityCostChart["costUnit"],
): QualityCostValues {
  return {
    system: name,
    harness,
    cost: figure(MEAN_COST_FIGURES[costUnit]),
    quality: figure("mean_score"),
    low: clampToScore(figure("mean_score_ci_low")),
    high: clampToScore(figure("mean_score_ci_high")),
    n: figure("mean_score_n") ?? 0,
  };
}

function toQualityCostFrontPoint({ system, cost, quality }: QualityCostValues): FrontPoint[] {
  return cost === null || quality === null ? [] : [{ name: system, gain: quality, cost }];
}

const RESAMPLES = 500;
/** Maximum number of additions for all resamples: a few tenths of a second. */
const MAX_ADDITIONS = 4e7;
const MIN_UNITS = 200;

interface MembershipOptions extends Pick<EvalConfig, "scoreField" | "seed">, Pick<QualityCostChart, "costUnit"> {}

/**
 * Estimates how often each system is on the quality–cost front when tasks are resampled: the same tasks for all systems,
 * each with all its trials. Null for all when there are fewer than two tasks.
 */
function estimateFrontMembership(
  systems: readonly ChartSystem[],
  { scoreField, seed, costUnit }: MembershipOptions,
): Map<string, number | null> {
  const names = systems.map(({ name }) => name);
  const random = createRandom(hashSeed("front membership", seed));
  const sums = mergeUnits(sumUnits(systems, { scoreField, costUnit }), random);
  const size = sums[0]?.scores.length ?? 0;
  if (size < 2) return new Map(names.map((name) => [name, null]));
  const tally = names.map(() => ({ on: 0, asked: 0 }));
  const drawn = new Uint32Array(size);
  for (let resample = 0; resample < RESAMPLES; resample++) {
    drawUnits(drawn, random);
    const points = sums.map((own) => toMembershipPoint(own, drawn));
    const fronts = paretoFronts(points);
    for (const [i, count] of tally.entries()) {
      if (points[i]?.quality == null || points[i].cost == null) continue;
      count.asked += 1;
      if (fronts[i] === 1) count.on += 1;
    }
  }
  return new Map(names.map((name, i) => [name, computeShare(tally[i])]));
}

function computeShare(count: { on: number; asked: number } | undefined): number | null {
  return count === undefined || count.asked === 0 ? null : count.on / count.asked;
}

function drawUnits(drawn: Uint32Array, random: Random): void {
  drawn.fill(0);
  for (let i = 0; i < drawn.length; i++) {
    const unit = random.int(drawn.length);
    drawn[unit] = (drawn[unit] ?? 0) + 1;
  }
}

function toMembershipPoint(sums: UnitSums, drawn: Uint32Array): { quality: number | null; cost: number | null } {
  return { quality: averageDrawn(sums.scores, sums.scored, drawn), cost: averageDrawn(sums.costs, sums.priced, drawn) };
}

function averageDrawn(totals: Float64Array, counts: Float64Array, drawn: Uint32Array): number | null {
  let total = 0;
  let count = 0;
  for (let i = 0; i < drawn.length; i++) {
    const times = drawn[i] ?? 0;
    total += times * (totals[i] ?? 0);
    count += times * (counts[i] ?? 0);
  }
  return count === 0 ? null : total / count;
}

/**
 * Merges very many units at random into fewer before resampling: a mean over sums of independent tasks varies like a mean
 * over the tasks, and the work is bounded for large runs.
 */
function mergeUnits(sums: readonly UnitSums[], random: Random): readonly UnitSums[] {
  const size = sums[0]?.scores.length ?? 0;
  const most = Math.max(MIN_UNITS, Math.floor(MAX_ADDITIONS / (RESAMPLES * (1 + 4 * sums.length))));
  if (size <= most) return sums;
  const order = permutation(size, random);
  const deal = (values: Float64Array) => {
    const hands = new Float64Array(most);
    for (let i = 0; i < size; i++) hands[i % most] = (hands[i % most] ?? 0) + (values[order[i] ?? 0] ?? 0);
    return hands;
  };
  return sums.map(({ scores, scored, costs, priced }) => ({
    scores: deal(scores),
    scored: deal(scored),
    costs: deal(costs),
    priced: deal(priced),
  }));
}

/** The sums of one system by unit: a task, or all tasks of a group, because those are not independent. */
interface UnitSums {
  /** Sums of the mean scores of tasks, and the number of tasks. */
  readonly scores: Float64Array;
  readonly scored: Float64Array;
  readonly costs: Float64Array;
  readonly priced: Float64Array;
}

interface UnitSumsOptions extends Pick<QualityCostChart, "costUnit"> {
  scoreField: string;
}

const COST_READERS: Readonly<Record<QualityCostChart["costUnit"], (row: EvalRow) => number | undefined>> = {
  usd: (row) => row.costUsd ?? undefined,
  tokens: (row) => (hasOutput(row) ? row.outputTokens : undefined),
};

/** All systems have the same units in the same order. */
function sumUnits(systems: readonly ChartSystem[], { scoreField, costUnit }: UnitSumsOptions): UnitSums[] {
  const places = new UnitIndex();
  const tasks = systems.map(({ rows }) => Uint32Array.from(rows, (row) => places.indexTask(row)));
  const unitOf = places.unitOfTask;
  return systems.map(({ rows }, i) => {
    const own: SystemUnits = { rows, taskOf: tasks[i] ?? new Uint32Array(), unitOf, units: places.units };
    const [scores, scored] = sumMeans(own, (row) => getScore(row, scoreField));
    const [costs, priced] = sumMeans(own, COST_READERS[costUnit]);
    return { scores, scored, costs, priced };
  });
}

interface SystemUnits {
  rows: readonly EvalRow[];
  taskOf: Uint32Array;
  unitOf: readonly number[];
  units: number;
}

/** Assigns indexes to tasks and units. A task is one example, whichever system runs it. */
class UnitIndex {
  readonly unitOfTask: number[] = [];
  readonly #tasks = new Map<string, number>();
  readonly #groups = new Map<string, number>();
  units = 0;

  indexTask({ dataset, exampleId, group }: EvalRow): number {
    const key = `${dataset}\u0000${exampleId}`;
    const known = this.#tasks.get(key);
    if (known !== undefined) return known;
    const task = this.#tasks.size;
    this.#tasks.set(key, task);
    this.unitOfTask.push(group == null ? this.units++ : this.#indexUnit(`${dataset}\u0000${group}`));
    return task;
  }

  #indexUnit(group: string): number {
    const unit = this.#groups.get(group) ?? this.units++;
    this.#groups.set(group, unit);
    return unit;
  }
}

function sumMeans(own: SystemUnits, read: (row: EvalRow) => number | undefined): [Float64Array, Float64Array] {
  const totals = new Float64Array(own.unitOf.length);
  const trials = new Float64Array(own.unitOf.length);
  for (const [i, row] of own.rows.entries()) {
    const value = read(row);
    if (value === undefined) continue;
    const task = own.taskOf[i] ?? 0;
    totals[task] = (totals[task] ?? 0) + value;
    trials[task] = (trials[task] ?? 0) + 1;
  }
  return sumByUnit(own, totals, trials);
}

function sumByUnit(
  { unitOf, units }: SystemUnits,
  totals: Float64Array,
  trials: Float64Array,
): [Float64Array, Float64Array] {
  const sums = new Float64Array(units);
  const counts = new Float64Array(units);
  for (const [task, unit] of unitOf.entries()) {
    const count = trials[task] ?? 0;
    if (count === 0) continue;
    sums[unit] = (sums[unit] ?? 0) + (totals[task] ?? 0) / count;
    counts[unit] = (counts[unit] ?? 0) + 1;
  }
  return [sums, counts];
}
