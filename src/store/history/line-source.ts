import { messageOf } from "../../core/errors.js";
import type { Database } from "./database.js";
import { strictCopy } from "./json-values.js";
import { type LineFile, unreadable } from "./line-files.js";
import { QueryStopped } from "./query-stopped.js";
import { quoted, quotedList } from "./sql-error.js";

/** Files of JSON lines that are read as one table. */
export interface Lines {
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
export async function lineSource(database: Database, lines: Lines): Promise<LineSource> {
  const { files, checks, notes } = await mended(database, lines, await checked(database, lines));
  const runOf = new Map(files.map(({ path, run }) => [path, run]));
  const isRepeated = new Set(checks.filter(({ repeated }) => repeated).map(({ file }) => file));
  const damaged = checks.filter((check) => check.damaged > 0);
  const said = damaged.map((check) => damageNote(runOf.get(check.file) ?? check.file, lines.name, check.damaged));
  const single = files.filter(({ path }) => !isRepeated.has(path));
  const parts = [
    ...(single.length === 0 ? [] : [`select * from ${reader(lines, single)}`]),
    ...(isRepeated.size === 0 ? [] : [lastOfEach(lines, [...isRepeated])]),
  ].map((part) => `select * from (${part}) where ${lines.isWhole}`);
  return { sql: parts.length === 0 ? null : parts.join(" union all "), files, notes: [...notes, ...said] };
}

function damageNote(run: string, name: string, count: number): string {
  const what = count === 1 ? "1 line of" : `${count} lines of`;
  return `${run}: ${what} ${name} cannot be read and ${count === 1 ? "was" : "were"} skipped`;
}

/** Values of an unexpected type become NULL. */
function reader({ columns }: Lines, files: readonly LineFile[]): string {
  const fields = Object.entries(columns).map(([name, type]) => `${quoted(name)}: ${quoted(type)}`);
  return `read_json(${quotedList(files.map(({ path }) => path))}, format = 'newline_delimited', columns = {${fields.join(", ")}}, filename = 'from_file', ignore_errors = true)`;
}

function lastOfEach(lines: Lines, paths: readonly string[]): string {
  const source = reader(
    lines,
    paths.map((path) => ({ path, run: "" })),
  );
  const numbered = `select *, row_number() over () as line from ${source}`;
  // A damaged line has no key and must not count as the last of its key.
  return `select * exclude (line) from (${numbered}) where ${lines.isWhole} qualify row_number() over (partition by from_file, ${lines.key.join(", ")} order by line desc) = 1`;
}

interface Check {
  readonly file: string;
  readonly damaged: number;
  readonly repeated: boolean;
}

interface Checked {
  readonly files: readonly LineFile[];
  readonly checks: readonly Check[];
  readonly notes: readonly string[];
}

/** A file that cannot be read at all is skipped, and the others are checked again. */
async function checked(database: Database, lines: Lines, notes: readonly string[] = []): Promise<Checked> {
  if (lines.files.length === 0) return { files: [], checks: [], notes };
  try {
    return { files: lines.files, checks: await check(database, lines), notes };
  } catch (error) {
    const message = messageOf(error);
    const culprit = lines.files.find(({ path }) => message.includes(JSON.stringify(path).slice(1, -1)));
    if (error instanceof QueryStopped || culprit === undefined) throw error;
    const files = lines.files.filter((file) => file !== culprit);
    return checked(database, { ...lines, files }, [...notes, unreadable(culprit.run, lines.name)]);
  }
}

/** Damaged files are checked again as copies, because DuckDB is stricter than our own JSON parser. */
async function mended(database: Database, lines: Lines, { files, checks, notes }: Checked): Promise<Checked> {
  const isDamaged = new Set(checks.filter(({ damaged }) => damaged > 0).map(({ file }) => file));
  const copies: LineFile[] = [];
  for (const file of files.filter(({ path }) => isDamaged.has(path)))
    copies.push({ ...file, path: await strictCopy(file.path, database.scratchDir) });
  const again = await checked(database, { ...lines, files: copies }, notes);
  return {
    files: [...files.filter(({ path }) => !isDamaged.has(path)), ...again.files],
    checks: [...checks.filter(({ file }) => !isDamaged.has(file)), ...again.checks],
    notes: again.notes,
  };
}

async function check(database: Database, lines: Lines): Promise<Check[]> {
  const { key, isWhole, isOther = "false" } = lines;
  const result = await database.run(
    `select from_file, count(*) filter (where not coalesce(${isWhole}, false) and not coalesce(${isOther}, false)) as damaged, count(*) filter (where ${isWhole}) > count(distinct hash(${key.join(", ")})) filter (where ${isWhole}) as repeated from ${reader(lines, lines.files)} group by from_file`,
  );
  const rows = await result.getRows();
  return rows.map(([file, damaged, repeated]) => ({
    file: String(file),
    damaged: Number(damaged),
    repeated: repeated === true,
  }));
}
