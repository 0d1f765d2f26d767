import { statSync } from "node:fs";
import { basename, extname } from "node:path";
import { DatasetError } from "../core/errors.js";
import { readCsv, readTsv } from "./csv.js";
import { readJson } from "./json.js";
import { readJsonl } from "./jsonl.js";
import { GZIP, unreadable } from "./read-bytes.js";
import type { RowReader } from "./source-row.js";
import { readText } from "./text.js";

/** How the rows of a kind of file are read and spoken of. */
export interface Format {
  /** Null for a file that is read in part, by its own index. */
  readonly read: RowReader | null;
  /** Whether its rows are told apart by line of text or by position in a list. */
  readonly place: "line" | "row";
  /** True where numbers and lists come as text. */
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

/** Texts that rows of other files refer to: no dataset by itself. */
const PLAIN_TEXT: Format = { read: readText, place: "line", textOnly: true };

/** The extensions that `loadFile` reads; each may be followed by .gz. */
export const FILE_EXTENSIONS: readonly string[] = Object.keys(FORMATS);

/**
 * The name of a file without its folder and its endings.
 * @example
 * nameOfFile("data/questions.jsonl.gz"); // "questions"
 */
export function nameOfFile(path: string): string {
  const plain = withoutGzip(basename(path));
  return basename(plain, extname(plain));
}

/** True for a name that ends like a file of rows, or like an archive of them. */
export function hasFormat(path: string): boolean {
  return FILE_EXTENSIONS.includes(extensionOf(path)) || isArchive(path);
}

/** True for a name that ends like an archive, which some datasets are published as. */
export function isArchive(path: string): boolean {
  return path.toLowerCase().endsWith(".zip");
}

/** The format that a file's name tells. */
export function formatOf(path: string): Format {
  return extensionOf(path) === ".txt" ? PLAIN_TEXT : rowFormatOf(path);
}

/** The format of a file of rows; a text by itself is none. */
export function rowFormatOf(path: string): Format {
  const extension = extensionOf(path);
  const format = FORMATS[extension];
  if (format !== undefined) return format;
  if (isArchive(path)) throw new DatasetError(`"${path}" is an archive. Unpack it, and give the file of rows inside.`);
  const found = extension === "" ? "has no extension" : `has the extension "${extension}"`;
  throw new DatasetError(
    `"${path}" ${found}, which says nothing about its format. Supported: ${FILE_EXTENSIONS.join(", ")}, each also with ${GZIP}.`,
  );
}

/** Refuses what is no file, before it is asked for its format. */
export function requireFile(path: string): void {
  let isFolder: boolean;
  try {
    isFolder = statSync(path).isDirectory();
  } catch (error) {
    throw unreadable(path, error);
  }
  if (isFolder) throw new DatasetError(`"${path}" is a folder. Give a file inside it (${FILE_EXTENSIONS.join(", ")}).`);
}

function extensionOf(path: string): string {
  return extname(withoutGzip(path)).toLowerCase();
}

function withoutGzip(path: string): string {
  return path.toLowerCase().endsWith(GZIP) ? path.slice(0, -GZIP.length) : path;
}
