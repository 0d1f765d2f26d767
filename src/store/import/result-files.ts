import { createHash } from "node:crypto";
import { closeSync, existsSync, openSync, readdirSync, readSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../../core/errors.js";

/** A file that may hold results. */
export interface ResultFile {
  readonly path: string;
  /** True if the user named the file: then it is an error if it holds no results. */
  readonly isNamed: boolean;
}

export interface ResultFiles {
  readonly files: readonly ResultFile[];
  readonly notes: readonly string[];
}

const RESULT_FILE = /\.(?:jsonl?|ndjson)$/i;
/** Files that AILANG writes beside its results. */
const IGNORED_FILES = new Set(["summary.json", "baseline.json"]);
const CHUNK_BYTES = 1 << 20;

/** Finds the files, searching folders. Copies of a file are skipped, because their trials are not new. */
export function findResultFiles(paths: readonly string[]): ResultFiles {
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
