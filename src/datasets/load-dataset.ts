import type { Evaluator, Example, ExampleSource } from "../core/index.js";
import {
  type Dataset,
  type DatasetDefinition,
  DatasetError,
  registry as defaultRegistry,
  type LoadedExamples,
  type LoadOptions,
  makeDataset,
  type Permissions,
  type Registry,
} from "../core/index.js";
import { AnswerQuality } from "../evaluators/index.js";
import { matchesFilter } from "./columns.js";
import { isDatasetFile, parseDatasetSpec } from "./dataset-spec.js";
import { createEvaluatorByName, loadFile } from "./load-file.js";
import { takeSample } from "./sample.js";

/** Options of `loadDataset`. */
export interface LoadDatasetOptions extends LoadOptions {
  registry?: Registry;
  /** Permissions of the evaluators that the dataset names. */
  permissions?: Permissions;
}

/**
 * Loads a dataset by name (`needle`, `mmlu:anatomy`), from a local file, or from local files that are read like a named
 * dataset (`gsm8k=test.jsonl`).
 * @example
 * const dataset = await loadDataset("needle", { maxExamples: 20 });
 */
export async function loadDataset(spec: string, options: LoadDatasetOptions = {}): Promise<Dataset> {
  const { registry = defaultRegistry } = options;
  if (isDatasetFile(spec) && !registry.has("dataset", spec)) return loadFile(spec, { ...options, registry });
  const { name, ...place } = parseDatasetSpec(spec, registry);
  return loadDefinition(registry.get("dataset", name), options, { name, spec, place });
}

/** A dataset that is not registered: a definition with its name. */
export interface NamedDataset extends DatasetDefinition {
  readonly name: string;
}

/** Loads a dataset that is not registered. */
export function loadNamedDataset(dataset: NamedDataset, options: LoadDatasetOptions): Promise<Dataset> {
  return loadDefinition(dataset, options, { name: dataset.name, spec: dataset.name, place: {} });
}

interface DefinitionPlace {
  name: string;
  /** As the user wrote it. */
  spec: string;
  /** Config, revision and files. */
  place: LoadOptions;
}

async function loadDefinition(
  definition: DatasetDefinition,
  options: LoadDatasetOptions,
  { name, spec, place }: DefinitionPlace,
): Promise<Dataset> {
  const { registry = defaultRegistry, permissions, ...load } = options;
  const loaded = await definition.load({ ...load, ...place });
  const { examples, isChosen: _, ...about } = await sampleLoaded(loaded, name, load);
  if (examples.length === 0)
    throw new DatasetError(`The dataset "${spec}" is empty, or no example matches the filter.`);
  return makeDataset({
    name,
    ...pickPrimaryField(definition),
    ...about,
    examples,
    evaluators: await createDatasetEvaluators(about.evaluators ?? definition.evaluators, registry, permissions),
  });
}

/** Reduces what was loaded to the requested sample. */
async function sampleLoaded(
  loaded: ExampleSource | LoadedExamples,
  name: string,
  load: LoadOptions,
): Promise<LoadedExamples> {
  if (!isLoadedExamples(loaded)) return { examples: await selectExamples(loaded, name, load) };
  return loaded.isChosen === true ? loaded : { ...loaded, examples: await selectExamples(loaded.examples, name, load) };
}

/** A definition may ignore the sample size, so it is applied here. */
async function selectExamples(source: ExampleSource, name: string, load: LoadOptions): Promise<readonly Example[]> {
  const found: Example[] = [];
  for await (const example of source) {
    if (matchesFilter(example, load.filter)) found.push({ ...example, dataset: example.dataset ?? name });
  }
  return takeSample(found, load);
}

function isLoadedExamples(loaded: ExampleSource | LoadedExamples): loaded is LoadedExamples {
  return "examples" in loaded && !(Symbol.iterator in loaded);
}

function pickPrimaryField({ primaryField }: DatasetDefinition): Pick<Dataset, "primaryField"> {
  return primaryField === undefined ? {} : { primaryField };
}

/** Added by the run, which has the judge's model. */
const JUDGE_EVALUATOR = "llm_judge";

/** Default: compare answers as text. */
async function createDatasetEvaluators(
  given: readonly (Evaluator | string)[] | undefined,
  registry: Registry,
  permissions: Permissions | undefined,
): Promise<Evaluator[]> {
  if (given === undefined) return [new AnswerQuality()];
  const own = given.filter((one) => one !== JUDGE_EVALUATOR);
  return Promise.all(
    own.map(async (one) => (typeof one === "string" ? createEvaluatorByName(registry, one, permissions) : one)),
  );
}
