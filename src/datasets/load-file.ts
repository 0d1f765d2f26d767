import { createHash } from "node:crypto";
import { type Dataset, type LoadOptions, makeDataset } from "../core/dataset.js";
import { UsageError } from "../core/errors.js";
import type { Example } from "../core/example.js";
import { canonicalJson } from "../core/fingerprint.js";
import { AnswerQuality } from "../evaluators/answer-quality.js";
import { nameOfFile, requireFile, rowFormatOf } from "./formats.js";
import { loadRows, stratum } from "./load-rows.js";
import { closeFiles, openRowFile, type RowFile } from "./row-file.js";
import { toExample } from "./to-example.js";

/**
 * Loads a dataset from a local file, chosen by its extension.
 * @example
 * const dataset = await loadFile("questions.csv", { map: { question: "prompt" }, maxExamples: 50 });
 */
export async function loadFile(path: string, options: LoadOptions = {}): Promise<Dataset> {
  if (options.config !== undefined) {
    throw new UsageError(`"${path}" is a file and has no config "${options.config}". Use --filter to choose rows.`);
  }
  return loadFiles([path], { ...options, name: nameOfFile(path) });
}

export interface LoadFilesOptions extends LoadOptions {
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
    return await readAll(files, options);
  } finally {
    await closeFiles(files);
  }
}

async function readAll(rowFiles: readonly RowFile[], options: LoadFilesOptions): Promise<Dataset> {
  const { name, subject, ...rows } = rowOptions(options);
  const hash = createHash("sha256");
  const renaming = { dataset: name, ...(rows.map === undefined ? {} : { map: rows.map }) };
  // Made once: a large file waits for the conversion of each row.
  const conversions = rowFiles.map(({ textOnly }) => ({ ...renaming, textOnly }));
  const { examples, notes, groupBy } = await loadRows({
    ...rows,
    name: rowFiles.length === 1 ? (rowFiles[0]?.name ?? name) : name,
    rowFiles,
    seen: hash,
    ...(subject === undefined ? {} : { stratumOf: (example: Example) => stratum(example, subject) }),
    convert: (row, file) => toExample(row, conversions[file]),
  });
  return makeDataset({
    name,
    examples,
    // Known by the files' bytes and by how rows were chosen from them, where all of them were read anyway.
    ...(rowFiles.every(({ table }) => table === undefined) && {
      fingerprint: { of: examples, sha256: hash.update(canonicalJson({ ...rows, subject })).digest("hex") },
    }),
    // A file says nothing about how it is to be scored; its answers are compared as text.
    evaluators: [new AnswerQuality()],
    notes,
    ...(groupBy === undefined ? {} : { groupBy }),
  });
}

/** What of the options says which rows are taken, and as what. */
function rowOptions(options: LoadFilesOptions): Omit<LoadFilesOptions, "files" | "onDownload" | "signal"> {
  const { files: _, onDownload: __, signal: ___, ...rest } = options;
  return rest;
}
