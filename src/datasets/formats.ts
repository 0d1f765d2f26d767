import { statSync } from "node:fs";
import { basename, extname } from "node:path";
import { DatasetError } from "../core/index.js";
import { readCsv, readTsv } from "./csv.js";
import { readJsonFile, readJsonl } from "./json.js";
import { createUnreadableError, GZIP_EXTENSION, readBytes } from "./read-bytes.js";
import type { RowReadOptions, SourceRow, SourceRowReader } from "./source-row.js";

/** How to read the rows of a file type and name them in messages. */
export interface FileFormat {
  /** Null for a file that is read in part, by its index. */
  readonly read: SourceRowReader | null;
  /** Whether rows are identified by line or by position in a list. */
  readonly place: "line" | "row";
  /** True if numbers and lists come as text. */
  readonly textOnly: boolean;
}

const JSONL: FileFormat = { read: readJsonl, place: "line", textOnly: false };

const FORMATS: Readonly<Record<string, FileFormat>> = {
  ".jsonl": JSONL,
  ".ndjson": JSONL,
  ".json": { read: readJsonFile, place: "row", textOnly: false },
  ".csv": { read: readCsv, place: "line", textOnly: true },
  ".tsv": { read: readTsv, place: "line", textOnly: true },
  ".parquet": { read: null, place: "row", textOnly: false },
};

/** Texts that rows of other files refer to, not datasets. */
const PLAIN_TEXT: FileFormat = { read: readTextFile, place: "line", textOnly: true };

/** Extensions that `loadFile` reads; each may be followed by .gz. */
export const FILE_EXTENSIONS: readonly string[] = Object.keys(FORMATS);

/**
 * File name without folder and extensions.
 * @example
 * getFileStem("data/questions.jsonl.gz"); // "questions"
 */
export function getFileStem(path: string): string {
  const plain = stripGzipExtension(basename(path));
  return basename(plain, extname(plain));
}

/** Whether a name has the extension of a dataset file or an archive. */
export function hasKnownFormat(path: string): boolean {
  return FILE_EXTENSIONS.includes(getExtension(path)) || isArchive(path);
}

/** Some datasets are published as archives. */
export function isArchive(path: string): boolean {
  return path.toLowerCase().endsWith(".zip");
}

/** The format by file extension. */
export function getFormat(path: string): FileFormat {
  return getExtension(path) === ".txt" ? PLAIN_TEXT : requireRowFormat(path);
}

/** The format of a file of rows; throws for other files, including plain text. */
export function requireRowFormat(path: string): FileFormat {
  const extension = getExtension(path);
  const format = FORMATS[extension];
  if (format !== undefined) return format;
  if (isArchive(path)) throw new DatasetError(`"${path}" is an archive. Unpack it, and pass the file with the rows.`);
  const found = extension === "" ? "has no extension" : `has the extension "${extension}"`;
  throw new DatasetError(
    `"${path}" ${found}, which is not a known format. Supported: ${FILE_EXTENSIONS.join(", ")}, each also with ${GZIP_EXTENSION}.`,
  );
}

/** Throws if the path is missing or a folder. */
export function requireFile(path: string): void {
  let isFolder: boolean;
  try {
    isFolder = statSync(path).isDirectory();
  } catch (error) {
    throw createUnreadableError(path, error);
  }
  if (isFolder) throw new DatasetError(`"${path}" is a folder. Pass a file inside it (${FILE_EXTENSIONS.join(", ")}).`);
}

function getExtension(path: string): string {
  return extname(stripGzipExtension(path)).toLowerCase();
}

function stripGzipExtension(path: string): string {
  return path.toLowerCase().endsWith(GZIP_EXTENSION) ? path.slice(0, -GZIP_EXTENSION.length) : path;
}

/** Reads a whole text file as one row, `{ text, file }`. */
async function* readTextFile(path: string, options: RowReadOptions = {}): AsyncGenerator<SourceRow[]> {
  const text = (await readBytes(path, options)).toString("utf8");
  yield [{ line: 1, row: { text, file: basename(options.name ?? path) } }];
}
