import type { LoadOptions } from "../core/dataset.js";
import { DatasetError } from "../core/errors.js";
import type { Example } from "../core/example.js";
import { nearest } from "../core/suggest.js";
import type { RawRow } from "./source-row.js";

const SHOWN_VALUES = 10;
const SHOWN_LENGTH = 40;
/** A guess at what was meant is looked for among so many values. */
const MOST_VALUES = 1000;

/** True when every column that the filter names holds its value, or the field of that name of the example does. */
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
    // Long ones are no use as a guess, and a thousand of them may be all of the file.
    const isOneMore = this.#values.size < (text.length > SHOWN_LENGTH ? SHOWN_VALUES : MOST_VALUES);
    if (isOneMore) this.#values.add(text);
    else this.#hasMore = true;
  }

  /** The one that was most likely meant, and a few of them. */
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

/** What to say when a filter keeps nothing, with the values of its columns that are known. */
export function noMatch(
  name: string,
  filter: Readonly<Record<string, string>>,
  known: ReadonlyMap<string, KnownValues>,
): DatasetError {
  const wanted = Object.entries(filter).map(([column, value]) => `${column}=${shortened(value)}`);
  const values = [...known].map(([column, one]) => one.describe(column, shortened(filter[column] ?? "")));
  return new DatasetError(`No row of "${name}" matches ${wanted.join(" and ")}. ${values.join(" ")}`);
}

/** Checks that every column named by `map` and `filter` is there, at next to no cost for files where they are. */
export class ColumnCheck {
  readonly #path: string;
  /** Columns named and not met yet, with what named them. */
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

  /** Columns that are there, whether or not any row has been read. */
  know(columns: readonly string[]): void {
    for (const column of columns) {
      this.#known.add(column);
      this.#missing.delete(column);
    }
  }

  /** Throws when a named column was in no row. */
  requireComplete(stoppedEarly: boolean): void {
    const [first] = this.#missing;
    // Without any column there was no row to look at, and that is the thing to report.
    if (first === undefined || this.#known.size === 0) return;
    const [column, option] = first;
    const guess = nearest(column, this.#known);
    const hint = guess === undefined ? "" : ` Did you mean "${guess}"?`;
    const rows = stoppedEarly ? "None of the first rows" : "No row";
    throw new DatasetError(
      `${rows} of "${this.#path}" has a column "${column}" (${option}).${hint} Its columns: ${[...this.#known].join(", ")}.`,
    );
  }

  /** Remembers values of the filter's columns, and of an example's fields, for the message when nothing matches. */
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

/** A single value as a filter writes it; lists, objects and null equal nothing. */
export function scalarText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}
