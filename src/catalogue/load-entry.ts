import { contentId } from "../core/content-id.js";
import type { LoadedExamples, LoadOptions } from "../core/dataset.js";
import { DatasetError, UsageError } from "../core/errors.js";
import type { Example } from "../core/example.js";
import { didYouMean, nearest } from "../core/suggest.js";
import { loadRows, stratum } from "../datasets/load-rows.js";
import type { RowFile } from "../datasets/row-file.js";
import type { RawRow } from "../datasets/source-row.js";
import type { Conversion } from "../datasets/to-example.js";
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
  try {
    const { examples, notes, groupBy } = await read({ name: label, entry }, { config, opened, options });
    return {
      name: label,
      examples,
      isChosen: true,
      ...(groupBy === undefined ? {} : { groupBy }),
      ...wiringOf(entry, config),
      notes: [...opened.notes(), ...notes, ...(entry.caution === undefined ? [] : [`${label}: ${entry.caution}`])],
      ...(opened.origin === null ? {} : { origin: opened.origin }),
    };
  } finally {
    await opened.close();
  }
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
    columns: { required: columns, optional: optionalColumns },
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
    const id = contentId(entry.columns.map((column) => valueAt(row, column) ?? null));
    try {
      const fields = entry.examples(row, {
        config,
        contentId: id,
        lookups,
        ...(subject === undefined ? {} : { subject }),
      });
      return isSeveral(fields)
        ? fields.map((one, index) => toExample(one, { id: `${id}-${index + 1}`, name }))
        : toExample(fields, { id, name });
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

function toExample(fields: ExampleFields, { id, name }: { id: string; name: string }): Conversion {
  const ownId = fields.id;
  return { example: { ...fields, id: ownId ?? id, dataset: name }, idFromContent: ownId === undefined };
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
