import { UsageError } from "./errors.js";
import type { DatasetConfig } from "./result.js";
import { didYouMean } from "./suggest.js";

/** What one system adds to the frontier cost of a pass; a bound is null if unknown. */
export interface FrontierSystem {
  system: string;
  /** The share of tasks in which it is the cheapest. */
  essentialShare: number;
  /** How much the frontier rises without it, in dollars; null if that is not finite. */
  gainUsd: number | null;
  low: number | null;
  high: number | null;
}

/** The frontier cost of a pass: every task is done by the cheapest system, or by an expert. */
export interface FrontierReport {
  /** Mean cost of a pass in dollars; null if it is not finite. */
  valueUsd: number | null;
  low: number | null;
  high: number | null;
  /** Why the value is null. */
  reason: string | null;
  /** True if a task has one trial, which both chooses and prices its cheapest system: the value is then too low. */
  isBiased: boolean;
  /**
   * With several trials: the share of choices whose system did not pass in the half of the trials that prices it, and
   * counts as an expert there. With few trials this makes the value too high.
   */
  unrepeatedShare: number;
  /** Tasks that every system ran. */
  tasks: number;
  /** Those without a finite cost. */
  infiniteTasks: number;
  /** The datasets with a known cost of an expert, in dollars per example. */
  expertCostUsd: Readonly<Record<string, number>>;
  /** The share of tasks in which an expert is cheaper than every system. */
  expertShare: number;
  /** In the order of the run. */
  systems: readonly FrontierSystem[];
}

/** What an expert charges for one example, in dollars: for every dataset, or by the name of the dataset. */
export type ExpertCosts = number | Readonly<Record<string, number>>;

/** For datasets without a name. */
const UNNAMED_DATASET = "examples";

/**
 * Adds the cost of an expert to the datasets of a run. Throws a `UsageError` for a dataset that the run does not have.
 * @example
 * addExpertCosts(config.datasets, { gsm8k: 3.5 }, "--expert-cost");
 */
export function addExpertCosts(
  datasets: readonly DatasetConfig[],
  costs: ExpertCosts,
  where: string,
): readonly DatasetConfig[] {
  if (typeof costs === "number") {
    checkExpertCost(costs, where);
    return datasets.map((dataset) => ({ ...dataset, expertCostUsd: costs }));
  }
  if (typeof costs !== "object" || costs === null)
    throw new UsageError(`${where} must be an amount in dollars, or one for each dataset.`);
  const added = new Map<DatasetConfig, number>();
  for (const [name, cost] of Object.entries(costs)) {
    checkExpertCost(cost, `${where} of ${name}`);
    const named = datasets.filter((dataset) => hasName(dataset, name));
    if (named.length === 0) throw new UsageError(describeUnknownDataset(name, datasets, where));
    for (const dataset of named) added.set(dataset, cost);
  }
  return datasets.map((dataset) => {
    const cost = added.get(dataset);
    return cost === undefined ? dataset : { ...dataset, expertCostUsd: cost };
  });
}

/** Throws a `UsageError` that names `where` the cost was given. */
export function checkExpertCost(cost: unknown, where: string): void {
  if (typeof cost !== "number" || !Number.isFinite(cost) || cost <= 0)
    throw new UsageError(`${where} must be an amount in dollars above 0, not ${JSON.stringify(cost) ?? "undefined"}.`);
}

/** `mmlu` stands for each of its configs. */
function hasName({ name }: DatasetConfig, wanted: string): boolean {
  return name === wanted || name.split(":", 1)[0] === wanted || (name === "" && wanted === UNNAMED_DATASET);
}

function describeUnknownDataset(name: string, datasets: readonly DatasetConfig[], where: string): string {
  const known = datasets.map((dataset) => dataset.name || UNNAMED_DATASET);
  return `${where} names the dataset "${name}", which the run does not have.${didYouMean(name, known)}`;
}
