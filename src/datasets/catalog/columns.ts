import { describeValue } from "../../core/shape.js";
import type { RawRow } from "../source-row.js";

/**
 * Gets the value at a path, such as "answer.value"; undefined if there is none. In a list, a number selects an item and a
 * name maps over the items. A column whose name is the whole path comes first.
 */
export function getValueAtPath(row: RawRow, path: string): unknown {
  return Object.hasOwn(row, path) ? row[path] : followPath(row, path.split("."));
}

function followPath(value: unknown, keys: readonly string[]): unknown {
  const [key, ...rest] = keys;
  if (key === undefined) return value;
  if (typeof value !== "object" || value === null) return undefined;
  if (Array.isArray(value) && !/^\d+$/.test(key)) return value.map((item) => followPath(item, keys));
  return followPath((value as Readonly<Record<string, unknown>>)[key], rest);
}

/**
 * @example
 * requireText({ answer: { value: "Paris" } }, "answer.value"); // "Paris"
 */
export function requireText(row: RawRow, path: string): string {
  const value = getValueAtPath(row, path);
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "bigint") return String(value);
  throw createColumnProblem(path, value, "text");
}

/** Reads text that may be null or absent, as "". */
export function readOptionalText(row: RawRow, path: string): string {
  const value = getValueAtPath(row, path);
  return value === null || value === undefined ? "" : requireText(row, path);
}

export function requireTextList(row: RawRow, path: string): string[] {
  return requireListValue(row, path).map((item, index) => {
    if (typeof item === "string") return item;
    if (typeof item === "number" || typeof item === "bigint") return String(item);
    throw createColumnProblem(`${path}[${index}]`, item, "text");
  });
}

export function requireListValue(row: RawRow, path: string): readonly unknown[] {
  const value = getValueAtPath(row, path);
  if (Array.isArray(value)) return value;
  throw createColumnProblem(path, value, "a list");
}

/** Files store whole numbers as numbers, big integers or text. */
export function requireIntegerValue(row: RawRow, path: string): number {
  const value = getValueAtPath(row, path);
  const number = typeof value === "string" && value.trim() === "" ? Number.NaN : Number(value ?? Number.NaN);
  if (Number.isSafeInteger(number) && typeof value !== "boolean") return number;
  throw createColumnProblem(path, value, "a whole number");
}

function createColumnProblem(path: string, value: unknown, wanted: string): RowProblem {
  return new RowProblem(`has ${describeValue(value)} in "${path}", not ${wanted}`);
}

/**
 * Whether one of the columns is null or blank, as happens in published data. A missing column does not count.
 * @example
 * hasBlankColumn({ document: "…", summary: " " }, ["document", "summary"]); // true
 */
export function hasBlankColumn(row: RawRow, columns: readonly string[]): boolean {
  return columns.some((column) => {
    const value = getValueAtPath(row, column);
    return value === null || (typeof value === "string" && value.trim() === "");
  });
}

/**
 * Reads a list that is stored as a list or as JSON text.
 * @example
 * requireJsonList({ tools: '[{"name": "add"}]' }, "tools"); // [{ name: "add" }]
 */
export function requireJsonList(row: RawRow, path: string): readonly unknown[] {
  const value = getValueAtPath(row, path);
  const read = typeof value === "string" ? tryParseJson(value) : value;
  if (Array.isArray(read)) return read;
  throw new RowProblem(`has ${describeValue(value)} in "${path}", not a list or a JSON list`);
}

function tryParseJson(json: string): unknown {
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
