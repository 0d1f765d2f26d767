import { basename } from "node:path";
import type { DatasetOrigin, Example, LoadedExamples, LoadOptions } from "../../core/index.js";
import { DatasetError, didYouMean, findClosestName, hashContent, UsageError } from "../../core/index.js";
import type { Conversion } from "../convert-row.js";
import { getFileStem, isArchive, requireFile } from "../formats.js";
import { getStratum, loadRows } from "../load-rows.js";
import { openRowFile, type RowFile } from "../row-file.js";
import type { RawRow } from "../source-row.js";
import type { CatalogEntry, ExampleFields, HubSource, LineColumns, RowContext } from "./entry.js";
import { HubFileResolver, OpenFiles, openAlignedLines } from "./open-files.js";
import { getValueAtPath, RowProblem } from "./row-fields.js";

export interface NamedCatalogEntry {
  readonly name: string;
  readonly entry: CatalogEntry;
}

/**
 * Loads a dataset of the catalog: from the hub, or from local files with the same rows.
 * @example
 * const { examples } = await loadEntry({ name: "gsm8k", entry: gsm8k }, { maxExamples: 50 });
 */
export async function loadEntry({ name, entry }: NamedCatalogEntry, options: LoadOptions): Promise<LoadedExamples> {
  const config = resolveEntryConfig({ name, entry }, options.config);
  if (Object.keys(options.map ?? {}).length > 0)
    throw new UsageError(`${name} has fixed columns: --map is only for files. Remove it.`);
  const label = options.config === undefined ? name : `${name}:${options.config}`;
  const opened = await openEntry({ name, entry }, config, options);
  const caution = readCaution(entry, config);
  try {
    const { examples, notes, groupBy } = await readEntry({ name: label, entry }, { config, opened, options });
    return {
      name: label,
      examples,
      isChosen: true,
      ...(groupBy === undefined ? {} : { groupBy }),
      ...getEntryScoring(entry, config),
      notes: [...opened.notes(), ...notes, ...(caution === undefined ? [] : [`${label}: ${caution}`])],
      ...(opened.origin === null ? {} : { origin: opened.origin }),
    };
  } finally {
    await opened.close();
  }
}

/** The caution that is shown with every run of a config. */
export function readCaution({ caution }: CatalogEntry, config: string): string | undefined {
  return typeof caution === "function" ? caution(config) : caution;
}

/** Evaluators, primary field, facets, judge and expert cost of an entry. */
export function getEntryScoring(entry: CatalogEntry, config: string) {
  const { evaluators, primaryField, facets, judge, expertCostUsd } = entry;
  const expertCost = typeof expertCostUsd === "function" ? expertCostUsd(config) : expertCostUsd;
  const primary = typeof primaryField === "function" ? primaryField(config) : primaryField;
  return {
    evaluators: typeof evaluators === "function" ? evaluators(config) : evaluators,
    ...(primary === null ? {} : { primaryField: primary }),
    ...(facets === undefined ? {} : { facets }),
    ...(judge === undefined ? {} : { judge }),
    ...(expertCost === undefined ? {} : { expertCostUsd: expertCost }),
  };
}

/** Resolves the requested config, or the default. */
export function resolveEntryConfig({ name, entry }: NamedCatalogEntry, asked: string | undefined): string {
  const { configs, hasSettings = false } = entry;
  if (hasSettings) return asked ?? "";
  if (configs === undefined) {
    // The hub's name of the only config is accepted.
    if (asked === undefined || entry.sources("").some((source) => source.config === asked)) return "";
    throw new UsageError(`${name} has no configs: remove ":${asked}". Choose rows with --filter.`);
  }
  const config = asked ?? configs.default;
  if (configs.names.includes(config)) return config;
  throw new UsageError(`${name} has no config "${config}".${didYouMean(config, configs.names)}`);
}

interface EntryReadOptions {
  config: string;
  opened: OpenedEntry;
  options: LoadOptions;
}

async function readEntry({ name, entry }: NamedCatalogEntry, { config, opened, options }: EntryReadOptions) {
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
    ...(subject === undefined ? {} : { getStratum: (example: Example) => getStratum(example, subject) }),
    isExpanding,
    numbersRepeatedIds: true,
    filtersExamples: true,
    convert: createRowConverter({ name, entry }, { config, lookups, opened }),
  });
}

async function readLookups(
  files: OpenedEntry["lookups"],
  header: readonly string[] | undefined,
): Promise<Record<string, RawRow[]>> {
  const lookups: Record<string, RawRow[]> = {};
  for (const [name, rowFiles] of Object.entries(files)) {
    const rows: RawRow[] = [];
    for (const file of rowFiles) rows.push(...(await readLookupRows(file, header)));
    lookups[name] = rows;
  }
  return lookups;
}

async function readLookupRows(file: RowFile, header: readonly string[] | undefined): Promise<RawRow[]> {
  const rows: RawRow[] = [];
  for await (const batch of file.batches(header === undefined ? {} : { header })) {
    for (const source of batch) {
      if ("problem" in source) throw new DatasetError(`${file.at(source.line)}: the row ${source.problem}.`);
      rows.push(source.row);
    }
  }
  return rows;
}

interface ConverterOptions {
  config: string;
  lookups: RowContext["lookups"];
  opened: OpenedEntry;
}

function createRowConverter({ name, entry }: NamedCatalogEntry, { config, lookups, opened }: ConverterOptions) {
  const met = new Set<string>();
  return (row: RawRow, file: number): Conversion | Conversion[] => {
    for (const column in row) met.add(column);
    const { subject, file: rowFile } = opened.files[file] ?? {};
    const hash = hashContent(entry.columns.map((column) => getValueAtPath(row, column) ?? null));
    const id = readRowId(row);
    try {
      const fields = entry.examples(row, {
        config,
        contentId: hash,
        lookups,
        ...(subject === undefined ? {} : { subject }),
      });
      return isExampleList(fields)
        ? fields.map((one, index) =>
            toCatalogExample(one, { ownId: numberId(id, index), hash: `${hash}-${index + 1}`, name }),
          )
        : toCatalogExample(fields, { ownId: id, hash, name });
    } catch (error) {
      if (!(error instanceof RowProblem)) throw error;
      requireEntryColumns(entry.columns, met, rowFile?.name ?? name);
      return { problem: error.message };
    }
  };
}

function isExampleList(fields: ExampleFields | readonly ExampleFields[]): fields is readonly ExampleFields[] {
  return Array.isArray(fields);
}

interface ExampleIdentity {
  ownId: string | number | null;
  hash: string;
  name: string;
}

/** Uses the id from the entry, else the row's own id, so that outputs recorded elsewhere can be joined; else a hash. */
function toCatalogExample(fields: ExampleFields, { ownId, hash, name }: ExampleIdentity): Conversion {
  const id = fields.id ?? ownId;
  return { example: { ...fields, id: id ?? hash, dataset: name }, idFromContent: id === null };
}

/** Names of id columns, the most likely first. */
const ID_COLUMNS =
  "id task_id question_id _id qid query_id example_id sample_id prompt_id problem_id unique_id uid qID ind idx index".split(
    " ",
  );

function readRowId(row: RawRow): string | number | null {
  for (const column of ID_COLUMNS) {
    const value = row[column];
    if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
    if (Number.isSafeInteger(value) || (typeof value === "string" && value !== "")) return value as string | number;
  }
  return null;
}

/** Numbers several examples of one row. */
function numberId(id: string | number | null, index: number): string | null {
  return id === null ? null : `${id}-${index + 1}`;
}

/**
 * A column missing in all rows so far deserves its own message: the file has changed, or is a different one. Only the
 * first name of a path is checked: rows of text files may omit empty parts of a column.
 */
function requireEntryColumns(columns: readonly string[], met: ReadonlySet<string>, file: string): void {
  const missing = columns.find((column) => !met.has(column) && !met.has(getTopLevelName(column)));
  if (missing === undefined) return;
  const guess = findClosestName(getTopLevelName(missing), met);
  const hint = guess === undefined ? "" : ` Did you mean "${guess}"?`;
  throw new DatasetError(
    `"${file}" has no column "${getTopLevelName(missing)}", which this dataset requires.${hint} Its columns: ${[...met].join(", ")}.`,
  );
}

function getTopLevelName(path: string): string {
  return path.split(".", 1)[0] ?? path;
}

interface OpenedEntry {
  readonly files: readonly { readonly file: RowFile; readonly subject?: string }[];
  readonly lookups: Readonly<Record<string, readonly RowFile[]>>;
  /** Null for local files. */
  readonly origin: DatasetOrigin | null;
  /** Notes from loading, such as a moved repository. */
  notes(): readonly string[];
  close(): Promise<void>;
}

async function openEntry(named: NamedCatalogEntry, config: string, options: LoadOptions): Promise<OpenedEntry> {
  return options.files === undefined ? openFromHub(named, config, options) : openLocal(named, config, options.files);
}

/** Opens local files: the rows first, then one file per lookup. */
async function openLocal(
  { name, entry }: NamedCatalogEntry,
  config: string,
  paths: readonly string[],
): Promise<OpenedEntry> {
  const lookups = Object.keys(entry.lookups ?? {});
  if (lookups.length > 0 && paths.length !== lookups.length + 1) {
    throw new UsageError(
      `${name} needs ${lookups.length + 1} files: its rows, then ${lookups.join(", ")}. Write ${name}=rows.jsonl,${lookups.map((lookup) => `${lookup}.jsonl`).join(",")}.`,
    );
  }
  const files = new OpenFiles();
  try {
    const sources = entry.sources(config);
    const opened = await openLocalFiles(paths, { sources, files });
    const rows = lookups.length > 0 ? opened.slice(0, 1) : opened;
    return {
      files: rows.map((file) => ({ file, ...pickSubject(findSourceForFile(sources, file.name) ?? {}) })),
      lookups: Object.fromEntries(lookups.map((lookup, index) => [lookup, opened.slice(index + 1, index + 2)])),
      origin: null,
      notes: () => [],
      close: () => files.close(),
    };
  } catch (error) {
    await files.close();
    throw error;
  }
}

/** Finds the source of a local file by the end of its name. */
function findSourceForFile(sources: readonly HubSource[], path: string): HubSource | undefined {
  if (sources.length === 1) return sources[0];
  const name = getFileStem(path);
  return sources.find(({ subject }) => subject !== undefined && new RegExp(`(?:^|[-_])${subject}$`).test(name));
}

async function openFromHub({ entry }: NamedCatalogEntry, config: string, options: LoadOptions): Promise<OpenedEntry> {
  const { openHub } = await import("../hub/index.js");
  const { onDownload, signal } = options;
  const notes: string[] = [];
  const hub = openHub({
    ...(onDownload === undefined ? {} : { onProgress: onDownload }),
    ...(signal === undefined ? {} : { signal }),
    onNote: (note) => notes.push(note),
  });
  const shelf = new HubFileResolver(hub, entry.repo, options.revision);
  try {
    const files: OpenedEntry["files"][number][] = [];
    for (const source of entry.sources(config))
      for (const file of await shelf.open(source)) files.push({ file, ...pickSubject(source) });
    const lookups: Record<string, readonly RowFile[]> = {};
    for (const [name, source] of Object.entries(entry.lookups ?? {})) lookups[name] = await shelf.open(source(config));
    return { files, lookups, origin: shelf.origin, notes: () => notes, close: () => shelf.close() };
  } catch (error) {
    await shelf.close();
    throw error;
  }
}

function pickSubject({ subject }: HubSource): { subject?: string } {
  return subject === undefined ? {} : { subject };
}

/** Opens local files in any form in which the dataset is published. */
async function openLocalFiles(
  paths: readonly string[],
  { sources, files }: { sources: readonly HubSource[]; files: OpenFiles },
): Promise<RowFile[]> {
  for (const path of paths) requireFile(path);
  const known = sources.flatMap(listWithFallbacks);
  const lines = known.find((source) => source.lines !== undefined)?.lines;
  const columns = lines === undefined ? null : matchColumnFiles(paths, lines);
  if (columns !== null) return [openAlignedLines({ ...lines, name: paths.join(" + "), columns })];
  const member = known.find((source) => source.member !== undefined)?.member;
  const opened: RowFile[] = [];
  for (const path of paths) {
    const isPacked = member !== undefined && isArchive(path);
    opened.push(
      isPacked ? await files.openPacked({ path, name: path, member }) : files.add(await openRowFile({ path })),
    );
  }
  return opened;
}

function listWithFallbacks(source: HubSource): HubSource[] {
  return [source, ...(source.fallback === undefined ? [] : listWithFallbacks(source.fallback))];
}

/** Matches columns to files by file name; null for other files. */
function matchColumnFiles(paths: readonly string[], { columns }: LineColumns): Record<string, string> | null {
  const found: Record<string, string> = {};
  for (const [column, published] of Object.entries(columns)) {
    const path = paths.find((each) => basename(each) === basename(published));
    if (path !== undefined) found[column] = path;
  }
  const count = Object.keys(found).length;
  return count === paths.length && count === Object.keys(columns).length ? found : null;
}
