import { describe } from "../../core/shape.js";
import type { RawRow } from "../source-row.js";

/**
 * The value at a path of names, e.g. "answer.value"; undefined where there is none. In a list a number is an item, and a
 * name stands for the list of what each item has there. A column that has the whole path for its name comes first.
 */
export function valueAt(row: RawRow, path: string): unknown {
  return Object.hasOwn(row, path) ? row[path] : follow(row, path.split("."));
}

function follow(value: unknown, keys: readonly string[]): unknown {
  const [key, ...rest] = keys;
  if (key === undefined) return value;
  if (typeof value !== "object" || value === null) return undefined;
  if (Array.isArray(value) && !/^\d+$/.test(key)) return value.map((item) => follow(item, keys));
  return follow((value as Readonly<Record<string, unknown>>)[key], rest);
}

/**
 * The text in a column.
 * @example
 * text({ answer: { value: "Paris" } }, "answer.value"); // "Paris"
 */
export function text(row: RawRow, path: string): string {
  const value = valueAt(row, path);
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "bigint") return String(value);
  throw wrong(path, value, "text");
}

/** The text in a column that may be null or absent; "" then. */
export function optionalText(row: RawRow, path: string): string {
  const value = valueAt(row, path);
  return value === null || value === undefined ? "" : text(row, path);
}

/** The list of texts in a column. */
export function texts(row: RawRow, path: string): string[] {
  return list(row, path).map((item, index) => {
    if (typeof item === "string") return item;
    if (typeof item === "number" || typeof item === "bigint") return String(item);
    throw wrong(`${path}[${index}]`, item, "text");
  });
}

/** The list in a column. */
export function list(row: RawRow, path: string): readonly unknown[] {
  const value = valueAt(row, path);
  if (Array.isArray(value)) return value;
  throw wrong(path, value, "a list");
}

/** The whole number in a column; files keep them as numbers, big integers or text. */
export function integer(row: RawRow, path: string): number {
  const value = valueAt(row, path);
  const number = typeof value === "string" && value.trim() === "" ? Number.NaN : Number(value ?? Number.NaN);
  if (Number.isSafeInteger(number) && typeof value !== "boolean") return number;
  throw wrong(path, value, "a whole number");
}

function wrong(path: string, value: unknown, wanted: string): RowProblem {
  return new RowProblem(`has ${describe(value)} in "${path}", not ${wanted}`);
}

/**
 * True for a row that has nothing in one of its columns, as published data sometimes does. A column that is not there at
 * all is another matter.
 * @example
 * hasBlank({ document: "…", summary: " " }, ["document", "summary"]); // true
 */
export function hasBlank(row: RawRow, columns: readonly string[]): boolean {
  return columns.some((column) => {
    const value = valueAt(row, column);
    return value === null || (typeof value === "string" && value.trim() === "");
  });
}

/**
 * The list in a column that holds it as it is or as JSON text.
 * @example
 * jsonList({ tools: '[{"name": "add"}]' }, "tools"); // [{ name: "add" }]
 */
export function jsonList(row: RawRow, path: string): readonly unknown[] {
  const value = valueAt(row, path);
  const read = typeof value === "string" ? parsed(value) : value;
  if (Array.isArray(read)) return read;
  throw new RowProblem(`has ${describe(value)} in "${path}", not a list or one as JSON`);
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** What is wrong with a row, as words that follow "the row": `has null in "question"`. */
export class RowProblem extends Error {
  override readonly name = "RowProblem";
}
