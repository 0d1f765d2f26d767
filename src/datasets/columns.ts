import type { LoadOptions } from "../core/dataset.js";
import { DatasetError } from "../core/errors.js";
import type { Example } from "../core/example.js";
import { nearest } from "../core/suggest.js";
import type { RawRow } from "./source-row.js";

const SHOWN_VALUES = 10;
const SHOWN_LENGTH = 40;
/** Number of values searched for a suggestion. */
const MOST_VALUES = 1000;

/** Whether each column of the filter has its value, in the row or as a field of the example. */
export function matches(row: RawRow, filter: LoadOptions["filter"], example?: Readonly<Example>): boolean {
  if (filter === undefined) return true;
  for (const name in filter) {
    const value = filter[name];
    if (scalarText(row[name]) !== value && scalarText(example?.[name]) !== value) return false;
  }
  return true;
}

/** Distinct values of a column, as many as a message needs. */
export class KnownValues {
  readonly #values = new Set<string>();
  #hasMore = false;

  add(value: unknown): void {
    const text = scalarText(value);
    if (text === undefined || this.#values.has(text)) return;
    // Long values are useless as suggestions, and a thousand of them might fill the memory.
    const isOneMore = this.#values.size < (text.length > SHOWN_LENGTH ? SHOWN_VALUES : MOST_VALUES);
    if (isOneMore) this.#values.add(text);
    else this.#hasMore = true;
  }

  /** Suggests the most similar value, and lists a few. */
  describe(column: string, wanted: string): string {
    const guess = nearest(
      wanted,
      [...this.#values].filter(({ length }) => length <= SHOWN_LENGTH),
    );
    const hint = guess === undefined ? "" : `Did you mean "${guess}"? `;
    const shown = [...this.#values].slice(0, SHOWN_VALUES).map(shortened);
    if (this.#hasMore || this.#values.size > SHOWN_VALUES) shown.push("…");
    return `${hint}Values of ${column}: ${shown.join(", ") || "none"}.`;
  }
}

function shortened(text: string): string {
  return text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH - 1)}…` : text;
}

/** Error for a filter without matches, with known values of its columns. */
export function noMatch(
  name: string,
  filter: Readonly<Record<string, string>>,
  known: ReadonlyMap<string, KnownValues>,
): DatasetError {
  const wanted = Object.entries(filter).map(([column, value]) => `${column}=${shortened(value)}`);
  const values = [...known].map(([column, one]) => one.describe(column, shortened(filter[column] ?? "")));
  return new DatasetError(`No row of "${name}" matches ${wanted.join(" and ")}. ${values.join(" ")}`);
}

/** Checks that every column named by `map` and `filter` exists, at almost no cost if they do. */
export class ColumnCheck {
  readonly #path: string;
  /** Columns not found yet, with the option that names them. */
  readonly #missing = new Map<string, string>();
  readonly #known = new Set<string>();
  readonly #values = new Map<string, KnownValues>();

  constructor(path: string, { map = {}, filter = {} }: Pick<LoadOptions, "map" | "filter">) {
    this.#path = path;
    for (const [target, column] of Object.entries(map)) this.#missing.set(column, `--map ${target}=${column}`);
    for (const [column, value] of Object.entries(filter)) {
      this.#missing.set(column, `--filter ${column}=${value}`);
      this.#values.set(column, new KnownValues());
    }
  }

  get complete(): boolean {
    return this.#missing.size === 0;
  }

  see(row: RawRow): void {
    if (!this.complete) this.know(Object.keys(row));
  }

  /** Adds columns that exist even if no row has been read. */
  know(columns: readonly string[]): void {
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
    const guess = nearest(column, this.#known);
    const hint = guess === undefined ? "" : ` Did you mean "${guess}"?`;
    const rows = stoppedEarly ? "None of the first rows" : "No row";
    throw new DatasetError(
      `${rows} of "${this.#path}" has a column "${column}" (${option}).${hint} Its columns: ${[...this.#known].join(", ")}.`,
    );
  }

  /** Stores values of the filter's columns and of the example's fields for the message. */
  noteValues(row: RawRow, example?: Readonly<Example>): void {
    for (const [column, values] of this.#values) {
      values.add(row[column]);
      values.add(example?.[column]);
    }
  }

  noMatch(filter: Readonly<Record<string, string>>): DatasetError {
    return noMatch(this.#path, filter, this.#values);
  }
}

/** Formats a single value for comparison with a filter; lists, objects and null match nothing. */
export function scalarText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}
