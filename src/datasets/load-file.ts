import { createHash } from "node:crypto";
import { type Dataset, type LoadOptions, makeDataset } from "../core/dataset.js";
import { UsageError } from "../core/errors.js";
import type { Example } from "../core/example.js";
import { canonicalJson } from "../core/fingerprint.js";
import { registry as defaultRegistry, type Permissions, type Registry } from "../core/registry.js";
import { AnswerQuality } from "../evaluators/answer-quality.js";
import { nameOfFile, requireFile, rowFormatOf } from "./formats.js";
import { fillEnvironments, graderEvaluators, hasEnvironment, problemWithTask } from "./graded-examples.js";
import { loadRows, stratum } from "./load-rows.js";
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
