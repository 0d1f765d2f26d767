import type { EvalRow, StratifiedFigure } from "../core/index.js";
import { mean, stratifiedMean } from "../stats/index.js";
import type { AdjustedFigure } from "./history-adjustment.js";

/** By dataset and id of a task: the value of its stratum. */
export type StratumOf = (task: { dataset: string; exampleId: string }) => string | undefined;

/** Each dataset is a stratum too. */
const DATASET = "dataset";

/** The strata of the tasks of these rows, by a facet or by dataset; null if no task has the facet. */
export function readStrata(rows: readonly EvalRow[], facet: string): StratumOf | null {
  const strata = new Map<string, string>();
  for (const { dataset, exampleId, facets } of rows) {
    const value = facet === DATASET ? dataset : facets?.[facet];
    if (value !== undefined) strata.set(`${dataset}\u0000${exampleId}`, String(value));
  }
  return strata.size === 0 ? null : ({ dataset, exampleId }) => strata.get(`${dataset}\u0000${exampleId}`);
}

/** The facets by which tasks can be stratified. */
export function listStrata(rows: readonly EvalRow[]): string[] {
  const facets = rows.flatMap((row) => Object.keys(row.facets ?? {}));
  return [...new Set([...facets, ...(new Set(rows.map(({ dataset }) => dataset)).size > 1 ? [DATASET] : [])])];
}

/**
 * Estimates a figure for tasks in the same mix of strata: differences between strata then add nothing to the interval. The
 * value stays the mean over tasks.
 * @example
 * stratifyFigure(figure, readStrata(rows, "subject")).narrower; // 0.12
 */
export function stratifyFigure(
  { system, metric, values, lower, level }: AdjustedFigure,
  stratumOf: StratumOf,
): StratifiedFigure {
  const byStratum = new Map<string, number[]>();
  for (const task of values) {
    const stratum = stratumOf(task) ?? "–";
    const known = byStratum.get(stratum);
    if (known === undefined) byStratum.set(stratum, [task.value]);
    else known.push(task.value);
  }
  const strata = Array.from(byStratum, ([value, own]) => ({
    value,
    tasks: own.length,
    share: own.length / values.length,
    mean: mean(own),
  }));
  const facts = { system, metric, tasks: values.length, strata };
  const options = { lower, level };
  const isGrouped = new Set(values.map(({ group }, i) => group ?? i)).size < values.length;
  const all = values.map(({ value }) => value);
  const plain = all.length === 0 ? null : stratifiedMean([{ values: all, share: 1 }], options);
  const reason =
    all.length === 0
      ? "no task has a value"
      : isGrouped
        ? "its tasks belong to groups, which are the independent units"
        : strata.length < 2
          ? "all tasks are of one stratum"
          : null;
  const found =
    reason === null
      ? stratifiedMean(
          Array.from(byStratum.values(), (own) => ({ values: own, share: own.length / all.length })),
          options,
        )
      : null;
  return {
    ...facts,
    plain: pickBounds(plain),
    stratified: pickBounds(found),
    narrower: compareWidths(plain, found),
    reason,
  };
}

type Bounds = { value: number; low: number | null; high: number | null } | null;

function pickBounds(found: Bounds) {
  return found === null ? null : { value: found.value, low: found.low, high: found.high };
}

function compareWidths(plain: Bounds, found: Bounds): number | null {
  const [before, now] = [getWidth(plain), getWidth(found)];
  return before === null || now === null || before === 0 ? null : 1 - now / before;
}

function getWidth(found: Bounds): number | null {
  return found === null || found.low === null || found.high === null ? null : found.high - found.low;
}
