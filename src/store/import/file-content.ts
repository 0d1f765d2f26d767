import { readFileSync } from "node:fs";
import { messageOf } from "../../core/errors.js";
import { readLines } from "../../utils/files/lines.js";
import { BadRecord, isObject, type JsonObject } from "./fields.js";
import type { ImportFormat, OpenedDocument } from "./format.js";

/** A record of a results file and its place: `runs.jsonl:12`, `out.json results.results[3]`. */
export interface FoundRecord {
  readonly place: string;
  /** Throws a BadRecordError if it cannot be read. */
  readonly value: () => unknown;
}

/** A file of lines is read repeatedly and never held; a document is held while it is processed. */
export type FileContent = { readonly kind: "lines" } | { readonly kind: "document"; readonly document: unknown };

const LINES = /\.(?:jsonl|ndjson)$/i;

/** Reads a file; throws a BadRecordError if it is not JSON. */
export function contentOf(path: string): FileContent {
  if (LINES.test(path)) return { kind: "lines" };
  try {
    return { kind: "document", document: readJson(readFileSync(path, "utf8")) };
  } catch (error) {
    if (startsWithRecord(path)) return { kind: "lines" };
    throw new BadRecord(`it is not JSON: ${messageOf(error)}`);
  }
}

function startsWithRecord(path: string): boolean {
  for (const { text } of readLines(path)) if (text.trim() !== "") return isObject(tryRead(text));
  return false;
}

function tryRead(text: string): unknown {
  try {
    return readJson(text);
  } catch {
    return undefined;
  }
}

/** Streams the records of a file of lines. */
export function* recordsOfLines(path: string): Generator<FoundRecord> {
  for (const { text, number } of readLines(path)) {
    if (text.trim() === "") continue;
    yield { place: `${path}:${number}`, value: () => parsed(text) };
  }
}

function parsed(text: string): unknown {
  try {
    return readJson(text);
  } catch (error) {
    throw new BadRecord(`it is not JSON: ${messageOf(error)}`);
  }
}

/** Opens a document in one format: with its own list, as a list, or as a single record; null if it does not match. */
export function openDocument(document: unknown, format: ImportFormat): OpenedDocument | null {
  if (Array.isArray(document))
    return document.some(isRecordOf(format)) ? { records: document, list: "", read: format.read } : null;
  if (!isObject(document)) return null;
  const opened = format.open?.(document) ?? null;
  if (opened !== null) return opened;
  return format.isRecord(document) ? { records: [document], list: ONE, read: format.read } : null;
}

/** Marks a document that is itself a record. */
const ONE = "\u0000";

/** Creates a check for records of a format. */
export function isRecordOf(format: ImportFormat): (value: unknown) => value is JsonObject {
  return (value): value is JsonObject => isObject(value) && format.isRecord(value);
}

/** Streams the records of a document with their places. */
export function* recordsOfDocument(path: string, { records, list }: OpenedDocument): Generator<FoundRecord> {
  for (const [index, record] of records.entries())
    yield { place: list === ONE ? path : `${path} ${list}[${index}]`, value: () => record };
}

const QUOTE = '"';
const BACKSLASH = "\\";
/** What Python writes for numbers that JSON does not support. */
const NO_NUMBERS = /-?\bInfinity\b|\bNaN\b/g;

/**
 * Parses JSON as other tools write it: skips a byte order mark, and reads NaN and Infinity, which Python writes although JSON
 * does not support them, as null.
 * @example
 * parseLenientJson('{"cost_of_pass": Infinity}'); // { cost_of_pass: null }
 */
export function readJson(text: string): unknown {
  const plain = text.startsWith("\ufeff") ? text.slice(1) : text;
  try {
    return JSON.parse(plain);
  } catch (error) {
    if (plain.search(NO_NUMBERS) === -1) throw error;
    return JSON.parse(withoutNoNumbers(plain));
  }
}

/** Changes nothing inside texts. Scanned by hand: a regular expression overflows the stack on texts of megabytes. */
function withoutNoNumbers(json: string): string {
  const pieces: string[] = [];
  for (let at = 0; at < json.length; ) {
    const open = json.indexOf(QUOTE, at);
    const start = open === -1 ? json.length : open;
    const end = open === -1 ? json.length : endOfText(json, open);
    pieces.push(json.slice(at, start).replaceAll(NO_NUMBERS, "null"), json.slice(start, end));
    at = end;
  }
  return pieces.join("");
}

function endOfText(json: string, open: number): number {
  for (let at = open + 1; ; ) {
    const close = json.indexOf(QUOTE, at);
    if (close === -1) return json.length;
    if (!isEscaped(json, close)) return close + 1;
    at = close + 1;
  }
}

function isEscaped(json: string, at: number): boolean {
  let before = at - 1;
  while (json[before] === BACKSLASH) before -= 1;
  return (at - before) % 2 === 0;
}
