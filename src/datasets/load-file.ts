import { createHash } from "node:crypto";
import { dirname } from "node:path";
import type { Evaluator, Example } from "../core/index.js";
import {
  canonicalJson,
  type Dataset,
  DatasetError,
  registry as defaultRegistry,
  describeValue,
  getErrorMessage,
  hasExampleFiles,
  type LoadOptions,
  makeDataset,
  type Permissions,
  type Registry,
  UsageError,
} from "../core/index.js";
import { AnswerQuality } from "../evaluators/index.js";
import type { EnvironmentReader } from "../exec/index.js";
import { checkEnvironment, ENVIRONMENT_KEYS } from "../exec/index.js";
import { type Conversion, type ConvertRowOptions, convertRow } from "./convert-row.js";
import { ExampleFileReader } from "./example-files.js";
import { getFileStem, requireFile, requireRowFormat } from "./formats.js";
import { getStratum, loadRows } from "./load-rows.js";
import { closeFiles, openRowFile, type RowFile } from "./row-file.js";
import type { RawRow } from "./source-row.js";

export interface LoadFileOptions extends LoadOptions {
  /** Registry for the evaluator of examples with graders. Default: the shared one. */
  registry?: Registry;
  /** Permissions of that evaluator. */
  permissions?: Permissions | undefined;
}

/**
 * Loads a dataset from a local file; the extension decides the format.
 * @example
 * const dataset = await loadFile("questions.csv", { map: { question: "prompt" }, maxExamples: 50 });
 */
export async function loadFile(path: string, options: LoadFileOptions = {}): Promise<Dataset> {
  if (options.config !== undefined) {
    throw new UsageError(`"${path}" is a file and has no config "${options.config}". Use --filter to choose rows.`);
  }
  return loadFiles([path], { ...options, name: getFileStem(path) });
}

/** Options of `loadFiles`. */
export interface LoadFilesOptions extends LoadFileOptions {
  /** Name of the dataset. */
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
    requireRowFormat(path);
  }
  const files: RowFile[] = [];
  try {
    for (const path of paths) files.push(await openRowFile({ path }));
    return await readFiles(files, { paths, options });
  } finally {
    await closeFiles(files);
  }
}

interface FilesInput {
  readonly paths: readonly string[];
  readonly options: LoadFilesOptions;
}

async function readFiles(rowFiles: readonly RowFile[], { paths, options }: FilesInput): Promise<Dataset> {
  const { name, subject, ...rows } = pickRowOptions(options);
  const hash = createHash("sha256");
  const conversion = createConversion(rowFiles, {
    dataset: name,
    ...(rows.map && { map: rows.map }),
    ...(options.anyColumns === undefined ? {} : { anyColumns: options.anyColumns }),
  });
  const { examples, notes, groupBy } = await loadRows({
    ...rows,
    name: rowFiles.length === 1 ? (rowFiles[0]?.name ?? name) : name,
    rowFiles,
    seen: hash,
    ...(subject === undefined ? {} : { getStratum: (example: Example) => getStratum(example, subject) }),
    convert: conversion.convert,
  });
  const { registry = defaultRegistry, permissions } = options;
  const tasks = conversion.mayBeTasks() ? examples : [];
  const locate = (example: Example): ExampleLocation => {
    const { file, line } = conversion.placeOf(example);
    return { path: paths[file] ?? "", at: rowFiles[file]?.at(line) ?? name };
  };
  await fillEnvironments(tasks, locate);
  const withFiles = examples.filter(hasExampleFiles);
  await attachExampleFiles(withFiles, locate);
  const graders = await createGraderEvaluators(tasks, { registry, permissions });
  // Identified by the bytes and the row options if all files were read completely and contain everything.
  const isKnownByBytes =
    rowFiles.every(({ table }) => table === undefined) && !tasks.some(hasEnvironment) && withFiles.length === 0;
  return makeDataset({
    name,
    examples,
    ...(isKnownByBytes && {
      fingerprint: {
        of: examples,
        sha256: hash.update(canonicalJson({ ...rows, subject, ...pickSkipping(options) })).digest("hex"),
      },
    }),
    // Default: compare answers as text.
    evaluators: graders ?? [new AnswerQuality()],
    notes,
    ...(groupBy === undefined ? {} : { groupBy }),
  });
}

/** Converts rows to examples, and records where examples with an environment or files come from. */
function createConversion(rowFiles: readonly RowFile[], renaming: ConvertRowOptions) {
  // Created once, because it is used for every row of a large file.
  const conversions = rowFiles.map(({ textOnly }) => ({ ...renaming, textOnly }));
  const places = new WeakMap<Example, { file: number; line: number }>();
  let mayBeTasks = false;
  return {
    convert: (row: RawRow, file: number, line: number): Conversion => {
      const converted = convertRow(row, conversions[file]);
      if (!("example" in converted)) return converted;
      const { graders, environment } = converted.example;
      if (hasExampleFiles(converted.example)) places.set(converted.example, { file, line });
      // Fast path: almost every row.
      if (graders === undefined && environment === undefined) return converted;
      mayBeTasks = true;
      const problem = findTaskProblem(converted.example);
      if (problem !== null) return { problem };
      if (hasEnvironment(converted.example)) places.set(converted.example, { file, line });
      return converted;
    },
    placeOf: (example: Example) => places.get(example) ?? { file: 0, line: 0 },
    /** False if no row so far had graders or an environment: no example has to be checked again. */
    mayBeTasks: () => mayBeTasks,
  };
}

/** Which rows are skipped depends on `anyColumns`; without skipping, the rows are the same or there is an error. */
function pickSkipping({ skipBadRows, anyColumns }: LoadFilesOptions): Pick<LoadFilesOptions, "anyColumns"> {
  return skipBadRows === true && anyColumns === true ? { anyColumns } : {};
}

/** The options that determine which rows are used, and how. */
function pickRowOptions(options: LoadFilesOptions): Omit<LoadFilesOptions, NonRowOption> {
  const {
    files: _,
    onDownload: __,
    signal: ___,
    registry: ____,
    permissions: _____,
    anyColumns: ______,
    ...rest
  } = options;
  return rest;
}

type NonRowOption = "files" | "onDownload" | "signal" | "registry" | "permissions" | "anyColumns";

interface EvaluatorSource {
  readonly registry: Registry;
  readonly permissions?: Permissions | undefined;
}

const GRADERS_EVALUATOR = "graders";

/** An evaluator that can check examples before a run. */
interface ExampleChecker {
  checkExample?(example: Example): void;
}

/**
 * The evaluator for examples with graders; null if none has any. All examples must have graders or none: verdicts and text
 * comparisons cannot be combined into one result.
 */
async function createGraderEvaluators(
  examples: readonly Example[],
  { registry, permissions }: EvaluatorSource,
): Promise<readonly Evaluator[] | null> {
  const without = examples.find((example) => !Array.isArray(example.graders));
  const count = examples.filter((example) => Array.isArray(example.graders)).length;
  if (count === 0) return null;
  if (without !== undefined)
    throw new DatasetError(
      `${count} of ${examples.length} examples have graders, but ${JSON.stringify(without.id)} has none. Add graders to all of them, or move the others to a separate file.`,
    );
  const bare = examples.find(({ graders }) => Array.isArray(graders) && graders.length === 0);
  if (bare !== undefined)
    throw new DatasetError(`The example ${JSON.stringify(bare.id)} has an empty list of graders. Add at least one.`);
  const evaluator = await createEvaluatorByName(registry, GRADERS_EVALUATOR, permissions);
  for (const example of examples) (evaluator as ExampleChecker).checkExample?.(example);
  return [evaluator];
}

/** Whether an example describes an agent's workspace. */
function hasEnvironment({ environment, graders }: Readonly<Record<string, unknown>>): boolean {
  if (typeof environment !== "object" || environment === null) return false;
  return Array.isArray(graders) || ENVIRONMENT_KEYS.some((part) => Object.hasOwn(environment, part));
}

/**
 * Describes a problem with the graders or the environment of a row; null if there is none. Graders that are not a list
 * would be ignored, and answers compared as text.
 */
function findTaskProblem(example: Readonly<Record<string, unknown>>): string | null {
  const { graders, environment } = example;
  if (!isEmptyCell(graders) && !Array.isArray(graders))
    return `has ${describeValue(graders)} and not a list in "graders" (JSON and JSONL support lists; rename the column if it is unrelated)`;
  const isTask = Array.isArray(graders) && !isEmptyCell(environment);
  return isTask || hasEnvironment(example) ? findEnvironmentProblem(environment) : null;
}

function isEmptyCell(value: unknown): boolean {
  return value === undefined || value === null || value === "";
}

function findEnvironmentProblem(environment: unknown): string | null {
  try {
    checkEnvironment(environment);
    return null;
  } catch (error) {
    return `cannot be used: ${getErrorMessage(error).replace(/\.$/, "")}`;
  }
}

/** The file of an example, and its place there for messages. */
interface ExampleLocation {
  readonly path: string;
  readonly at: string;
}

/**
 * Reads the files that environments name into the examples, so that every trial gets the same content and the content
 * identifies the example. `placeOf` returns the file of an example, to which its paths are relative.
 */
async function fillEnvironments(
  examples: readonly Example[],
  placeOf: (example: Example) => ExampleLocation,
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
    example.environment = await readExampleEnvironment(reader, example, at);
  }
}

/** Looks up the images and files of examples, relative to the folders of their rows. */
async function attachExampleFiles(
  examples: readonly Example[],
  locate: (example: Example) => ExampleLocation,
): Promise<void> {
  const readers = new Map<string, ExampleFileReader>();
  for (const example of examples) {
    const { path, at } = locate(example);
    const dir = dirname(path);
    const reader = readers.get(dir) ?? new ExampleFileReader(dir);
    readers.set(dir, reader);
    await reader.attach(example, `${at}: the row`);
  }
}

async function readExampleEnvironment(
  reader: EnvironmentReader,
  { id, environment }: Example,
  at: string,
): Promise<unknown> {
  try {
    return await reader.read(environment);
  } catch (cause) {
    throw new DatasetError(`${at}: the example ${JSON.stringify(id)}: ${getErrorMessage(cause)}`, { cause });
  }
}

/** Creates the evaluator of a name, with what follows its colon as the argument. */
export async function createEvaluatorByName(
  registry: Registry,
  name: string,
  permissions: Permissions | undefined,
): Promise<Evaluator> {
  const [base = name, argument] = name.split(/:(.*)/s);
  const value = registry.get("evaluator", base);
  return typeof value === "function" ? value(argument, permissions) : value;
}
