import { contentId } from "../../core/content-id.js";
import type { LoadedExamples, LoadOptions } from "../../core/dataset.js";
import { DatasetError, UsageError } from "../../core/errors.js";
import type { Example } from "../../core/example.js";
import { didYouMean, nearest } from "../../core/suggest.js";
import { loadRows, stratum } from "../load-rows.js";
import type { RowFile } from "../row-file.js";
import type { RawRow } from "../source-row.js";
import type { Conversion } from "../to-example.js";
import type { CatalogueEntry, ExampleFields, RowContext } from "./entry.js";
import { type OpenedEntry, openEntry } from "./open-entry.js";
import { valueAt } from "./read-column.js";
import { RowProblem } from "./row-problem.js";

/** An entry under its name. */
export interface NamedEntry {
  readonly name: string;
  readonly entry: CatalogueEntry;
}

/**
 * Loads a dataset of the catalogue: from the hub, or from local files that hold the same rows.
 * @example
 * const { examples } = await loadEntry({ name: "gsm8k", entry: gsm8k }, { maxExamples: 50 });
 */
export async function loadEntry({ name, entry }: NamedEntry, options: LoadOptions): Promise<LoadedExamples> {
  const config = configOf({ name, entry }, options.config);
  if (Object.keys(options.map ?? {}).length > 0)
    throw new UsageError(`${name} knows its own columns: --map is for files. Leave it out.`);
  const label = options.config === undefined ? name : `${name}:${options.config}`;
  const opened = await openEntry({ name, entry }, config, options);
  const caution = readCaution(entry, config);
  try {
    const { examples, notes, groupBy } = await read({ name: label, entry }, { config, opened, options });
    return {
      name: label,
      examples,
      isChosen: true,
      ...(groupBy === undefined ? {} : { groupBy }),
      ...wiringOf(entry, config),
      notes: [...opened.notes(), ...notes, ...(caution === undefined ? [] : [`${label}: ${caution}`])],
      ...(opened.origin === null ? {} : { origin: opened.origin }),
    };
  } finally {
    await opened.close();
  }
}

/** What is said with every run of an entry's config. */
export function readCaution({ caution }: CatalogueEntry, config: string): string | undefined {
  return typeof caution === "function" ? caution(config) : caution;
}

/** Evaluators, deciding field and breakdown of an entry. */
export function wiringOf(entry: CatalogueEntry, config: string) {
  const { evaluators, primaryField, facets, judge } = entry;
  const primary = typeof primaryField === "function" ? primaryField(config) : primaryField;
  return {
    evaluators: typeof evaluators === "function" ? evaluators(config) : evaluators,
    ...(primary === null ? {} : { primaryField: primary }),
    ...(facets === undefined ? {} : { facets }),
    ...(judge === undefined ? {} : { judge }),
  };
}

/** What an entry is read with when a config is asked for, or none. */
export function configOf({ name, entry }: NamedEntry, asked: string | undefined): string {
  const { configs, hasSettings = false } = entry;
  if (hasSettings) return asked ?? "";
  if (configs === undefined) {
    // Its hub's own name for the only config there is says nothing new.
    if (asked === undefined || entry.sources("").some((source) => source.config === asked)) return "";
    throw new UsageError(`${name} has no configs: leave ":${asked}" out. Choose rows with --filter.`);
  }
  const config = asked ?? configs.default;
  if (configs.names.includes(config)) return config;
  throw new UsageError(`${name} has no config "${config}".${didYouMean(config, configs.names)}`);
}

interface Reading {
  config: string;
  opened: OpenedEntry;
  options: LoadOptions;
}

async function read({ name, entry }: NamedEntry, { config, opened, options }: Reading) {
  const { maxExamples, head, seed, shuffleSeed, filter, skipBadRows } = options;
  const { subject, header, columns, optionalColumns = [], isExpanding = false } = entry;
  const sampling = { maxExamples, head, seed, shuffleSeed, filter, skipBadRows };
  const given = Object.fromEntries(Object.entries(sampling).filter(([, value]) => value !== undefined));
  const lookups = await readLookups(opened.lookups, header);
  return loadRows({
    ...given,
    name,
    rowFiles: opened.files.map(({ file }) => file),
    columns: { required: columns, optional: [...optionalColumns, ...ID_COLUMNS] },
    ...(header === undefined ? {} : { header }),
    ...(subject === undefined ? {} : { stratumOf: (example: Example) => stratum(example, subject) }),
    isExpanding,
    numbersRepeatedIds: true,
    filtersExamples: true,
    convert: converter({ name, entry }, { config, lookups, opened }),
  });
}

async function readLookups(
  files: OpenedEntry["lookups"],
  header: readonly string[] | undefined,
): Promise<Record<string, RawRow[]>> {
  const lookups: Record<string, RawRow[]> = {};
  for (const [name, rowFiles] of Object.entries(files)) {
    const rows: RawRow[] = [];
    for (const file of rowFiles) rows.push(...(await rowsOf(file, header)));
    lookups[name] = rows;
  }
  return lookups;
}

async function rowsOf(file: RowFile, header: readonly string[] | undefined): Promise<RawRow[]> {
  const rows: RawRow[] = [];
  for await (const batch of file.batches(header === undefined ? {} : { header })) {
    for (const source of batch) {
      if ("problem" in source) throw new DatasetError(`${file.at(source.line)}: the row ${source.problem}.`);
      rows.push(source.row);
    }
  }
  return rows;
}

interface Converting {
  config: string;
  lookups: RowContext["lookups"];
  opened: OpenedEntry;
}

/** Turns rows into examples as the entry says. */
function converter({ name, entry }: NamedEntry, { config, lookups, opened }: Converting) {
  const met = new Set<string>();
  return (row: RawRow, file: number): Conversion | Conversion[] => {
    for (const column in row) met.add(column);
    const { subject, file: rowFile } = opened.files[file] ?? {};
    const hash = contentId(entry.columns.map((column) => valueAt(row, column) ?? null));
    const id = readOwnId(row);
    try {
      const fields = entry.examples(row, {
        config,
        contentId: hash,
        lookups,
        ...(subject === undefined ? {} : { subject }),
      });
      return isSeveral(fields)
        ? fields.map((one, index) => toExample(one, { ownId: number(id, index), hash: `${hash}-${index + 1}`, name }))
        : toExample(fields, { ownId: id, hash, name });
    } catch (error) {
      if (!(error instanceof RowProblem)) throw error;
      requireColumns(entry.columns, met, rowFile?.name ?? name);
      return { problem: error.message };
    }
  };
}

function isSeveral(fields: ExampleFields | readonly ExampleFields[]): fields is readonly ExampleFields[] {
  return Array.isArray(fields);
}

interface Identity {
  ownId: string | number | null;
  hash: string;
  name: string;
}

/** The id that the entry reads, else one that the row has, so that outputs recorded elsewhere can be joined; else a hash. */
function toExample(fields: ExampleFields, { ownId, hash, name }: Identity): Conversion {
  const id = fields.id ?? ownId;
  return { example: { ...fields, id: id ?? hash, dataset: name }, idFromContent: id === null };
}

/** What files call the id of a row, the likeliest first. */
const ID_COLUMNS =
  "id task_id question_id _id qid query_id example_id sample_id prompt_id problem_id unique_id uid qID ind idx index".split(
    " ",
  );

function readOwnId(row: RawRow): string | number | null {
  for (const column of ID_COLUMNS) {
    const value = row[column];
    if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
    if (Number.isSafeInteger(value) || (typeof value === "string" && value !== "")) return value as string | number;
  }
  return null;
}

/** Several examples of one row share its id. */
function number(id: string | number | null, index: number): string | null {
  return id === null ? null : `${id}-${index + 1}`;
}

/**
 * A column that no row so far has had is the better message: the file has changed, or is another one. Of a path only the
 * first name is looked for: rows of text files may leave out what is empty inside of a column.
 */
function requireColumns(columns: readonly string[], met: ReadonlySet<string>, file: string): void {
  const missing = columns.find((column) => !met.has(column) && !met.has(topName(column)));
  if (missing === undefined) return;
  const guess = nearest(topName(missing), met);
  const hint = guess === undefined ? "" : ` Did you mean "${guess}"?`;
  throw new DatasetError(
    `"${file}" has no column "${topName(missing)}", which this dataset is read by.${hint} Its columns: ${[...met].join(", ")}.`,
  );
}

function topName(path: string): string {
  return path.split(".", 1)[0] ?? path;
}
