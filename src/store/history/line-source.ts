import { getErrorMessage } from "../../core/errors.js";
import type { QueryDatabase } from "./database.js";
import { writeStrictCopy } from "./json-values.js";
import { formatUnreadableNote, type LineFile } from "./line-files.js";
import { QueryStopped } from "./query-stopped.js";
import { quoteSql, quoteSqlList } from "./sql-error.js";

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

export interface LineSource {
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
