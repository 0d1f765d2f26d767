import type { TrialKey } from "../../core/row.js";

export interface FoundTrial<T> {
  readonly found: T | null;
  /** When the address names no dataset and several have the trial: their names. */
  readonly datasets: readonly string[];
}

/**
 * Finds a trial by its key. Where the key names no dataset, a trial that only one dataset has is found without it, so
 * that an address can be written by hand.
 * @example
 * findTrial(rows, { system: "a", dataset: "", exampleId: 1, trial: 0 }).found;
 */
export function findTrial<T extends TrialKey>(trials: readonly T[], key: TrialKey): FoundTrial<T> {
  const matches = trials.filter(
    ({ system, exampleId, trial }) => system === key.system && exampleId === key.exampleId && trial === key.trial,
  );
  const exact = matches.find(({ dataset }) => dataset === key.dataset);
  if (exact !== undefined) return { found: exact, datasets: [] };
  if (key.dataset !== "" || matches.length === 0) return { found: null, datasets: [] };
  const [only] = matches;
  return matches.length === 1 && only !== undefined
    ? { found: only, datasets: [] }
    : { found: null, datasets: matches.map(({ dataset }) => dataset) };
}
