import type { EvalConfig, EvalResult } from "../../core/result.js";
import { hasTag } from "./card-tags.js";
import { datasetName } from "./cards.js";
import type { RunCard, RunFilter } from "./contract.js";

/** Whether a run has anything of what a filter asks for. */
export function hasAny({ datasets, tags }: RunCard, { dataset, tag }: RunFilter): boolean {
  const isOnDataset = dataset === undefined || datasets.some(({ name }) => name === dataset);
  return isOnDataset && (tag === undefined || tags.includes(tag));
}

/** Whether a run has nothing else, so that its figures are those of the filter. */
export function hasNothingElse({ datasets }: RunCard, { dataset, tag }: RunFilter): boolean {
  return tag === undefined && (dataset === undefined || datasets.every(({ name }) => name === dataset));
}

/** What a filter leaves of a run, with figures of its own; null when it leaves nothing. */
export function sliceOf(result: EvalResult, { dataset, tag }: RunFilter): EvalResult | null {
  const own = dataset === undefined ? null : tagsOfDataset(result.config, dataset);
  const slice = result.filter(
    (row) => (own === null || own.has(row.dataset)) && (tag === undefined || hasTag(row, tag)),
  );
  return slice.rows.length === 0 ? null : slice;
}

/** Examples of one dataset may carry the names of several. */
function tagsOfDataset({ datasets }: EvalConfig, name: string): Set<string> {
  return new Set(datasets.filter((dataset) => datasetName(dataset.name) === name).flatMap(({ tags }) => tags));
}
