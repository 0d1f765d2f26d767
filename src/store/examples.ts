import { closeSync, existsSync, openSync } from "node:fs";
import { join } from "node:path";
import { messageOf, RunFolderError } from "../core/errors.js";
import type { Example } from "../core/example.js";
import type { TrialKey } from "../core/row.js";
import { LF, readLineBlocks } from "../files/blocks.js";
import { readLines } from "../files/lines.js";
import { LineBuffer } from "./line-buffer.js";

/** What an example was, as it is kept with a run: for looking at, not for running again. */
export interface StoredExample extends Example {
  dataset: string;
}

export const EXAMPLES_FILE = "examples.jsonl";

/** Examples up to this many characters of JSON are kept as they are. */
const MOST_KEPT = 1 << 16;
/** In larger ones, texts longer than this and lists of more items keep their beginning and their end. */
const LONG_TEXT = 8000;
const LONG_LIST = 40;

const NOT_KEPT = /\n… \d+ characters are not kept with the run …\n/;

/**
 * Writes down what is asked, once for all trials. A conversation of a megabyte belongs to hundreds of questions, so that
 * long examples are shortened: the dataset has all of it, and the manifest says which dataset that was.
 * @example
 * writeExamples(".assay/runs/20261115-213334-needle", [{ id: 1, question: "Capital of France?", answer: "Paris" }]);
 */
export function writeExamples(dir: string, examples: Iterable<Example>): void {
  const file = openSync(join(dir, EXAMPLES_FILE), "w");
  const lines = new LineBuffer();
  try {
    for (const example of examples) {
      lines.add(exampleLine(example));
      if (lines.isFull) lines.writeTo(file);
    }
    lines.writeTo(file);
  } finally {
    closeSync(file);
  }
}

/** The examples of a stored run, in the order of their dataset; none for runs of versions that kept none. */
export function* readExamples(dir: string): Generator<StoredExample> {
  const path = join(dir, EXAMPLES_FILE);
  if (!existsSync(path)) return;
  for (const { text, number, terminated } of readLines(path))
    if (terminated) yield decodeExample(text, `${path}:${number}`);
}

/** The key of an example at the beginning of its line. */
const KEY = /^\{("dataset":"(?:[^"\\]|\\.)*","id":(?:"(?:[^"\\]|\\.)*"|[^,}]+))/;
const KEY_START = '{"dataset":';
/** More of a line is looked at only where a key is longer. */
const USUAL_KEY = 512;

/** Where each example of a run stood in its dataset, by its key; null for runs of versions that kept none. */
export function exampleOrder(dir: string): ReadonlyMap<string, number> | null {
  const path = join(dir, EXAMPLES_FILE);
  if (!existsSync(path)) return null;
  const places = new Map<string, number>();
  for (const block of readLineBlocks(path)) {
    for (let start = 0; start < block.length; ) {
      const feed = block.indexOf(LF, start);
      const end = feed === -1 ? block.length : feed;
      const key = keyIn(block.subarray(start, end));
      if (key !== null) places.set(key, places.size);
      start = end + 1;
    }
  }
  return places;
}

function keyIn(line: Buffer): string | null {
  const short = KEY.exec(line.toString("utf8", 0, USUAL_KEY))?.[1];
  // A key that fills what was looked at may go on.
  const isWhole = short !== undefined && (line.length <= USUAL_KEY || short.length < USUAL_KEY / 4);
  return isWhole ? short : (KEY.exec(line.toString("utf8"))?.[1] ?? null);
}

/** What one trial was asked; null when that was not kept. */
export function readExample(
  dir: string,
  { dataset, exampleId }: Pick<TrialKey, "dataset" | "exampleId">,
): StoredExample | null {
  const path = join(dir, EXAMPLES_FILE);
  if (!existsSync(path)) return null;
  const start = `{${encodeExampleKey(dataset, exampleId)}`;
  for (const { text, number, terminated } of readLines(path))
    if (terminated && text.startsWith(start) && isKeyEnd(text[start.length]))
      return decodeExample(text, `${path}:${number}`);
  return null;
}

/** What tells an example from all others, as the first fields of its line: one is found without parsing the others. */
export function encodeExampleKey(dataset: string, id: string | number): string {
  return `"dataset":${JSON.stringify(dataset)},"id":${JSON.stringify(id)}`;
}

/** The id 1 is the beginning of 12, which is another. */
function isKeyEnd(next: string | undefined): boolean {
  return next === "," || next === "}";
}

function exampleLine(example: Example): string {
  const { dataset = "", id } = example;
  const json = jsonOf(example);
  const line = turned(json, dataset) ?? jsonOf({ dataset, id, ...(example as Partial<Example>) });
  // Fields that are called by a number stand before all others in an object, whatever the order they were given in.
  const isKeyed = line.startsWith(KEY_START);
  if (isKeyed && line.length <= MOST_KEPT) return line;
  const key = encodeExampleKey(dataset, id);
  return keyedLine(key, isKeyed ? `{${line.slice(`{${key},`.length)}` : bareFields(example));
}

/**
 * Nearly every example comes from a file: its id is its first field, and the dataset was put behind all others. Then the
 * last is made the first, which saves a copy of each example. Only a field of the example itself can end its JSON like
 * this: one of an inner object has a brace more behind it, and in a text the quotes would be escaped.
 */
function turned(json: string, dataset: string): string | null {
  const field = `"dataset":"${dataset}"`;
  if (json.startsWith(`{${field},"id":`)) return json;
  const end = json.length - field.length - 2;
  if (!json.startsWith('{"id":') || !json.endsWith(`,${field}}`)) return null;
  return `{${field},${json.slice(1, end)}}`;
}

function bareFields({ dataset: _, id: __, ...rest }: Example): string {
  return jsonOf(rest);
}

function keyedLine(key: string, fields: string): string {
  const kept = fields.length <= MOST_KEPT ? fields : JSON.stringify(shortened(JSON.parse(fields)));
  return kept === "{}" ? `{${key}}` : `{${key},${kept.slice(1)}`;
}

function jsonOf(fields: Readonly<Record<string, unknown>>): string {
  try {
    return JSON.stringify(fields);
  } catch (error) {
    return JSON.stringify({ notRecorded: `the example cannot be written as JSON: ${messageOf(error)}` });
  }
}

function shortened(value: unknown): unknown {
  if (typeof value === "string") return shortText(value);
  if (Array.isArray(value)) return shortList(value).map(shortened);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shortened(inner)]));
}

function shortText(text: string): string {
  if (text.length <= LONG_TEXT) return text;
  const half = LONG_TEXT / 2;
  const left = text.length - LONG_TEXT;
  return `${text.slice(0, half)}\n… ${left} characters are not kept with the run …\n${text.slice(-half)}`;
}

/** Whether a text of a stored example is not all of it. */
export function isShortened(text: string): boolean {
  return NOT_KEPT.test(text);
}

function shortList(list: readonly unknown[]): readonly unknown[] {
  if (list.length <= LONG_LIST) return list;
  const half = LONG_LIST / 2;
  return [...list.slice(0, half), ...list.slice(-half)];
}

/** The example of a line; `place` is for the error. */
export function decodeExample(line: string, place: string): StoredExample {
  try {
    return JSON.parse(line) as StoredExample;
  } catch (cause) {
    throw new RunFolderError(`${place} is not an example: ${messageOf(cause)}. Remove that line to go on without it.`, {
      cause,
    });
  }
}
