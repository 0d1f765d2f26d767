import { type Dataset, makeDataset } from "../../core/dataset.js";
import { NothingToRunError, UsageError } from "../../core/errors.js";
import type { StimulusName } from "./record.js";
import { inShard, type Shard } from "./shard.js";
import type { SpecReader } from "./spec-reader.js";
import type { PlannedEval, VariantPlan } from "./variant-plan.js";

/** The dataset of one eval of one variant, and the name that its eval has in all variants. */
export interface VariantDataset {
  readonly evalName: string;
  readonly dataset: Dataset;
}

/** The datasets of all variants; those that the filters leave nothing of are left out. */
export async function datasetsOf(
  variants: readonly VariantPlan[],
  reader: SpecReader,
  tags: readonly string[],
): Promise<VariantDataset[]> {
  const made: VariantDataset[] = [];
  for (const planned of variants.flatMap(({ evals }) => evals))
    made.push({ evalName: planned.name, dataset: await datasetOfEval(planned, reader, tags) });
  requireOwnNames(made.map(({ dataset }) => dataset.name));
  const filled = made.filter(({ dataset }) => dataset.examples.length > 0);
  if (filled.length === 0) throw new NothingToRunError(`No stimulus has the tags ${tags.join(", ")}. Check --tag.`);
  return filled;
}

async function datasetOfEval(planned: PlannedEval, reader: SpecReader, tags: readonly string[]): Promise<Dataset> {
  const { dataset: name, spec, systems, limits } = planned;
  const stimuli = tags.length === 0 ? spec.stimuli : spec.stimuli.filter((each) => reader.isWanted(each.tags, tags));
  // The gates of an eval are for the eval as it is; a baseline without the skill under test is meant to miss them.
  // Its notes are those of the plan, which says each once and not for every variant.
  const { gates: _, fingerprint: __, notes: ___, ...made } = await reader.dataset({ ...spec, stimuli });
  return makeDataset({
    ...made,
    name,
    examples: made.examples.map((example) => ({ ...example, dataset: name })),
    terms: { ...made.terms, systems, trials: limits.runs },
  });
}

/** `a` with the eval `b/c`, and `a/b` with the eval `c`, would be one dataset. */
function requireOwnNames(names: readonly string[]): void {
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice === undefined) return;
  throw new UsageError(
    `Two datasets of the experiment would be called "${twice}". Rename a variant or an eval so that no / stands in it.`,
  );
}

/** The stimuli of all variants, each once. */
function stimuliOf(datasets: readonly VariantDataset[]): Set<string> {
  return new Set(datasets.flatMap((each) => each.dataset.examples.map(({ id }) => keyOf(each, id))));
}

function keyOf({ evalName }: VariantDataset, id: string | number): string {
  return JSON.stringify([evalName, id]);
}

/** The stimuli of all variants in the order of their eval files, each once. */
export function stimuliInOrder(datasets: readonly VariantDataset[]): StimulusName[] {
  const evals = [...new Set(datasets.map(({ evalName }) => evalName))];
  const sorted = evals.flatMap((name) => datasets.filter(({ evalName }) => evalName === name));
  return [...stimuliOf(sorted)].map((key) => JSON.parse(key) as StimulusName);
}

/** How many trials these datasets ask of some systems. */
export function trialsOf(datasets: readonly Dataset[], systems: readonly string[]): number {
  const asked = ({ terms }: Dataset) => systems.filter((system) => terms?.systems?.includes(system)).length;
  return datasets.reduce((sum, each) => sum + asked(each) * each.examples.length * (each.terms?.trials ?? 1), 0);
}

/** The datasets with the stimuli of a shard alone. */
export function datasetsInShard(datasets: readonly VariantDataset[], shard: Shard): VariantDataset[] {
  const wanted = inShard(stimuliOf(datasets), shard);
  return datasets.flatMap((each) => {
    const examples = each.dataset.examples.filter(({ id }) => wanted.has(keyOf(each, id)));
    return examples.length === 0 ? [] : [{ ...each, dataset: makeDataset({ ...each.dataset, examples }) }];
  });
}
