import { createHash } from "node:crypto";
import { closeSync, existsSync, openSync, readdirSync, readSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatasetError, getErrorMessage, UsageError } from "../../core/index.js";
import { BadRecordError, isJsonObject } from "./fields.js";
import {
  type LazyRecord,
  openDocument,
  type ResultFileContent,
  readFileContent,
  streamDocumentRecords,
  streamLineRecords,
} from "./file-content.js";
import { FORMAT_TITLES, type ImportedTrial, type ImportFormat, type ReadRecord } from "./format.js";
import { createUnknownFormatError, detectFormat, findFormat } from "./formats.js";

/** A file that may hold results. */
interface ResultFile {
  readonly path: string;
  /** True if the user named the file: then it is an error if it holds no results. */
  readonly isNamed: boolean;
}

interface ResultFiles {
  readonly files: readonly ResultFile[];
  readonly notes: readonly string[];
}

const RESULT_FILE = /\.(?:jsonl?|ndjson)$/i;
/** Files that AILANG writes beside its results. */
const IGNORED_FILES = new Set(["summary.json", "baseline.json"]);
const CHUNK_BYTES = 1 << 20;

/** Finds the files, searching folders. Copies of a file are skipped, because their trials are not new. */
function findResultFiles(paths: readonly string[]): ResultFiles {
  if (paths.length === 0) throw new UsageError("There is nothing to import. Name files or folders.");
  const seen = new Map<string, string>();
  const files: ResultFile[] = [];
  const notes: string[] = [];
  for (const file of paths.flatMap(listFilesAt)) {
    const content = hashFile(file.path);
    const first = seen.get(content);
    if (first === undefined) files.push(file);
    else if (file.isNamed) notes.push(`${file.path} is identical to ${first} and was skipped`);
    if (first === undefined) seen.set(content, file.path);
  }
  return { files, notes };
}

function listFilesAt(path: string): ResultFile[] {
  if (!existsSync(path)) throw new UsageError(`There is no file or folder ${path}.`);
  const stats = statSync(path);
  if (stats.isFile()) return [{ path, isNamed: true }];
  if (!stats.isDirectory())
    throw new UsageError(
      `${path} is not a regular file, but results are read more than once. Write them to a file first.`,
    );
  const entries = readdirSync(path, { recursive: true, withFileTypes: true });
  const found = entries.filter(
    (entry) => entry.isFile() && RESULT_FILE.test(entry.name) && !IGNORED_FILES.has(entry.name),
  );
  if (found.length === 0) throw new UsageError(`The folder ${path} contains no .json or .jsonl file.`);
  return found.map((entry) => ({ path: join(entry.parentPath, entry.name), isNamed: false })).sort(compareByPath);
}

const COLLATOR = new Intl.Collator("en", { numeric: true });

function compareByPath(a: ResultFile, b: ResultFile): number {
  return COLLATOR.compare(a.path, b.path);
}

/** Hashes the content in chunks, because results may be larger than memory. */
function hashFile(path: string): string {
  const hash = createHash("sha256");
  const file = openSync(realpathSync(path), "r");
  try {
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    for (let size = readSync(file, buffer); size > 0; size = readSync(file, buffer))
      hash.update(buffer.subarray(0, size));
  } finally {
    closeSync(file);
  }
  return hash.digest("hex");
}

/** Result files of one format. */
export interface OpenedResults {
  readonly format: ImportFormat;
  readonly files: readonly string[];
  /** Notes about the files. */
  readonly notes: readonly string[];
  /** Files of a folder that could not be read: each is a lost trial. */
  readonly damaged: readonly ImportProblem[];
}

/** A problem and its place. */
export interface ImportProblem {
  readonly place: string;
  readonly message: string;
}

/** Finds the result files, and detects their common format. */
export function openResultFiles(paths: readonly string[], name?: string): OpenedResults {
  const found = findResultFiles(paths);
  const search = new FormatSearch(name === undefined ? null : findFormat(name));
  for (const file of found.files) search.addFile(file);
  if (search.format === null) throw createUnknownFormatError(paths.join(", "));
  const { format, files, damaged } = search;
  if (files.length === 0)
    throw new DatasetError(
      `${paths.join(", ")}: there are no ${FORMAT_TITLES[format.name]} results. ${formatFirstProblem(damaged)}`,
    );
  return { format, files, damaged, notes: [...found.notes, ...search.listNotes()] };
}

function formatFirstProblem([first]: readonly ImportProblem[]): string {
  return first === undefined ? "" : `${first.place}: ${first.message}.`;
}

const MAX_LISTED_FILES = 5;

/** Examines one file after another; the first recognized one decides the format of all. */
class FormatSearch {
  format: ImportFormat | null;
  readonly files: string[] = [];
  readonly damaged: ImportProblem[] = [];
  readonly #others: string[] = [];
  /** The format was given by the user, not detected. */
  readonly #isTold: boolean;

  constructor(format: ImportFormat | null) {
    this.format = format;
    this.#isTold = format !== null;
  }

  addFile(file: ResultFile): void {
    const content = this.#readContent(file);
    if (content === null) return;
    const format = this.#matchesFormat(content) ? this.format : detectFormat(file.path, content);
    this.format ??= format;
    if (format !== null && format === this.format) this.files.push(file.path);
    else if (file.isNamed) throw this.#createFormatError(file.path, format);
    else this.#others.push(file.path);
  }

  /** With a given format, lines are not checked here: each is checked when it is read. */
  #matchesFormat(content: ResultFileContent): boolean {
    if (this.format === null) return false;
    return content.kind === "lines" ? this.#isTold : openDocument(content.document, this.format) !== null;
  }

  listNotes(): string[] {
    const { length } = this.#others;
    if (length === 0) return [];
    const named = this.#others.slice(0, MAX_LISTED_FILES).join(", ");
    return [
      `files without ${this.format === null ? "" : `${FORMAT_TITLES[this.format.name]} `}results, which were skipped: ${length} (${named}${length > MAX_LISTED_FILES ? ", …" : ""})`,
    ];
  }

  #readContent({ path, isNamed }: ResultFile): ResultFileContent | null {
    try {
      return readFileContent(path);
    } catch (error) {
      if (!(error instanceof BadRecordError)) throw error;
      if (isNamed) throw new DatasetError(`${path} cannot be imported: ${error.message}.`, { cause: error });
      this.damaged.push({ place: path, message: error.message });
      return null;
    }
  }

  #createFormatError(path: string, found: ImportFormat | null): DatasetError {
    if (found === null) return createUnknownFormatError(path);
    const wanted = this.format?.name;
    return new DatasetError(
      `${path} has the format ${found.name}, not ${wanted}. Import files of one format at a time.`,
    );
  }
}

/** A trial and its place, or the problem with its record. Records that are not about a trial are skipped. */
export type ReadTrial = { readonly place: string; readonly trial: ImportedTrial } | ImportProblem;

/**
 * Streams the trials of all files, always in the same order. Nothing is held, because results may be larger than memory;
 * callers that need them twice read them twice.
 */
export function* readTrials({ format, files }: OpenedResults): Generator<ReadTrial> {
  for (const path of files) {
    const { records, read } = openRecords(path, format);
    for (const record of records) {
      const found = toReadTrial(record, (value) => read(value, path));
      if (found !== null) yield found;
    }
  }
}

function openRecords(path: string, format: ImportFormat): { records: Iterable<LazyRecord>; read: ReadRecord } {
  const content = readFileContent(path);
  if (content.kind === "lines") return { records: streamLineRecords(path), read: format.read };
  const opened = openDocument(content.document, format);
  return opened === null
    ? { records: [], read: format.read }
    : { records: streamDocumentRecords(path, opened), read: opened.read };
}

type RecordReader = (record: Readonly<Record<string, unknown>>) => ImportedTrial | null;

/** A bad record affects only itself, even if it triggers an error in our own code. */
function toReadTrial({ place, value }: LazyRecord, read: RecordReader): ReadTrial | null {
  try {
    const record = value();
    if (!isJsonObject(record)) throw new BadRecordError("it is not an object");
    const trial = read(record);
    return trial === null ? null : { place, trial };
  } catch (error) {
    return { place, message: getErrorMessage(error) };
  }
}
