import type { DatasetDefinition, LoadOptions, Registry } from "../core/index.js";
import { UsageError } from "../core/index.js";
import { type LoadFileOptions, loadFiles } from "./load-file.js";

/** A named dataset of local files in a config. */
export interface NamedFiles {
  /** Paths relative to the config file. */
  files: readonly string[];
  /** One-line description. */
  description?: string;
  /** Built-in dataset with the same columns: rows are read, prompted and scored like it. */
  template?: string;
  /** Field → column of the files. */
  map?: Readonly<Record<string, string>>;
  /** Field for stratified samples and for breaking down results. */
  subject?: string;
  /** Names of its evaluators. */
  evaluators?: readonly string[];
  /** The score that decides pass or fail. */
  primaryField?: string;
  /** What a human expert charges for one example, in dollars. */
  expertCostUsd?: number;
}

/**
 * Creates the definition of a dataset of named files.
 * @example
 * registry.register("dataset", "faq", createFilesDefinition("faq", { files: ["faq.csv"] }, registry));
 */
export function createFilesDefinition(name: string, given: NamedFiles, registry: Registry): DatasetDefinition {
  const { description, template, evaluators, primaryField } = given;
  return {
    description: description ?? `Files of this project: ${given.files.join(", ")}.`,
    ...(evaluators === undefined ? {} : { evaluators }),
    ...(primaryField === undefined ? {} : { primaryField }),
    load: (options) =>
      template === undefined
        ? loadPlainFiles(name, given, { ...options, registry })
        : loadWithTemplate({ template, name }, given, { options, registry }),
  };
}

async function loadPlainFiles(name: string, given: NamedFiles, options: LoadFileOptions) {
  const { files, subject } = given;
  if (options.config !== undefined)
    throw new UsageError(`${name} has no config "${options.config}". Choose rows with --filter.`);
  const map = { ...given.map, ...options.map };
  const { examples, notes, fingerprint, groupBy, evaluators } = await loadFiles(files, {
    ...options,
    name,
    ...(Object.keys(map).length === 0 ? {} : { map }),
    ...(subject === undefined ? {} : { subject }),
  });
  return {
    examples,
    isChosen: true,
    notes: notes ?? [],
    // The config takes precedence.
    ...(given.evaluators === undefined && evaluators !== undefined && { evaluators }),
    ...(fingerprint === undefined ? {} : { fingerprint }),
    ...(subject === undefined ? {} : { facets: [subject] }),
    ...(groupBy === undefined ? {} : { groupBy }),
    ...(given.expertCostUsd === undefined ? {} : { expertCostUsd: given.expertCostUsd }),
  };
}

interface TemplateName {
  template: string;
  name: string;
}

async function loadWithTemplate(
  { template, name }: TemplateName,
  { files, evaluators, primaryField, expertCostUsd }: NamedFiles,
  { options, registry }: { options: LoadOptions; registry: Registry },
) {
  const [base = template, config] = template.split(/:(.*)/s);
  const definition = registry.get("dataset", base);
  if (definition.hasTemplate !== true)
    throw new UsageError(
      `${name} uses the template "${base}", but that dataset is not a template. Run assay datasets to list those that are.`,
    );
  const loaded = await definition.load({ ...options, files, ...(config === undefined ? {} : { config }) });
  if (!("examples" in loaded)) return loaded;
  return {
    ...loaded,
    name,
    examples: loaded.examples.map((example) => ({ ...example, dataset: name })),
    ...(evaluators === undefined ? {} : { evaluators }),
    ...(primaryField === undefined ? {} : { primaryField }),
    ...(expertCostUsd === undefined ? {} : { expertCostUsd }),
  };
}
