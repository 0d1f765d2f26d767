import type { DatasetDefinition, LoadOptions } from "../core/dataset.js";
import { UsageError } from "../core/errors.js";
import type { Registry } from "../core/registry.js";
import { type LoadFileOptions, loadFiles } from "./load-file.js";

/** Files of a project that have a name, as its config describes them. */
export interface NamedFiles {
  /** The files, relative to the config file. */
  files: readonly string[];
  /** What it is, in one line. */
  description?: string;
  /** The built-in dataset whose rows these are: they are read, asked and scored as it is. */
  template?: string;
  /** Field → column of the files. */
  map?: Readonly<Record<string, string>>;
  /** The field that samples are stratified by and results broken down by. */
  subject?: string;
  /** The evaluators that score it. */
  evaluators?: readonly string[];
  /** The score that decides pass or fail. */
  primaryField?: string;
}

/**
 * A dataset that is loaded from named files.
 * @example
 * registry.register("dataset", "faq", namedFiles("faq", { files: ["faq.csv"] }, registry));
 */
export function namedFiles(name: string, given: NamedFiles, registry: Registry): DatasetDefinition {
  const { description, template, evaluators, primaryField } = given;
  return {
    description: description ?? `Files of this project: ${given.files.join(", ")}.`,
    ...(evaluators === undefined ? {} : { evaluators }),
    ...(primaryField === undefined ? {} : { primaryField }),
    load: (options) =>
      template === undefined
        ? loadPlain(name, given, { ...options, registry })
        : loadAs({ template, name }, given, { options, registry }),
  };
}

async function loadPlain(name: string, given: NamedFiles, options: LoadFileOptions) {
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
    // What the config says of them comes first.
    ...(given.evaluators === undefined && evaluators !== undefined && { evaluators }),
    ...(fingerprint === undefined ? {} : { fingerprint }),
    ...(subject === undefined ? {} : { facets: [subject] }),
    ...(groupBy === undefined ? {} : { groupBy }),
  };
}

interface Template {
  template: string;
  name: string;
}

async function loadAs(
  { template, name }: Template,
  { files, evaluators, primaryField }: NamedFiles,
  { options, registry }: { options: LoadOptions; registry: Registry },
) {
  const [base = template, config] = template.split(/:(.*)/s);
  const definition = registry.get("dataset", base);
  if (definition.hasTemplate !== true)
    throw new UsageError(`${name} names the template "${base}", which has none. See assay datasets for those that do.`);
  const loaded = await definition.load({ ...options, files, ...(config === undefined ? {} : { config }) });
  if (!("examples" in loaded)) return loaded;
  return {
    ...loaded,
    name,
    examples: loaded.examples.map((example) => ({ ...example, dataset: name })),
    ...(evaluators === undefined ? {} : { evaluators }),
    ...(primaryField === undefined ? {} : { primaryField }),
  };
}
