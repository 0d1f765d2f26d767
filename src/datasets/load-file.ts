import { createHash } from "node:crypto";
import { dirname } from "node:path";
import { type Dataset, type LoadOptions, makeDataset } from "../core/dataset.js";
import { DatasetError, messageOf, UsageError } from "../core/errors.js";
import type { Evaluator } from "../core/evaluator.js";
import type { Example } from "../core/example.js";
import { canonicalJson } from "../core/fingerprint.js";
import { registry as defaultRegistry, type Permissions, type Registry } from "../core/registry.js";
import { describe } from "../core/shape.js";
import { AnswerQuality } from "../evaluators/answer-quality.js";
import { checkEnvironment } from "../exec/workspace/environment-check.js";
import type { EnvironmentReader } from "../exec/workspace/environment-reader.js";
import { nameOfFile, requireFile, rowFormatOf } from "./formats.js";
import { loadRows, stratum } from "./load-rows.js";
import { namedEvaluator } from "./named-evaluator.js";
import { closeFiles, openRowFile, type RowFile } from "./row-file.js";
import type { RawRow } from "./source-row.js";
import { type Conversion, type ToExampleOptions, toExample } from "./to-example.js";

export interface LoadFileOptions extends LoadOptions {
  /** Where the evaluator of examples that name graders comes from: the shared one unless told. */
  registry?: Registry;
  /** What that evaluator is allowed. */
  permissions?: Permissions | undefined;
}

/**
 * Loads a dataset from a local file, chosen by its extension.
 * @example
 * const dataset = await loadFile("questions.csv", { map: { question: "prompt" }, maxExamples: 50 });
 */
export async function loadFile(path: string, options: LoadFileOptions = {}): Promise<Dataset> {
  if (options.config !== undefined) {
    throw new UsageError(`"${path}" is a file and has no config "${options.config}". Use --filter to choose rows.`);
  }
  return loadFiles([path], { ...options, name: nameOfFile(path) });
}

/** Options of `loadFiles`. */
export interface LoadFilesOptions extends LoadFileOptions {
  /** What the dataset is called. */
  name: string;
  /** The field that samples are stratified by. */
  subject?: string;
}

/**
 * Loads one dataset from the rows of several local files.
 * @example
 * const dataset = await loadFiles(["easy.jsonl", "hard.jsonl"], { name: "questions" });
 */
export async function loadFiles(paths: readonly string[], options: LoadFilesOptions): Promise<Dataset> {
  for (const path of paths) {
    requireFile(path);
    rowFormatOf(path);
  }
  const files: RowFile[] = [];
  try {
    for (const path of paths) files.push(await openRowFile({ path }));
    return await readAll(files, { paths, options });
  } finally {
    await closeFiles(files);
  }
}

interface FilesToRead {
  readonly paths: readonly string[];
  readonly options: LoadFilesOptions;
}

async function readAll(rowFiles: readonly RowFile[], { paths, options }: FilesToRead): Promise<Dataset> {
  const { name, subject, ...rows } = rowOptions(options);
  const hash = createHash("sha256");
  const conversion = conversionOf(rowFiles, { dataset: name, ...(rows.map && { map: rows.map }) });
  const { examples, notes, groupBy } = await loadRows({
    ...rows,
    name: rowFiles.length === 1 ? (rowFiles[0]?.name ?? name) : name,
    rowFiles,
    seen: hash,
    ...(subject === undefined ? {} : { stratumOf: (example: Example) => stratum(example, subject) }),
    convert: conversion.convert,
  });
  const { registry = defaultRegistry, permissions } = options;
  const tasks = conversion.mayBeTasks() ? examples : [];
  await fillEnvironments(tasks, (example) => {
    const { file, line } = conversion.placeOf(example);
    return { path: paths[file] ?? "", at: rowFiles[file]?.at(line) ?? name };
  });
  const graders = await graderEvaluators(tasks, { registry, permissions });
  // Known by the files' bytes and by how rows were chosen from them, where all of them were read anyway, and all there is.
  const isKnownByBytes = rowFiles.every(({ table }) => table === undefined) && !tasks.some(hasEnvironment);
  return makeDataset({
    name,
    examples,
    ...(isKnownByBytes && {
      fingerprint: { of: examples, sha256: hash.update(canonicalJson({ ...rows, subject })).digest("hex") },
    }),
    // Where a file says nothing about how it is to be scored, its answers are compared as text.
    evaluators: graders ?? [new AnswerQuality()],
    notes,
    ...(groupBy === undefined ? {} : { groupBy }),
  });
}

/** How rows become examples, and where one that names things beside its file is from. */
function conversionOf(rowFiles: readonly RowFile[], renaming: ToExampleOptions) {
  // Made once: a large file waits for the conversion of each row.
  const conversions = rowFiles.map(({ textOnly }) => ({ ...renaming, textOnly }));
  const places = new WeakMap<Example, { file: number; line: number }>();
  let mayBeTasks = false;
  return {
    convert: (row: RawRow, file: number, line: number): Conversion => {
      const converted = toExample(row, conversions[file]);
      if (!("example" in converted)) return converted;
      const { graders, environment } = converted.example;
      // Nearly every row of nearly every file.
      if (graders === undefined && environment === undefined) return converted;
      mayBeTasks = true;
      const problem = problemWithTask(converted.example);
      if (problem !== null) return { problem };
      if (hasEnvironment(converted.example)) places.set(converted.example, { file, line });
      return converted;
    },
    placeOf: (example: Example) => places.get(example) ?? { file: 0, line: 0 },
    /** False when no row so far named graders or an environment: then no example has to be looked at again. */
    mayBeTasks: () => mayBeTasks,
  };
}

/** What of the options says which rows are taken, and as what. */
function rowOptions(options: LoadFilesOptions): Omit<LoadFilesOptions, NotOfRows> {
  const { files: _, onDownload: __, signal: ___, registry: ____, permissions: _____, ...rest } = options;
  return rest;
}

type NotOfRows = "files" | "onDownload" | "signal" | "registry" | "permissions";

/** Where the evaluators that examples call for come from. */
interface EvaluatorSource {
  readonly registry: Registry;
  readonly permissions?: Permissions | undefined;
}

/** The evaluator of examples that name graders. */
const GRADERS = "graders";

/** An evaluator that can tell before a run whether an example fits it. */
interface ChecksExamples {
  checkExample?(example: Example): void;
}

/**
 * The evaluators that the examples of a file call for, when they name graders; null when none does. A verdict and a
 * comparison of answers do not make one result, so that all have graders or none.
 */
async function graderEvaluators(
  examples: readonly Example[],
  { registry, permissions }: EvaluatorSource,
): Promise<readonly Evaluator[] | null> {
  const without = examples.find((example) => !Array.isArray(example.graders));
  const count = examples.filter((example) => Array.isArray(example.graders)).length;
  if (count === 0) return null;
  if (without !== undefined)
    throw new DatasetError(
      `${count} of ${examples.length} examples have graders, but ${JSON.stringify(without.id)} has none. Give all of them graders, or put the others into a file of their own.`,
    );
  const bare = examples.find(({ graders }) => Array.isArray(graders) && graders.length === 0);
  if (bare !== undefined)
    throw new DatasetError(`The example ${JSON.stringify(bare.id)}: its list of graders is empty. Name at least one.`);
  const evaluator = await namedEvaluator(registry, GRADERS, permissions);
  for (const example of examples) (evaluator as ChecksExamples).checkExample?.(example);
  return [evaluator];
}

/** What makes an object in `environment` the place an agent works in, and not a column that happens to have the name. */
const PARTS = ["git", "files", "commands", "env", "skills", "mcpServers"];

/** True for an example that describes the place an agent works in. */
function hasEnvironment({ environment, graders }: Readonly<Record<string, unknown>>): boolean {
  if (typeof environment !== "object" || environment === null) return false;
  return Array.isArray(graders) || PARTS.some((part) => Object.hasOwn(environment, part));
}

/**
 * What is wrong with the graders or the environment of an example, as far as the row alone tells; null when nothing is.
 * Graders that are no list would be passed over, and answers compared as text instead.
 */
function problemWithTask(example: Readonly<Record<string, unknown>>): string | null {
  const { graders, environment } = example;
  if (!isNothing(graders) && !Array.isArray(graders))
    return `has ${describe(graders)} and not a list in "graders" (JSON and JSONL can hold one; a column about something else needs another name)`;
  const isTask = Array.isArray(graders) && !isNothing(environment);
  return isTask || hasEnvironment(example) ? problemWithEnvironment(environment) : null;
}

/** An empty cell is no value. */
function isNothing(value: unknown): boolean {
  return value === undefined || value === null || value === "";
}

function problemWithEnvironment(environment: unknown): string | null {
  try {
    checkEnvironment(environment);
    return null;
  } catch (error) {
    return `cannot be used: ${messageOf(error).replace(/\.$/, "")}`;
  }
}

/** Where an example is from: its file, and its place there as messages name it. */
interface ExamplePlace {
  readonly path: string;
  readonly at: string;
}

/**
 * Puts the content of the files that environments name into them, so that every trial gets the same and content
 * identifies the example. `placeOf` says where an example is from: what it names lies beside its file.
 */
async function fillEnvironments(
  examples: readonly Example[],
  placeOf: (example: Example) => ExamplePlace,
): Promise<void> {
  const placed = examples.filter(hasEnvironment);
  if (placed.length === 0) return;
  const { EnvironmentReader: Reader } = await import("../exec/workspace/environment-reader.js");
  const readers = new Map<string, EnvironmentReader>();
  for (const example of placed) {
    const { path, at } = placeOf(example);
    const dir = dirname(path);
    const reader = readers.get(dir) ?? new Reader(dir);
    readers.set(dir, reader);
    example.environment = await filled(reader, example, at);
  }
}

async function filled(reader: EnvironmentReader, { id, environment }: Example, at: string): Promise<unknown> {
  try {
    return await reader.read(environment);
  } catch (cause) {
    throw new DatasetError(`${at}: the example ${JSON.stringify(id)}: ${messageOf(cause)}`, { cause });
  }
}
