import { existsSync, readFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { EXIT, registry, UsageError } from "../core/index.js";
import { createFilesDefinition, loadDataset, MEMORY_DATASET_NAMES, type NamedFiles } from "../datasets/index.js";
import { formatPlural } from "../report/index.js";
import { writeAtomically } from "../utils/index.js";
import type { DatasetsOptions } from "./commands/datasets.js";
import { findConfig, loadConfig } from "./config-file.js";
import { printNote } from "./streams.js";

interface DatasetImport {
  name: string;
  files: readonly string[];
}

const NEW_CONFIG = "assay.config.yaml";

/** `assay datasets import NAME FILE…`: reads every row once, then adds the name to the config. */
export async function importDataset(wanted: DatasetImport, options: DatasetsOptions): Promise<number> {
  const { name } = wanted;
  requireDatasetName(name);
  const path = options.config ?? findConfig(process.cwd()) ?? NEW_CONFIG;
  const isThere = existsSync(path);
  const before = isThere ? (await loadConfig(path, options)).namedDatasets : undefined;
  requireUnusedName(name, before, options);
  const given = describeImport(wanted, options);
  const { examples, notes } = await checkImport(name, given);
  const anchored = { ...given, files: given.files.map((file) => relative(dirname(resolve(path)), resolve(file))) };
  if (/\.(?:ts|mjs|js)$/.test(path)) throw explainUnwritable(path, name, anchored);
  await writeNamedDataset(path, { name, given: anchored });
  printNote(
    `${name}: ${formatPlural(examples, "example")} in ${formatPlural(given.files.length, "file")}, added to ${path}.`,
  );
  for (const note of notes) printNote(note);
  printNote(`Use it: assay run --dataset ${name} …`);
  return EXIT.fine;
}

function requireDatasetName(name: string): void {
  if (/^[\w.-]+$/.test(name) && !name.startsWith(".")) return;
  throw new UsageError(`"${name}" is not a valid dataset name: use letters, digits, "-", "_" and ".".`);
}

function requireUnusedName(
  name: string,
  named: Readonly<Record<string, NamedFiles>> = {},
  { replace }: DatasetsOptions,
): void {
  if (registry.has("dataset", name) || MEMORY_DATASET_NAMES.includes(name))
    throw new UsageError(`The name "${name}" belongs to a built-in dataset or a plugin. Choose another one.`);
  if (Object.hasOwn(named, name) && replace !== true)
    throw new UsageError(`The config already has a dataset "${name}". Choose another name, or pass --replace.`);
}

function describeImport({ files }: DatasetImport, options: DatasetsOptions): NamedFiles {
  const { description, template, map, subject, evaluator, scoreField } = options;
  if (template !== undefined && (map !== undefined || subject !== undefined))
    throw new UsageError("--template already sets the columns. Remove --map and --subject.");
  return {
    files,
    ...(description === undefined ? {} : { description }),
    ...(template === undefined ? {} : { template }),
    ...(map === undefined ? {} : { map }),
    ...(subject === undefined ? {} : { subject }),
    ...(evaluator === undefined ? {} : { evaluators: evaluator }),
    ...(scoreField === undefined ? {} : { primaryField: scoreField }),
  };
}

/** Reads everything once, so that problems appear now and not in the middle of a run. */
async function checkImport(name: string, given: NamedFiles): Promise<{ examples: number; notes: readonly string[] }> {
  registry.register("dataset", name, createFilesDefinition(name, given, registry));
  const { examples, evaluators = [], primaryField, notes = [] } = await loadDataset(name, { registry });
  const { subject } = given;
  if (subject !== undefined && examples.every((example) => example[subject] === undefined))
    throw new UsageError(`No row has the field "${subject}" of --subject.`);
  const fields = evaluators.flatMap((evaluator) => evaluator.fields ?? []);
  if (primaryField !== undefined && fields.length > 0 && !fields.includes(primaryField))
    throw new UsageError(`No evaluator of ${name} returns "${primaryField}". Available scores: ${fields.join(", ")}.`);
  return { examples: examples.length, notes };
}

/** A config that is code is not rewritten. */
function explainUnwritable(path: string, name: string, given: NamedFiles): UsageError {
  return new UsageError(
    `${path} is code and is not changed. Add this to its config:\n\nnamedDatasets: {\n  ${JSON.stringify(name)}: ${JSON.stringify(given)},\n},`,
  );
}

/** Edits the file in place: comments and order are kept. */
async function writeNamedDataset(path: string, { name, given }: { name: string; given: NamedFiles }): Promise<void> {
  const { parseDocument, isMap } = await import("yaml");
  const document = parseDocument(existsSync(path) ? readFileSync(path, "utf8") : "");
  if (document.contents === null || !isMap(document.contents)) document.contents = document.createNode({}) as never;
  document.setIn(["namedDatasets", name], document.createNode(given));
  writeAtomically(path, document.toString());
}
