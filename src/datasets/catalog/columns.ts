import { describe } from "../../core/shape.js";
import type { RawRow } from "../source-row.js";

/**
 * Gets the value at a path, such as "answer.value"; undefined if there is none. In a list, a number selects an item and a
 * name maps over the items. A column whose name is the whole path comes first.
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
 * @example
 * requireText({ answer: { value: "Paris" } }, "answer.value"); // "Paris"
 */
export function text(row: RawRow, path: string): string {
  const value = valueAt(row, path);
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "bigint") return String(value);
  throw wrong(path, value, "text");
}

/** Reads text that may be null or absent, as "". */
export function optionalText(row: RawRow, path: string): string {
  const value = valueAt(row, path);
  return value === null || value === undefined ? "" : text(row, path);
}

export function texts(row: RawRow, path: string): string[] {
  return list(row, path).map((item, index) => {
    if (typeof item === "string") return item;
    if (typeof item === "number" || typeof item === "bigint") return String(item);
    throw wrong(`${path}[${index}]`, item, "text");
  });
}

export function list(row: RawRow, path: string): readonly unknown[] {
  const value = valueAt(row, path);
  if (Array.isArray(value)) return value;
  throw wrong(path, value, "a list");
}

/** Files store whole numbers as numbers, big integers or text. */
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
 * Whether one of the columns is null or blank, as happens in published data. A missing column does not count.
 * @example
 * hasBlankColumn({ document: "…", summary: " " }, ["document", "summary"]); // true
 */
export function hasBlank(row: RawRow, columns: readonly string[]): boolean {
  return columns.some((column) => {
    const value = valueAt(row, column);
    return value === null || (typeof value === "string" && value.trim() === "");
  });
}

/**
 * Reads a list that is stored as a list or as JSON text.
 * @example
 * requireJsonList({ tools: '[{"name": "add"}]' }, "tools"); // [{ name: "add" }]
 */
export function jsonList(row: RawRow, path: string): readonly unknown[] {
  const value = valueAt(row, path);
  const read = typeof value === "string" ? parsed(value) : value;
  if (Array.isArray(read)) return read;
  throw new RowProblem(`has ${describe(value)} in "${path}", not a list or a JSON list`);
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** What is wrong with a row. The message continues "the row": `has null in "question"`. */
export class RowProblem extends Error {
  override readonly name = "RowProblem";
}
