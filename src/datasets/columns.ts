import type { Example, LoadOptions } from "../core/index.js";
import { DatasetError, findClosestName } from "../core/index.js";
import type { ParquetTable } from "./parquet/table.js";
import type { RawRow } from "./source-row.js";

const MAX_SHOWN_VALUES = 10;
const MAX_SHOWN_LENGTH = 40;
/** Number of values searched for a suggestion. */
const MAX_STORED_VALUES = 1000;

/** Whether each column of the filter has its value, in the row or as a field of the example. */
export function matchesFilter(row: RawRow, filter: LoadOptions["filter"], example?: Readonly<Example>): boolean {
  if (filter === undefined) return true;
  for (const name in filter) {
    const value = filter[name];
    if (formatScalar(row[name]) !== value && formatScalar(example?.[name]) !== value) return false;
  }
  return true;
}

/** Distinct values of a column, as many as a message needs. */
export class ColumnValues {
  readonly #values = new Set<string>();
  #hasMore = false;

  add(value: unknown): void {
    const text = formatScalar(value);
    if (text === undefined || this.#values.has(text)) return;
    // Long values are useless as suggestions, and a thousand of them might fill the memory.
    const isOneMore = this.#values.size < (text.length > MAX_SHOWN_LENGTH ? MAX_SHOWN_VALUES : MAX_STORED_VALUES);
    if (isOneMore) this.#values.add(text);
    else this.#hasMore = true;
  }

  /** Suggests the most similar value, and lists a few. */
  describe(column: string, wanted: string): string {
    const guess = findClosestName(
      wanted,
      [...this.#values].filter(({ length }) => length <= MAX_SHOWN_LENGTH),
    );
    const hint = guess === undefined ? "" : `Did you mean "${guess}"? `;
    const shown = [...this.#values].slice(0, MAX_SHOWN_VALUES).map(shortenColumnValue);
    if (this.#hasMore || this.#values.size > MAX_SHOWN_VALUES) shown.push("…");
    return `${hint}Values of ${column}: ${shown.join(", ") || "none"}.`;
  }
}

function shortenColumnValue(text: string): string {
  return text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH - 1)}…` : text;
}

/** Error for a filter without matches, with known values of its columns. */
export function createFilterError(
  name: string,
  filter: Readonly<Record<string, string>>,
  known: ReadonlyMap<string, ColumnValues>,
): DatasetError {
  const wanted = Object.entries(filter).map(([column, value]) => `${column}=${shortenColumnValue(value)}`);
  const values = [...known].map(([column, one]) => one.describe(column, shortenColumnValue(filter[column] ?? "")));
  return new DatasetError(`No row of "${name}" matches ${wanted.join(" and ")}. ${values.join(" ")}`);
}

/** Checks that every column named by `map` and `filter` exists, at almost no cost if they do. */
export class ColumnCheck {
  readonly #path: string;
  /** Columns not found yet, with the option that names them. */
  readonly #missing = new Map<string, string>();
  readonly #known = new Set<string>();
  readonly #values = new Map<string, ColumnValues>();

  constructor(path: string, { map = {}, filter = {} }: Pick<LoadOptions, "map" | "filter">) {
    this.#path = path;
    for (const [target, column] of Object.entries(map)) this.#missing.set(column, `--map ${target}=${column}`);
    for (const [column, value] of Object.entries(filter)) {
      this.#missing.set(column, `--filter ${column}=${value}`);
      this.#values.set(column, new ColumnValues());
    }
  }

  get isComplete(): boolean {
    return this.#missing.size === 0;
  }

  addRow(row: RawRow): void {
    if (!this.isComplete) this.addColumns(Object.keys(row));
  }

  /** Adds columns that exist even if no row has been read. */
  addColumns(columns: readonly string[]): void {
    for (const column of columns) {
      this.#known.add(column);
      this.#missing.delete(column);
    }
  }

  /** Throws if a named column was in no row. */
  requireComplete(stoppedEarly: boolean): void {
    const [first] = this.#missing;
    // Without any column there was no row, which is reported elsewhere.
    if (first === undefined || this.#known.size === 0) return;
    const [column, option] = first;
    const guess = findClosestName(column, this.#known);
    const hint = guess === undefined ? "" : ` Did you mean "${guess}"?`;
    const rows = stoppedEarly ? "None of the first rows" : "No row";
    throw new DatasetError(
      `${rows} of "${this.#path}" has a column "${column}" (${option}).${hint} Its columns: ${[...this.#known].join(", ")}.`,
    );
  }

  /** Stores values of the filter's columns and of the example's fields for the message. */
  recordValues(row: RawRow, example?: Readonly<Example>): void {
    for (const [column, values] of this.#values) {
      values.add(row[column]);
      values.add(example?.[column]);
    }
  }

  createFilterError(filter: Readonly<Record<string, string>>): DatasetError {
    return createFilterError(this.#path, filter, this.#values);
  }
}

/** Formats a single value for comparison with a filter; lists, objects and null match nothing. */
export function formatScalar(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}

/** Column names, or paths to parts of them such as "answer.aliases"; only Parquet files are read in parts. */
export interface ColumnSelection {
  readonly required: readonly string[];
  readonly optional: readonly string[];
}

interface ColumnRequest {
  columns?: ColumnSelection;
  filter?: Readonly<Record<string, string>>;
}

/** The columns to read of a table, or parts of them; throws if a required one is missing. */
export function selectTableColumns(
  table: ParquetTable,
  { columns, filter = {} }: ColumnRequest,
): readonly string[] | undefined {
  if (columns === undefined) return undefined;
  const missing = columns.required.find((path) => !table.has(path));
  if (missing !== undefined) throw createMissingColumnError(table, missing);
  return [...columns.required, ...columns.optional, ...Object.keys(filter)].filter((path) => table.has(path));
}

function createMissingColumnError(table: ParquetTable, missing: string): DatasetError {
  const known = table.listSimilarPaths(missing);
  const guess = findClosestName(missing, known);
  const hint = guess === undefined ? "" : ` Did you mean "${guess}"?`;
  return new DatasetError(
    `"${table.name}" has no column "${missing}", which this dataset requires.${hint} Its columns: ${known.join(", ")}. The dataset may have changed: pin an earlier revision with NAME@REVISION.`,
  );
}
