import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { basename, extname } from "node:path";
import { type Dataset, type LoadOptions, makeDataset } from "../core/dataset.js";
import { DatasetError, UsageError } from "../core/errors.js";
import { canonicalJson } from "../core/fingerprint.js";
import { AnswerQuality } from "../evaluators/answer-quality.js";
import { readCsv } from "./csv.js";
import { readJson } from "./json.js";
import { readJsonl } from "./jsonl.js";
import { unreadable } from "./read-bytes.js";
import { RowTable } from "./row-table.js";
import { requireMaxExamples, takeSample } from "./sample.js";
import type { RowReader } from "./source-row.js";

interface Format {
  read: RowReader;
  /** Whether its rows are told apart by line of text or by position in a list. */
  place: "line" | "row";
  textOnly: boolean;
}

const JSONL: Format = { read: readJsonl, place: "line", textOnly: false };

const FORMATS: Readonly<Record<string, Format>> = {
  ".jsonl": JSONL,
  ".ndjson": JSONL,
  ".json": { read: readJson, place: "row", textOnly: false },
  ".csv": { read: readCsv, place: "line", textOnly: true },
};

/** The extensions that `loadFile` reads. */
export const FILE_EXTENSIONS: readonly string[] = Object.keys(FORMATS);

/**
 * Loads a dataset from a local file, chosen by its extension.
 * @example
 * const dataset = await loadFile("questions.csv", { map: { question: "prompt" }, maxExamples: 50 });
 */
export async function loadFile(path: string, options: LoadOptions = {}): Promise<Dataset> {
  requireMaxExamples(options.maxExamples);
  if (options.config !== undefined) {
    throw new UsageError(`"${path}" is a file and has no config "${options.config}". Use --filter to choose rows.`);
  }
  const { read, place, textOnly } = formatOf(path);
  const at = (line: number) => (place === "line" ? `${path}:${line}` : `${path} row ${line}`);
  const name = basename(path, extname(path));
  const table = new RowTable({ ...options, path, at, textOnly, dataset: name });
  const hash = createHash("sha256");
  await fill(table, read(path, hash));
  table.finish();
  const examples = takeSample(table.examples, options);
  return makeDataset({
    name,
    examples,
    // The examples are known by the file's bytes and by how they were chosen from it.
    fingerprint: { of: examples, sha256: hash.update(canonicalJson(options)).digest("hex") },
    // A file says nothing about how it is to be scored; its answers are compared as text.
    evaluators: [new AnswerQuality()],
    notes: table.notes(),
  });
}

async function fill(table: RowTable, batches: AsyncIterable<Iterable<Parameters<RowTable["add"]>[0]>>): Promise<void> {
  for await (const batch of batches) {
    for (const source of batch) {
      table.add(source);
      if (table.full) return;
    }
  }
}

function formatOf(path: string): Format {
  const extensions = FILE_EXTENSIONS.join(", ");
  let folder: boolean;
  try {
    folder = statSync(path).isDirectory();
  } catch (error) {
    throw unreadable(path, error);
  }
  if (folder) throw new DatasetError(`"${path}" is a folder. Give a file inside it (${extensions}).`);
  const extension = extname(path).toLowerCase();
  const format = FORMATS[extension];
  if (format !== undefined) return format;
  const found = extension === "" ? "has no extension" : `has the extension "${extension}"`;
  throw new DatasetError(`"${path}" ${found}, which says nothing about its format. Supported: ${extensions}.`);
}
