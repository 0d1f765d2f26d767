import { statSync } from "node:fs";
import { basename, extname } from "node:path";
import { DatasetError } from "../core/errors.js";
import { readCsv, readTsv } from "./csv.js";
import { readJson } from "./json.js";
import { readJsonl } from "./jsonl.js";
import { GZIP, unreadable } from "./read-bytes.js";
import type { RowReader } from "./source-row.js";
import { readText } from "./text.js";

/** How to read the rows of a file type and name them in messages. */
export interface Format {
  /** Null for a file that is read in part, by its index. */
  readonly read: RowReader | null;
  /** Whether rows are identified by line or by position in a list. */
  readonly place: "line" | "row";
  /** True if numbers and lists come as text. */
  readonly textOnly: boolean;
}

const JSONL: Format = { read: readJsonl, place: "line", textOnly: false };

const FORMATS: Readonly<Record<string, Format>> = {
  ".jsonl": JSONL,
  ".ndjson": JSONL,
  ".json": { read: readJson, place: "row", textOnly: false },
  ".csv": { read: readCsv, place: "line", textOnly: true },
  ".tsv": { read: readTsv, place: "line", textOnly: true },
  ".parquet": { read: null, place: "row", textOnly: false },
};

/** Texts that rows of other files refer to, not datasets. */
const PLAIN_TEXT: Format = { read: readText, place: "line", textOnly: true };

/** Extensions that `loadFile` reads; each may be followed by .gz. */
export const FILE_EXTENSIONS: readonly string[] = Object.keys(FORMATS);

/**
 * File name without folder and extensions.
 * @example
 * getFileStem("data/questions.jsonl.gz"); // "questions"
 */
export function nameOfFile(path: string): string {
  const plain = withoutGzip(basename(path));
  return basename(plain, extname(plain));
}

/** Whether a name has the extension of a dataset file or an archive. */
export function hasFormat(path: string): boolean {
  return FILE_EXTENSIONS.includes(extensionOf(path)) || isArchive(path);
}

/** Some datasets are published as archives. */
export function isArchive(path: string): boolean {
  return path.toLowerCase().endsWith(".zip");
}

/** The format by file extension. */
export function formatOf(path: string): Format {
  return extensionOf(path) === ".txt" ? PLAIN_TEXT : rowFormatOf(path);
}

/** The format of a file of rows; throws for other files, including plain text. */
export function rowFormatOf(path: string): Format {
  const extension = extensionOf(path);
  const format = FORMATS[extension];
  if (format !== undefined) return format;
  if (isArchive(path)) throw new DatasetError(`"${path}" is an archive. Unpack it, and pass the file with the rows.`);
  const found = extension === "" ? "has no extension" : `has the extension "${extension}"`;
  throw new DatasetError(
    `"${path}" ${found}, which is not a known format. Supported: ${FILE_EXTENSIONS.join(", ")}, each also with ${GZIP}.`,
  );
}

/** Throws if the path is missing or a folder. */
export function requireFile(path: string): void {
  let isFolder: boolean;
  try {
    isFolder = statSync(path).isDirectory();
  } catch (error) {
    throw unreadable(path, error);
  }
  if (isFolder) throw new DatasetError(`"${path}" is a folder. Pass a file inside it (${FILE_EXTENSIONS.join(", ")}).`);
}

function extensionOf(path: string): string {
  return extname(withoutGzip(path)).toLowerCase();
}

function withoutGzip(path: string): string {
  return path.toLowerCase().endsWith(GZIP) ? path.slice(0, -GZIP.length) : path;
}
