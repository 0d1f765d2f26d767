import { DatasetError } from "../../core/errors.js";
import { digest } from "../../core/fingerprint.js";
import type { EvalRow } from "../../core/row.js";
import { groupByKey } from "./fields.js";

/** What the trials tell about a dataset. */
export interface CollectedDataset {
  readonly name: string;
  readonly examples: number;
  readonly fingerprint: string;
  /** The systems that have trials on it. */
  readonly systems: readonly string[];
  /** The most common number of trials per system and example. */
  readonly trials: number;
  readonly primaryField: string | null;
}

interface CollectedExample {
  readonly dataset: string;
  /** SHA-256 of the whole example. */
  readonly content: string;
}

/** More missing trials than this are not gaps, but a sign that ids or systems were misread. */
const MAX_MISSING = 1_000_000;

/** Describes the datasets of imported rows, in the order they were found. */
export function describeImportedDatasets(
  rows: readonly EvalRow[],
  examples: Iterable<CollectedExample>,
): CollectedDataset[] {
  const known = groupByKey(examples, ({ dataset }) => dataset);
  const byDataset = groupByKey(rows, ({ dataset }) => dataset);
  return Array.from(byDataset, ([name, own]) => describeImportedDataset(name, own, known.get(name) ?? []));
}

function describeImportedDataset(
  name: string,
  rows: readonly EvalRow[],
  examples: readonly CollectedExample[],
): CollectedDataset {
  const systems = [...new Set(rows.map(({ system }) => system))];
  const trials = findTypicalTrialCount(rows);
  const missing = systems.length * examples.length * trials - rows.length;
  if (missing > MAX_MISSING)
    throw new DatasetError(
      `${name || "The dataset"} has ${examples.length} examples and ${systems.length} systems, but only ${rows.length} trials: most systems have different examples. Import the files one by one.`,
    );
  return {
    name,
    examples: examples.length,
    fingerprint: digest(examples.map(({ content }) => content).sort()),
    systems,
    trials,
    primaryField: rows.find(({ primaryField }) => primaryField !== null)?.primaryField ?? null,
  };
}

/** The most common number of trials; if tied, the larger. */
function findTypicalTrialCount(rows: readonly EvalRow[]): number {
  const slots = groupByKey(rows, ({ system, exampleId }) => JSON.stringify([system, exampleId]));
  const counts = groupByKey(slots.values(), (own) => own.length);
  const common = Array.from(counts, ([trials, slotsWith]) => ({ trials, times: slotsWith.length }));
  return common.toSorted((a, b) => b.times - a.times || b.trials - a.trials)[0]?.trials ?? 1;
}
