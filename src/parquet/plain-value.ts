import { isUtf8 } from "node:buffer";

/**
 * A decoded value as JSON has it: numbers, text, lists and objects. Whole numbers that a double cannot hold become
 * text, moments become ISO text, and bytes become text when they are UTF-8 and base64 when they are not.
 */
export function plainValue(value: unknown): unknown {
  if (value === undefined || value === null) return null;
  if (typeof value === "bigint") return plainInteger(value);
  if (typeof value !== "object") return value;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof Uint8Array) return plainBytes(value);
  if (Array.isArray(value)) return value.map(plainValue);
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, plainValue(child)]));
}

/** Decimals come as a product with a power of ten, which is off in the last digits. */
export function roundDecimals(value: unknown, scale: number): unknown {
  if (Array.isArray(value)) return value.map((child) => roundDecimals(child, scale));
  return typeof value === "number" ? Number(value.toFixed(scale)) : value;
}

function plainInteger(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}

function plainBytes(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return buffer.toString(isUtf8(buffer) ? "utf8" : "base64");
}
