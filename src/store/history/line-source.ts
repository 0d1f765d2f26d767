import { closeSync, copyFileSync, existsSync, fstatSync, readSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { getErrorMessage } from "../../core/index.js";
import { openRunFile } from "../run-file.js";
import type { QueryDatabase } from "./database.js";
import { writeStrictCopy } from "./json-values.js";
import { QueryStopped } from "./query-stopped.js";
import { quoteSql, quoteSqlList } from "./sql-error.js";
import type { StoredRun } from "./stored-runs.js";
import { createScratchPath } from "./write-pieces.js";

export interface LineFile {
  readonly run: string;
  readonly path: string;
}

const LINE_FEED = 10;
const SCAN_BLOCK_BYTES = 1 << 16;

/**
 * Finds the non-empty files of one name in these runs. An unreadable file affects only its own run. A torn last line is
 * left out: the file is then read from a copy that ends with its last complete line.
 */
export function findLineFiles(
  runs: readonly StoredRun[],
  name: string,
  scratchDir: string,
): { files: LineFile[]; notes: string[] } {
  const files: LineFile[] = [];
  const notes: string[] = [];
  for (const { run, dir } of runs) {
    try {
      const { size, whole } = measureWholeLines(dir, name);
      if (whole > 0) files.push({ run, path: copyWholePart(join(dir, name), { size, whole, scratchDir }) });
      if (whole < size) notes.push(`${run}: the torn last line of ${name} was skipped`);
    } catch {
      notes.push(formatUnreadableNote(run, name));
    }
  }
  return { files, notes };
}

function formatUnreadableNote(run: string, name: string): string {
  return `${run}: ${name} cannot be read and was skipped`;
}

/** The size of a file, and its size up to the last line feed; both 0 if it is missing. */
function measureWholeLines(dir: string, name: string): { size: number; whole: number } {
  if (!existsSync(join(dir, name))) return { size: 0, whole: 0 };
  const file = openRunFile(dir, name);
  try {
    const { size } = fstatSync(file);
    return { size, whole: findLastLineFeed(file, size) + 1 };
  } finally {
    closeSync(file);
  }
}

/** The position of the last line feed; -1 if there is none. */
function findLastLineFeed(file: number, size: number): number {
  for (let stop = size; stop > 0; ) {
    // Nearly every file ends with one, so one byte is usually enough.
    const block = Buffer.alloc(Math.min(stop === size ? 1 : SCAN_BLOCK_BYTES, stop));
    stop -= block.length;
    readSync(file, block, 0, block.length, stop);
    const at = block.lastIndexOf(LINE_FEED);
    if (at !== -1) return stop + at;
  }
  return -1;
}

interface WholePart {
  readonly size: number;
  readonly whole: number;
  readonly scratchDir: string;
}

function copyWholePart(path: string, { size, whole, scratchDir }: WholePart): string {
  if (whole === size) return path;
  const copy = createScratchPath(scratchDir);
  copyFileSync(path, copy);
  truncateSync(copy, whole);
  return copy;
}

/** Files of JSON lines that are read as one table. */
export interface LineTable {
  readonly files: readonly LineFile[];
  /** The file name in a run folder, for notes. */
  readonly name: string;
  /** Fields to read, with their types. */
  readonly columns: Readonly<Record<string, string>>;
  /** Fields that identify an entry: of several lines with the same key, the last counts. */
  readonly key: readonly string[];
  /** SQL condition for complete lines of this table. */
  readonly isWhole: string;
  /** SQL condition for valid lines of another kind; omitted if there are none. */
  readonly isOther?: string;
}

interface LineSource {
  /** A query with the fields and `from_file`; null if there is nothing to read. */
  readonly sql: string | null;
  readonly files: readonly LineFile[];
  readonly notes: readonly string[];
}

/**
 * Builds SQL over the files. They are checked first: damaged lines are noted and skipped, and only files with several lines
 * of one trial are read in order, which is slower.
 */
export async function createLineSource(database: QueryDatabase, lines: LineTable): Promise<LineSource> {
  const { files, checks, notes } = await repairDamagedFiles(database, lines, await checkReadableFiles(database, lines));
  const runOf = new Map(files.map(({ path, run }) => [path, run]));
  const isRepeated = new Set(checks.filter(({ repeated }) => repeated).map(({ file }) => file));
  const damaged = checks.filter((check) => check.damaged > 0);
  const said = damaged.map((check) =>
    formatDamagedLinesNote(runOf.get(check.file) ?? check.file, lines.name, check.damaged),
  );
  const single = files.filter(({ path }) => !isRepeated.has(path));
  const parts = [
    ...(single.length === 0 ? [] : [`select * from ${buildLineReaderSql(lines, single)}`]),
    ...(isRepeated.size === 0 ? [] : [buildLastLinesSql(lines, [...isRepeated])]),
  ].map((part) => `select * from (${part}) where ${lines.isWhole}`);
  return { sql: parts.length === 0 ? null : parts.join(" union all "), files, notes: [...notes, ...said] };
}

function formatDamagedLinesNote(run: string, name: string, count: number): string {
  const what = count === 1 ? "1 line of" : `${count} lines of`;
  return `${run}: ${what} ${name} cannot be read and ${count === 1 ? "was" : "were"} skipped`;
}

/** Values of an unexpected type become NULL. */
function buildLineReaderSql({ columns }: LineTable, files: readonly LineFile[]): string {
  const fields = Object.entries(columns).map(([name, type]) => `${quoteSql(name)}: ${quoteSql(type)}`);
  return `read_json(${quoteSqlList(files.map(({ path }) => path))}, format = 'newline_delimited', columns = {${fields.join(", ")}}, filename = 'from_file', ignore_errors = true)`;
}

function buildLastLinesSql(lines: LineTable, paths: readonly string[]): string {
  const source = buildLineReaderSql(
    lines,
    paths.map((path) => ({ path, run: "" })),
  );
  const numbered = `select *, row_number() over () as line from ${source}`;
  // A damaged line has no key and must not count as the last of its key.
  return `select * exclude (line) from (${numbered}) where ${lines.isWhole} qualify row_number() over (partition by from_file, ${lines.key.join(", ")} order by line desc) = 1`;
}

interface LineFileCheck {
  readonly file: string;
  readonly damaged: number;
  readonly repeated: boolean;
}

interface CheckedFiles {
  readonly files: readonly LineFile[];
  readonly checks: readonly LineFileCheck[];
  readonly notes: readonly string[];
}

/** A file that cannot be read at all is skipped, and the others are checked again. */
async function checkReadableFiles(
  database: QueryDatabase,
  lines: LineTable,
  notes: readonly string[] = [],
): Promise<CheckedFiles> {
  if (lines.files.length === 0) return { files: [], checks: [], notes };
  try {
    return { files: lines.files, checks: await checkLineFiles(database, lines), notes };
  } catch (error) {
    const message = getErrorMessage(error);
    const culprit = lines.files.find(({ path }) => message.includes(JSON.stringify(path).slice(1, -1)));
    if (error instanceof QueryStopped || culprit === undefined) throw error;
    const files = lines.files.filter((file) => file !== culprit);
    return checkReadableFiles(database, { ...lines, files }, [...notes, formatUnreadableNote(culprit.run, lines.name)]);
  }
}

/** Damaged files are checked again as copies, because DuckDB is stricter than our own JSON parser. */
async function repairDamagedFiles(
  database: QueryDatabase,
  lines: LineTable,
  { files, checks, notes }: CheckedFiles,
): Promise<CheckedFiles> {
  const isDamaged = new Set(checks.filter(({ damaged }) => damaged > 0).map(({ file }) => file));
  const copies: LineFile[] = [];
  for (const file of files.filter(({ path }) => isDamaged.has(path)))
    copies.push({ ...file, path: await writeStrictCopy(file.path, database.scratchDir) });
  const again = await checkReadableFiles(database, { ...lines, files: copies }, notes);
  return {
    files: [...files.filter(({ path }) => !isDamaged.has(path)), ...again.files],
    checks: [...checks.filter(({ file }) => !isDamaged.has(file)), ...again.checks],
    notes: again.notes,
  };
}

async function checkLineFiles(database: QueryDatabase, lines: LineTable): Promise<LineFileCheck[]> {
  const { key, isWhole, isOther = "false" } = lines;
  const result = await database.run(
    `select from_file, count(*) filter (where not coalesce(${isWhole}, false) and not coalesce(${isOther}, false)) as damaged, count(*) filter (where ${isWhole}) > count(distinct hash(${key.join(", ")})) filter (where ${isWhole}) as repeated from ${buildLineReaderSql(lines, lines.files)} group by from_file`,
  );
  const rows = await result.getRows();
  return rows.map(([file, damaged, repeated]) => ({
    file: String(file),
    damaged: Number(damaged),
    repeated: repeated === true,
  }));
}
