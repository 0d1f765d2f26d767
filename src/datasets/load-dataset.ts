import { extname } from "node:path";
import { type Dataset, type LoadOptions, makeDataset } from "../core/dataset.js";
import { DatasetError } from "../core/errors.js";
import type { Example } from "../core/example.js";
import { registry as defaultRegistry, type Registry } from "../core/registry.js";
import { AnswerQuality } from "../evaluators/answer-quality.js";
import { matches } from "./columns.js";
import { FILE_EXTENSIONS, loadFile } from "./load-file.js";
import { takeSample } from "./sample.js";

export interface LoadDatasetOptions extends LoadOptions {
  registry?: Registry;
}

/**
 * Loads a dataset by name (`needle`, `needle:lengths=500`) or from a local file.
 * @example
 * const dataset = await loadDataset("needle", { maxExamples: 20 });
 */
export async function loadDataset(name: string, options: LoadDatasetOptions = {}): Promise<Dataset> {
  const { registry = defaultRegistry, ...load } = options;
  if (isDatasetFile(name) && !registry.has("dataset", name)) return loadFile(name, load);
  const [base, config] = splitConfig(name);
  const definition = registry.get("dataset", base);
  const source = await definition.load(config === undefined ? load : { ...load, config });
  const found: Example[] = [];
  for await (const example of source) {
    if (matches(example, load.filter)) found.push({ ...example, dataset: example.dataset ?? base });
  }
  if (found.length === 0) throw new DatasetError(`The dataset "${name}" is empty, or no example matches the filter.`);
  // A definition may make use of the sample size or not; either way no more come through than were asked for.
  const examples = takeSample(found, load);
  return makeDataset({
    name: base,
    examples,
    // A definition that names none has its answers compared as text, like a file's.
    evaluators: definition.evaluators ?? [new AnswerQuality()],
    ...(definition.primaryField === undefined ? {} : { primaryField: definition.primaryField }),
  });
}

/** True for what names a file rather than a registered dataset. */
export function isDatasetFile(name: string): boolean {
  return /[\\/]/.test(name) || FILE_EXTENSIONS.includes(extname(name).toLowerCase());
}

function splitConfig(name: string): [string, string?] {
  const colon = name.indexOf(":");
  return colon === -1 ? [name] : [name.slice(0, colon), name.slice(colon + 1)];
}
