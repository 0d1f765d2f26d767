import { closeSync, existsSync, fstatSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { OUTPUTS_DIR } from "../journal.js";
import { openRunFile } from "../run-file.js";
import type { QueryDatabase } from "./database.js";
import { writeStrictCopy } from "./json-values.js";
import type { LineFile } from "./line-source.js";
import { OUTPUT_FIELD_TYPES } from "./line-tables.js";
import { quoteSqlList } from "./sql-error.js";
import type { StoredRun } from "./stored-runs.js";

/** Larger outputs are skipped: they would not fit in the memory of a query. */
const MAX_OUTPUT_BYTES = 128 << 20;
/** DuckDB's default for the maximum size of a line. */
const DEFAULT_LINE_BYTES = 1 << 24;

/** Outputs in separate files, because they were too large for a line. */
export interface OutputSource {
  /** A query with the outputs by `path`. */
  readonly sql: string;
  /** The files it reads. */
  readonly paths: readonly string[];
  readonly notes: readonly string[];
}

/** Builds SQL over these files. They are checked first: files that DuckDB rejects are read from a copy. */
export async function createOutputSource(database: QueryDatabase, runs: readonly StoredRun[]): Promise<OutputSource> {
  const { files, notes } = listOutputFiles(runs);
  const refused = await findRefusedFiles(database, files);
  const copies = new Map<string, string>();
  for (const { path } of refused) copies.set(await writeStrictCopy(path, database.scratchDir), path);
  const damaged = await findRefusedFiles(
    database,
    refused.map(({ run }, i) => ({ run, path: [...copies.keys()][i] ?? "" })),
  );
  const whole = files.filter((file) => !refused.includes(file)).map(({ path }) => path);
  const sql = [buildOutputReaderSql(whole), ...(copies.size === 0 ? [] : [buildCopiesReaderSql(copies)])].join(
    " union all ",
  );
  return { sql, paths: [...whole, ...copies.keys()], notes: [...notes, ...damaged.map(formatDamagedOutputNote)] };
}

function formatDamagedOutputNote({ run }: LineFile): string {
  return `${run}: an output in a separate file cannot be read and was skipped`;
}

function listOutputFiles(runs: readonly StoredRun[]): { files: LineFile[]; notes: string[] } {
  const files: LineFile[] = [];
  const notes: string[] = [];
  for (const { run, dir } of runs) {
    for (const name of listOutputNames(dir)) {
      const path = join(dir, name);
      const size = measureFileSize(dir, name);
      if (size === null) notes.push(formatDamagedOutputNote({ run, path }));
      else if (size > MAX_OUTPUT_BYTES) notes.push(`${run}: an output of ${Math.round(size / 1e6)} MB was skipped`);
      else files.push({ run, path });
    }
  }
  return { files, notes };
}

/** Names as used in the lines. */
function listOutputNames(dir: string): string[] {
  if (!existsSync(join(dir, OUTPUTS_DIR))) return [];
  return readdirSync(join(dir, OUTPUTS_DIR))
    .filter((name) => name.endsWith(".json"))
    .map((name) => join(OUTPUTS_DIR, name));
}

/** Null for files that must not be read: DuckDB follows links and blocks on pipes. */
function measureFileSize(dir: string, name: string): number | null {
  try {
    const file = openRunFile(dir, name);
    const { size } = fstatSync(file);
    closeSync(file);
    return size;
  } catch {
    return null;
  }
}

/** Files from which nothing can be read. */
async function findRefusedFiles(database: QueryDatabase, files: readonly LineFile[]): Promise<LineFile[]> {
  const nothing = Object.keys(OUTPUT_FIELD_TYPES).map((name) => `${name} is null`);
  const sql = `select path from (${buildOutputReaderSql(files.map(({ path }) => path))}) where ${nothing.join(" and ")}`;
  const refused = new Set((await (await database.run(sql)).getRows()).map(([path]) => path));
  return files.filter(({ path }) => refused.has(path));
}

function buildOutputReaderSql(paths: readonly string[]): string {
  if (paths.length === 0)
    return "select null::json as output, null::json as evidence, null::json as grades, null::varchar as path where false";
  const fields = Object.entries(OUTPUT_FIELD_TYPES).map(([name, type]) => `'${name}': '${type}'`);
  const largest = Math.max(...paths.map((path) => statSync(path).size + 1), DEFAULT_LINE_BYTES);
  return `select * from read_json(${quoteSqlList(paths)}, format = 'newline_delimited', columns = {${fields.join(", ")}}, filename = 'path', ignore_errors = true, maximum_object_size = ${largest})`;
}

/** Reads the copies under the paths of the originals. */
function buildCopiesReaderSql(copies: ReadonlyMap<string, string>): string {
  const originals = `map(${quoteSqlList([...copies.keys()])}, ${quoteSqlList([...copies.values()])})[path]`;
  return `select * replace (${originals} as path) from (${buildOutputReaderSql([...copies.keys()])})`;
}
