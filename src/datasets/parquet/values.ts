import { isUtf8 } from "node:buffer";
import type { ParquetParsers, SubColumnData } from "hyparquet";

const MS_PER_DAY = 86_400_000;

/** How hyparquet decodes the types that JSON has no word for. */
export const parsers: Partial<ParquetParsers> = {
  /** A day has no time: midnight would be made up. */
  dateFromDays: (days: number | undefined) =>
    days === undefined ? undefined : new Date(days * MS_PER_DAY).toISOString().slice(0, 10),
  /** A column may say that it holds JSON and hold something else; the text is kept then. */
  jsonFromBytes(bytes: Uint8Array | undefined): unknown {
    if (bytes === undefined) return undefined;
    const text = toBuffer(bytes).toString("utf8");
    try {
      return JSON.parse(text);
    } catch {
      return text;
    }
  },
};

/**
 * Converts a decoded value to what JSON has: numbers, text, lists and objects. Whole numbers that a double cannot hold
 * become text, moments become ISO text, and bytes become text when they are UTF-8 and base64 when they are not.
 */
export function toPlainValue(value: unknown): unknown {
  if (value === undefined || value === null) return null;
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value !== "object") return value;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof Uint8Array) return toBuffer(value).toString(isUtf8(value) ? "utf8" : "base64");
  if (Array.isArray(value)) return value.map(toPlainValue);
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, toPlainValue(child)]));
}

/** Rounds decimals in place: hyparquet multiplies them by a power of ten, which is off in the last digits. */
export function roundDecimals(values: SubColumnData["columnData"], scale: number): void {
  for (const [at, value] of values.entries()) {
    if (typeof value === "number") values[at] = Number(value.toFixed(scale));
    else if (Array.isArray(value)) roundDecimals(value, scale);
  }
}

function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
