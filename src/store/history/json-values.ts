import type { DuckDBMapValue, DuckDBStructValue, DuckDBType, DuckDBValue } from "@duckdb/node-api";
import { readLines } from "../../utils/index.js";
import { createScratchPath, writePieces } from "./write-pieces.js";

/** Any JSON value. */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [name: string]: JsonValue };

type DuckDbTypeIds = typeof import("@duckdb/node-api").DuckDBTypeId;

/** Converts a value of this type to JSON. The DuckDB types are loaded with the database. */
export type JsonConverter = (value: DuckDBValue, type: DuckDBType) => JsonValue;

/** Decimal digits that a JavaScript number always holds exactly. */
const MAX_SAFE_DIGITS = 15;

/**
 * Creates the conversion of query values to JSON. Integers and decimals are numbers if exact, otherwise strings; times are
 * ISO 8601 in UTC; NaN and infinity are null; JSON columns are parsed.
 */
export function createJsonConverter(types: DuckDbTypeIds): JsonConverter {
  const convert: JsonConverter = (value, type) => {
    if (value === null || value === undefined) return null;
    if (typeof value === "boolean") return value;
    if (typeof value === "number") return type.typeId === types.DATE ? String(value) : toFiniteNumber(value);
    if (typeof value === "bigint") return convertBigInt(value);
    if (typeof value === "string") return type.alias === "JSON" ? parseJsonValue(value) : value;
    return nested(value, type);
  };

  const nested = (value: object, type: DuckDBType): JsonValue => {
    if (type.typeId === types.LIST || type.typeId === types.ARRAY)
      return (value as { items: readonly DuckDBValue[] }).items.map((item) => convert(item, getValueType(type)));
    if (type.typeId === types.STRUCT) return structOf(value as DuckDBStructValue, type);
    if (type.typeId === types.MAP) return mapOf(value as DuckDBMapValue, type);
    if (type.typeId === types.UNION) return unionOf(value as { tag: string; value: DuckDBValue }, type);
    return scalar(value, type);
  };

  const structOf = ({ entries }: DuckDBStructValue, type: DuckDBType): JsonValue => {
    const { entryNames, entryTypes } = type as DuckDBType & { entryNames: string[]; entryTypes: DuckDBType[] };
    const fields = entryNames.map((name, i) => [name, convert(entries[name] ?? null, entryTypes[i] ?? type)] as const);
    return Object.fromEntries(fields);
  };

  const mapOf = ({ entries }: DuckDBMapValue, type: DuckDBType): JsonValue => {
    const { keyType } = type as DuckDBType & { keyType: DuckDBType };
    return Object.fromEntries(
      entries.map(
        ({ key, value }) => [formatMapKey(convert(key, keyType)), convert(value, getValueType(type))] as const,
      ),
    );
  };

  const unionOf = ({ tag, value }: { tag: string; value: DuckDBValue }, type: DuckDBType): JsonValue => {
    const { memberTags, memberTypes } = type as DuckDBType & { memberTags: string[]; memberTypes: DuckDBType[] };
    return convert(value, memberTypes[memberTags.indexOf(tag)] ?? type);
  };

  const scalar = (value: { toString(): string }, type: DuckDBType): JsonValue => {
    const text = value.toString();
    if (type.typeId === types.DECIMAL) return convertDecimal(text);
    if (type.typeId === types.TIMESTAMP_TZ) return formatInstant(value as unknown as { micros: bigint }, text);
    return isTimestampType(type, types) ? text.replace(/^(\d+-\d+-\d+) (.+)$/, "$1T$2Z") : text;
  };

  return convert;
}

function getValueType(type: DuckDBType): DuckDBType {
  return (type as DuckDBType & { valueType: DuckDBType }).valueType;
}

function isTimestampType({ typeId }: DuckDBType, types: DuckDbTypeIds): boolean {
  return [types.TIMESTAMP, types.TIMESTAMP_S, types.TIMESTAMP_MS, types.TIMESTAMP_NS].includes(typeId);
}

/** DuckDB formats it in the time zone of the machine. */
function formatInstant({ micros }: { micros: bigint }, text: string): string {
  const date = new Date(Number(micros / 1000n));
  return Number.isNaN(date.getTime()) ? text : date.toISOString();
}

function toFiniteNumber(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

function convertBigInt(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}

function convertDecimal(text: string): number | string {
  return text.replace(/^-?0*|\./g, "").length <= MAX_SAFE_DIGITS ? Number(text) : text;
}

function formatMapKey(key: JsonValue): string {
  return typeof key === "string" ? key : JSON.stringify(key);
}

/** JSON may contain numbers that are too large: JavaScript reads them as Infinity. */
function parseJsonValue(text: string): JsonValue {
  try {
    return JSON.parse(text, (_, value: JsonValue) =>
      typeof value === "number" ? toFiniteNumber(value) : value,
    ) as JsonValue;
  } catch {
    return text;
  }
}

/**
 * Copies a file of JSON lines so that DuckDB can read every line that JavaScript can read: a query then finds the same as a
 * report. Other lines are unchanged.
 */
export async function writeStrictCopy(path: string, scratchDir: string): Promise<string> {
  const copy = createScratchPath(scratchDir);
  await writePieces(copy, streamStrictLines(path));
  return copy;
}

function* streamStrictLines(path: string): Generator<string> {
  for (const { text } of readLines(path)) yield `${toStrictLine(text)}\n`;
}

function toStrictLine(text: string): string {
  try {
    return stringifyStrict(JSON.parse(text));
  } catch {
    return text;
  }
}

const ESCAPE_PATTERN = /\\(?:u(d[89a-f][0-9a-f]{2})|.)/g;

/**
 * Serializes JSON that DuckDB can read. It rejects lone surrogates, for example in a text cut in the middle of an emoji:
 * they become U+FFFD, as in any text written as UTF-8.
 * @example
 * stringifyStrict("cut \ud83d"); // '"cut \\ufffd"'
 */
export function stringifyStrict(value: unknown): string {
  return JSON.stringify(value).replace(ESCAPE_PATTERN, (whole, half?: string) =>
    half === undefined ? whole : "\\ufffd",
  );
}
