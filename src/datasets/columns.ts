import type { LoadOptions } from "../core/dataset.js";
import { DatasetError } from "../core/errors.js";
import { nearest } from "../core/suggest.js";
import type { RawRow } from "./source-row.js";

const SHOWN_VALUES = 10;

/** True when every column that the filter names holds its value. */
export function matches(row: RawRow, filter: LoadOptions["filter"]): boolean {
  if (filter === undefined) return true;
  for (const column in filter) {
    if (scalarText(row[column]) !== filter[column]) return false;
  }
  return true;
}

/** Checks that every column named by `map` and `filter` is there, at next to no cost for files where they are. */
export class ColumnCheck {
  readonly #path: string;
  /** Columns named and not met yet, with what named them. */
  readonly #missing = new Map<string, string>();
  readonly #known = new Set<string>();
  readonly #values = new Map<string, Set<string>>();

  constructor(path: string, { map = {}, filter = {} }: Pick<LoadOptions, "map" | "filter">) {
    this.#path = path;
    for (const [target, column] of Object.entries(map)) this.#missing.set(column, `--map ${target}=${column}`);
    for (const [column, value] of Object.entries(filter)) {
      this.#missing.set(column, `--filter ${column}=${value}`);
      this.#values.set(column, new Set());
    }
  }

  get complete(): boolean {
    return this.#missing.size === 0;
  }

  see(row: RawRow): void {
    if (this.complete) return;
    for (const column of Object.keys(row)) {
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

  /** Remembers a few values of the filter's columns, for the message when nothing matches. */
  noteValues(row: RawRow): void {
    for (const [column, values] of this.#values) {
      const value = scalarText(row[column]);
      if (value !== undefined && values.size < SHOWN_VALUES) values.add(value.slice(0, 40));
    }
  }

  knownValues(): string {
    return [...this.#values]
      .map(
        ([column, values]) =>
          `Values of ${column}: ${[...values].join(", ")}${values.size < SHOWN_VALUES ? "" : ", …"}.`,
      )
      .join(" ");
  }
}

/** A single value as a filter writes it; lists, objects and null equal nothing. */
export function scalarText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}
