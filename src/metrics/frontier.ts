import type {
  Comparison,
  Estimate,
  EstimateInterval,
  EvalRow,
  Metric,
  MetricContext,
  Summary,
  TrialKey,
} from "../core/index.js";
import { amountInterval, bootstrapInterval, mean, meanInterval } from "../stats/index.js";
import { toEstimateInterval } from "./estimates.js";

/** Options of `frontierCostOfPass`. */
export interface FrontierOptions {
  /** The cost of one trial; undefined if unknown. */
  costOf: (row: EvalRow) => number | undefined;
  /** What an expert would charge for one task, as an alternative to the systems; undefined if unknown. */
  expertCost?: number | ((row: EvalRow) => number | undefined) | undefined;
}

/** The expected cost of one pass of a system on a task. */
export interface TaskCost extends Omit<TrialKey, "trial"> {
  /** Mean cost ÷ pass rate; Infinity if no trial passed, null if the cost of a trial is unknown. */
  cost: number | null;
}

/**
 * The frontier cost of pass: for each task the lowest expected cost of a pass (mean cost ÷ success rate) over all
 * systems, then the mean over tasks. Infinity if no system passes a task; null if a cost is unknown.
 */
export function frontierCostOfPass(rows: readonly EvalRow[], options: FrontierOptions): number | null {
  const cheapest = findCheapestCosts(rows, options);
  return cheapest === null ? null : mean(cheapest);
}

/** The frontier cost of pass over all systems, in tokens and, if every cost is known, in dollars. */
export class Frontier implements Metric {
  readonly name = "frontier";

  /** Needs several systems. */
  compute() {
    return {};
  }

  compare(_: Readonly<Record<string, Summary>>, rows: readonly EvalRow[], context?: MetricContext): Comparison {
    const seed = context?.seed ?? 0;
    const tokens = estimateFrontier(rows, { seed, costOf: (row) => row.outputTokens });
    const dollars = estimateFrontier(rows, { seed, costOf: (row) => row.costUsd ?? undefined });
    return {
      across: {
        frontier_cost_of_pass: tokens,
        ...(dollars.value === null ? {} : { frontier_cost_of_pass_usd: dollars }),
      },
    };
  }

  keys() {
    return [];
  }
}

/** Uses a bootstrap interval over tasks. */
function estimateFrontier(rows: readonly EvalRow[], options: FrontierOptions & { seed: number }): Estimate {
  const cheapest = findCheapestCosts(rows, options);
  if (cheapest === null) return { value: null, reason: "the cost of a trial is unknown" };
  const value = mean(cheapest);
  if (!Number.isFinite(value)) return { value, reason: "no system passed one of the tasks" };
  const { low, high, n } = bootstrapInterval(cheapest, mean, { seed: options.seed });
  return { value, interval: toEstimateInterval({ low, high, n }) };
}

function findCheapestCosts(rows: readonly EvalRow[], options: FrontierOptions): number[] | null {
  const getExpertCost = readExpertCost(options);
  const cheapest = new Map<string, number>();
  for (const { first, cost } of sumTaskCosts(rows, options.costOf)) {
    if (cost === null) return null;
    const task = formatTaskKey(first);
    cheapest.set(task, Math.min(cheapest.get(task) ?? getExpertCost(first), cost));
  }
  return cheapest.size === 0 ? null : [...cheapest.values()];
}

/** Infinity if unknown. */
function readExpertCost({ expertCost }: FrontierOptions): (row: EvalRow) => number {
  return (row) => (typeof expertCost === "function" ? expertCost(row) : expertCost) ?? Number.POSITIVE_INFINITY;
}

function formatTaskKey({ dataset, exampleId }: EvalRow): string {
  return `${dataset}\u0000${exampleId}`;
}

/**
 * The cost of a pass of each system on each task: v(m, p) of arXiv 2504.13359.
 * @example
 * listTaskCosts(rows, { costOf: ({ costUsd }) => costUsd ?? undefined }); // [{ system, dataset, exampleId, cost }, …]
 */
export function listTaskCosts(rows: readonly EvalRow[], { costOf }: Pick<FrontierOptions, "costOf">): TaskCost[] {
  return Array.from(sumTaskCosts(rows, costOf), ({ first, cost }) => {
    const { system, dataset, exampleId } = first;
    return { system, dataset, exampleId, cost };
  });
}

function* sumTaskCosts(
  rows: readonly EvalRow[],
  costOf: FrontierOptions["costOf"],
): Generator<{ first: EvalRow; cost: number | null }> {
  const totals = new Map<string, { first: EvalRow; cost: number | null; passes: number }>();
  for (const row of rows) {
    if (row.outcome === "skipped") continue;
    const key = `${row.system}\u0000${formatTaskKey(row)}`;
    const total = totals.get(key) ?? { first: row, cost: 0, passes: 0 };
    const cost = costOf(row);
    total.cost = cost === undefined || total.cost === null ? null : total.cost + cost;
    if (row.passed === true) total.passes += 1;
    totals.set(key, total);
  }
  for (const { first, cost, passes } of totals.values()) {
    yield { first, cost: cost === null ? null : passes === 0 ? Number.POSITIVE_INFINITY : cost / passes };
  }
}

/** The frontier over all systems and, if its cost is known, an expert; and what each system adds to it. */
export interface FrontierAnalysis {
  /** The mean over tasks of the lowest cost of a pass; Infinity if no system passes a task and no expert cost is known. */
  value: number;
  /** The 95 % interval of the value over tasks, or groups of them; without bounds if it is infinite. */
  interval: EstimateInterval;
  /**
   * True if a task has one trial, so that the cheapest system is chosen and priced by the same trials. The frontier is
   * then too low: the minimum prefers systems that were lucky.
   */
  isBiased: boolean;
  /** How much the frontier rises without a system; Infinity if only this system passes a task. */
  gain: Readonly<Record<string, number>>;
  /** The 95 % interval of each gain; without bounds if it is infinite. */
  gainInterval: Readonly<Record<string, EstimateInterval>>;
  /** The share of tasks in which a system is the cheapest; ties count for all. */
  essentialShare: Readonly<Record<string, number>>;
  /** The share of tasks in which an expert is cheaper than every system. */
  expertShare: number;
  /**
   * With several trials: the share of choices whose system did not pass in the half of the trials that prices it. It then
   * counts as an expert, or as infinite, so with few trials the frontier is too high.
   */
  unrepeatedShare: number;
  tasks: number;
  /** Tasks without a finite cost. */
  infiniteTasks: number;
}

/**
 * The cost-of-pass frontier of arXiv 2504.13359, over the tasks that every system ran. With several trials of each task,
 * the cheapest system is chosen by half of the trials and priced by the other half, and the reverse, so that luck does
 * not choose it.
 * @example
 * analyzeFrontier(rows, { costOf: ({ costUsd }) => costUsd ?? undefined, expertCost: 3.5 })?.essentialShare;
 */
export function analyzeFrontier(rows: readonly EvalRow[], options: FrontierOptions): FrontierAnalysis | null {
  const trials = sumTrials(rows, options.costOf);
  if (trials === null) return null;
  const shared = listSharedTasks(trials);
  if (shared.length === 0) return null;
  const isBiased = shared.some((task) => !hasBothHalves(trials, task));
  const folds = isBiased ? WHOLE : HALVES;
  const getExpertCost = readExpertCost(options);
  const [frontier, essential] = [new Float64Array(shared.length), trials.systems.map(() => 0)];
  const gains = trials.systems.map(() => new Float64Array(shared.length));
  let [byExpert, unrepeated] = [0, 0];
  for (const [place, task] of shared.entries()) {
    const expertCost = getExpertCost(trials.first[task] as EvalRow);
    const prices = folds.map((halves) => trials.systems.map((_, system) => priceTrials(trials, task, system, halves)));
    for (const [fold, chosenBy] of prices.entries()) {
      const pricedBy = prices.at(-1 - fold) ?? chosenBy;
      const best = chooseSystem(chosenBy, pricedBy, expertCost);
      frontier[place] = (frontier[place] ?? 0) + best.cost / folds.length;
      byExpert += Number(expertCost < best.least) / folds.length;
      unrepeated += Number(best.least < expertCost && best.price === Number.POSITIVE_INFINITY) / folds.length;
      for (const [system, own] of chosenBy.entries())
        if (own < Number.POSITIVE_INFINITY && own <= Math.min(expertCost, best.least))
          essential[system] = (essential[system] ?? 0) + 1 / folds.length;
    }
    for (const [system, gain] of gains.entries())
      gain[place] = subtractCosts(priceWithout(prices, system, expertCost), frontier[place] ?? 0);
  }
  const clusters = numberClusters(shared.map((task) => trials.first[task] as EvalRow));
  const nameAll = <T>(get: (system: number) => T) =>
    Object.fromEntries(trials.systems.map((name, system) => [name, get(system)]));
  return {
    value: mean(frontier),
    interval: estimateInterval(frontier, amountInterval, clusters),
    isBiased,
    gain: nameAll((system) => averageGains(gains[system] ?? new Float64Array())),
    gainInterval: nameAll((system) => estimateInterval(gains[system] ?? new Float64Array(), meanInterval, clusters)),
    essentialShare: nameAll((system) => (essential[system] ?? 0) / shared.length),
    expertShare: byExpert / shared.length,
    unrepeatedShare: unrepeated / shared.length,
    tasks: shared.length,
    infiniteTasks: frontier.reduce((count, cost) => count + Number(cost === Number.POSITIVE_INFINITY), 0),
  };
}

/** Totals of each task, system and half of the trials; arrays, because there may be a million trials. */
interface TrialSums {
  readonly systems: readonly string[];
  /** The first row of each task. */
  readonly first: readonly EvalRow[];
  readonly costs: Float64Array;
  readonly passes: Float64Array;
  readonly counts: Float64Array;
}

/** The halves that one fold adds up: trials with an even number, and those with an odd one. */
type Halves = readonly number[];
const WHOLE: readonly Halves[] = [[0, 1]];
const HALVES: readonly Halves[] = [[0], [1]];

/** Null if a cost is unknown. */
function sumTrials(rows: readonly EvalRow[], costOf: FrontierOptions["costOf"]): TrialSums | null {
  const [tasks, systems] = [new Map<string, number>(), new Map<string, number>()];
  const first: EvalRow[] = [];
  const taskOf = new Int32Array(rows.length).fill(-1);
  for (const [i, row] of rows.entries()) {
    if (row.outcome === "skipped") continue;
    if (!systems.has(row.system)) systems.set(row.system, systems.size);
    const key = formatTaskKey(row);
    const task = tasks.get(key) ?? tasks.size;
    if (task === tasks.size) first.push(row);
    tasks.set(key, task);
    taskOf[i] = task;
  }
  const size = first.length * systems.size * 2;
  const sums = {
    systems: [...systems.keys()],
    first,
    costs: new Float64Array(size),
    passes: new Float64Array(size),
    counts: new Float64Array(size),
  };
  for (const [i, row] of rows.entries()) {
    const task = taskOf[i] ?? -1;
    if (task < 0) continue;
    const cost = costOf(row);
    if (cost === undefined) return null;
    const at = locate(sums, task, systems.get(row.system) ?? 0, row.trial % 2);
    sums.costs[at] = (sums.costs[at] ?? 0) + cost;
    sums.passes[at] = (sums.passes[at] ?? 0) + Number(row.outcome === "pass");
    sums.counts[at] = (sums.counts[at] ?? 0) + 1;
  }
  return sums;
}

function locate({ systems }: Pick<TrialSums, "systems">, task: number, system: number, half: number): number {
  return (task * systems.length + system) * 2 + half;
}

/** A system that did not run a task could not have been chosen for it. */
function listSharedTasks(sums: TrialSums): number[] {
  const count = (task: number, system: number) =>
    (sums.counts[locate(sums, task, system, 0)] ?? 0) + (sums.counts[locate(sums, task, system, 1)] ?? 0);
  return [...sums.first.keys()].filter((task) => sums.systems.every((_, system) => count(task, system) > 0));
}

function hasBothHalves(sums: TrialSums, task: number): boolean {
  return sums.systems.every((_, system) =>
    [0, 1].every((half) => (sums.counts[locate(sums, task, system, half)] ?? 0) > 0),
  );
}

function priceTrials(sums: TrialSums, task: number, system: number, halves: Halves): number {
  let [cost, passes] = [0, 0];
  for (const half of halves) {
    const at = locate(sums, task, system, half);
    cost += sums.costs[at] ?? 0;
    passes += sums.passes[at] ?? 0;
  }
  return passes === 0 ? Number.POSITIVE_INFINITY : cost / passes;
}

interface ChosenSystem {
  /** Its cost in the trials that choose, and in those that price; Infinity if none passes. */
  least: number;
  price: number;
  /** What the task then costs. */
  cost: number;
}

/** The cheapest system, or the expert. */
function chooseSystem(
  chosenBy: readonly number[],
  pricedBy: readonly number[],
  expertCost: number,
  without = -1,
): ChosenSystem {
  let [least, price] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (const [system, cost] of chosenBy.entries())
    if (system !== without && cost < least) [least, price] = [cost, pricedBy[system] ?? Number.POSITIVE_INFINITY];
  return { least, price, cost: least >= expertCost ? expertCost : Math.min(expertCost, price) };
}

function priceWithout(prices: readonly (readonly number[])[], without: number, expertCost: number): number {
  return mean(
    prices.map((chosenBy, fold) => chooseSystem(chosenBy, prices.at(-1 - fold) ?? chosenBy, expertCost, without).cost),
  );
}

function subtractCosts(without: number, value: number): number {
  // Infinite with and without it: it changes nothing there.
  return without === value ? 0 : without - value;
}

/** A task that no other system passes outweighs one that it made infinite by luck in the half that chooses. */
function averageGains(gains: Float64Array): number {
  return gains.includes(Number.POSITIVE_INFINITY) ? Number.POSITIVE_INFINITY : mean(gains);
}

function estimateInterval(
  values: Float64Array,
  intervalOf: typeof meanInterval,
  clusters: readonly string[] | undefined,
): EstimateInterval {
  const n = values.length;
  if (!values.every(Number.isFinite)) return { low: null, high: null, n, reason: "not finite" };
  const found = intervalOf(values, { clusters });
  const reason = found.se === null ? undefined : "every value is 0";
  return toEstimateInterval({ ...found, n, groups: found.clusters, reason });
}

/** The groups of the tasks; undefined if no task has one. */
function numberClusters(tasks: readonly EvalRow[]): string[] | undefined {
  if (tasks.every(({ group }) => group == null)) return undefined;
  return tasks.map((row, i) =>
    row.group == null ? `\u0000${i}` : `${row.dataset}\u0000${typeof row.group}\u0000${row.group}`,
  );
}
