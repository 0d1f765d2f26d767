import { readFileSync } from "node:fs";
import { getErrorMessage } from "../../core/index.js";
import { readLines } from "../../utils/index.js";
import { BadRecordError, isJsonObject, type JsonObject } from "./fields.js";
import type { ImportFormat, OpenedDocument } from "./format.js";

/** A record of a results file and its place: `runs.jsonl:12`, `out.json results.results[3]`. */
export interface LazyRecord {
  readonly place: string;
  /** Throws a BadRecordError if it cannot be read. */
  readonly value: () => unknown;
}

/** A file of lines is read repeatedly and never held; a document is held while it is processed. */
export type ResultFileContent = { readonly kind: "lines" } | { readonly kind: "document"; readonly document: unknown };

const LINES_EXTENSION = /\.(?:jsonl|ndjson)$/i;

/** Reads a file; throws a BadRecordError if it is not JSON. */
export function readFileContent(path: string): ResultFileContent {
  if (LINES_EXTENSION.test(path)) return { kind: "lines" };
  try {
    return { kind: "document", document: parseLenientJson(readFileSync(path, "utf8")) };
  } catch (error) {
    if (hasRecordOnFirstLine(path)) return { kind: "lines" };
    throw new BadRecordError(`it is not JSON: ${getErrorMessage(error)}`);
  }
}

function hasRecordOnFirstLine(path: string): boolean {
  for (const { text } of readLines(path)) if (text.trim() !== "") return isJsonObject(tryReadJson(text));
  return false;
}

function tryReadJson(text: string): unknown {
  try {
    return parseLenientJson(text);
  } catch {
    return undefined;
  }
}

/** Streams the records of a file of lines. */
export function* streamLineRecords(path: string): Generator<LazyRecord> {
  for (const { text, number } of readLines(path)) {
    if (text.trim() === "") continue;
    yield { place: `${path}:${number}`, value: () => parseRecord(text) };
  }
}

function parseRecord(text: string): unknown {
  try {
    return parseLenientJson(text);
  } catch (error) {
    throw new BadRecordError(`it is not JSON: ${getErrorMessage(error)}`);
  }
}

/** Opens a document in one format: with its own list, as a list, or as a single record; null if it does not match. */
export function openDocument(document: unknown, format: ImportFormat): OpenedDocument | null {
  if (Array.isArray(document))
    return document.some(createRecordCheck(format)) ? { records: document, list: "", read: format.read } : null;
  if (!isJsonObject(document)) return null;
  const opened = format.open?.(document) ?? null;
  if (opened !== null) return opened;
  return format.isRecord(document) ? { records: [document], list: SINGLE_RECORD, read: format.read } : null;
}

/** Marks a document that is itself a record. */
const SINGLE_RECORD = "\u0000";

/** Creates a check for records of a format. */
export function createRecordCheck(format: ImportFormat): (value: unknown) => value is JsonObject {
  return (value): value is JsonObject => isJsonObject(value) && format.isRecord(value);
}

/** Streams the records of a document with their places. */
export function* streamDocumentRecords(path: string, { records, list }: OpenedDocument): Generator<LazyRecord> {
  for (const [index, record] of records.entries())
    yield { place: list === SINGLE_RECORD ? path : `${path} ${list}[${index}]`, value: () => record };
}

const QUOTE = '"';
const BACKSLASH = "\\";
/** What Python writes for numbers that JSON does not support. */
const NON_JSON_NUMBERS = /-?\bInfinity\b|\bNaN\b/g;

/**
 * Parses JSON as other tools write it: skips a byte order mark, and reads NaN and Infinity, which Python writes although JSON
 * does not support them, as null.
 * @example
 * parseLenientJson('{"cost_of_pass": Infinity}'); // { cost_of_pass: null }
 */
export function parseLenientJson(text: string): unknown {
  const plain = text.startsWith("\ufeff") ? text.slice(1) : text;
  try {
    return JSON.parse(plain);
  } catch (error) {
    if (plain.search(NON_JSON_NUMBERS) === -1) throw error;
    return JSON.parse(replaceNonJsonNumbers(plain));
  }
}

/** Changes nothing inside texts. Scanned by hand: a regular expression overflows the stack on texts of megabytes. */
function replaceNonJsonNumbers(json: string): string {
  const pieces: string[] = [];
  for (let at = 0; at < json.length; ) {
    const open = json.indexOf(QUOTE, at);
    const start = open === -1 ? json.length : open;
    const end = open === -1 ? json.length : findTextEnd(json, open);
    pieces.push(json.slice(at, start).replaceAll(NON_JSON_NUMBERS, "null"), json.slice(start, end));
    at = end;
  }
  return pieces.join("");
}

function findTextEnd(json: string, open: number): number {
  for (let at = open + 1; ; ) {
    const close = json.indexOf(QUOTE, at);
    if (close === -1) return json.length;
    if (!isEscapedQuote(json, close)) return close + 1;
    at = close + 1;
  }
}

function isEscapedQuote(json: string, at: number): boolean {
  let before = at - 1;
  while (json[before] === BACKSLASH) before -= 1;
  return (at - before) % 2 === 0;
}
