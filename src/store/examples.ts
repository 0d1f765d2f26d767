import { closeSync, existsSync, openSync } from "node:fs";
import { join } from "node:path";
import type { Example, TrialKey } from "../core/index.js";
import { getErrorMessage, RunFolderError } from "../core/index.js";
import { LF, writeLines } from "../utils/index.js";
import { readRunLineBlocks, readRunLines } from "./run-file.js";

/** An example as stored with a run: for inspection, not for running again. */
export interface StoredExample extends Example {
  dataset: string;
}

export const EXAMPLES_FILE = "examples.jsonl";

/**
 * Writes the examples of a run, once for all trials. One conversation of a megabyte may belong to hundreds of questions, so
 * long examples are shortened: the dataset has them in full, and the manifest identifies the dataset.
 * @example
 * writeExamples(".assay/runs/20261115-213334-needle", [{ id: 1, question: "Capital of France?", answer: "Paris" }]);
 */
export function writeExamples(dir: string, examples: Iterable<Example>): void {
  const file = openSync(join(dir, EXAMPLES_FILE), "w");
  try {
    writeLines(file, encodeExamples(examples));
  } finally {
    closeSync(file);
  }
}

function* encodeExamples(examples: Iterable<Example>): Generator<string> {
  for (const example of examples) yield encodeExample(example);
}

/** Reads the examples of a stored run in the order of their dataset; none for runs of versions that did not store them. */
export function* readExamples(dir: string): Generator<StoredExample> {
  const path = join(dir, EXAMPLES_FILE);
  for (const { text, number, terminated } of readRunLines(dir, EXAMPLES_FILE))
    if (terminated) yield decodeStoredExample(text, `${path}:${number}`);
}

/** `place` is for the error message. */
export function decodeStoredExample(line: string, place: string): StoredExample {
  try {
    return JSON.parse(line) as StoredExample;
  } catch (cause) {
    throw new RunFolderError(
      `${place} is not an example: ${getErrorMessage(cause)}. Remove that line to continue without it.`,
      {
        cause,
      },
    );
  }
}

/** Examples up to this many characters of JSON are stored in full. */
const MAX_FULL_CHARS = 1 << 16;
/** In larger examples, longer texts and lists keep only their beginning and end. */
const MAX_TEXT_CHARS = 8000;
const MAX_LIST_ITEMS = 40;

const OMISSION_MARK = /\n… \d+ characters are not kept with the run …\n/;

/** Identifies an example, as the first fields of its line: it is found without parsing other lines. */
export function encodeExampleKey(dataset: string, id: string | number): string {
  return `"dataset":${JSON.stringify(dataset)},"id":${JSON.stringify(id)}`;
}

/** Encodes an example as one line. The key is prepended by hand, because numeric field names would come first in an object. */
function encodeExample({ dataset = "", id, ...rest }: Example): string {
  const json = stringifyFields(rest);
  const fields = json.length <= MAX_FULL_CHARS ? json : JSON.stringify(shortenStoredValue(JSON.parse(json)));
  const key = encodeExampleKey(dataset, id);
  return fields === "{}" ? `{${key}}` : `{${key},${fields.slice(1)}`;
}

function stringifyFields(fields: Readonly<Record<string, unknown>>): string {
  try {
    return JSON.stringify(fields);
  } catch (error) {
    return JSON.stringify({ notRecorded: `the example cannot be written as JSON: ${getErrorMessage(error)}` });
  }
}

function shortenStoredValue(value: unknown): unknown {
  if (typeof value === "string") return shortenStoredText(value);
  if (Array.isArray(value)) return shortenStoredList(value).map(shortenStoredValue);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shortenStoredValue(inner)]));
}

function shortenStoredText(text: string): string {
  if (text.length <= MAX_TEXT_CHARS) return text;
  const half = MAX_TEXT_CHARS / 2;
  const left = text.length - MAX_TEXT_CHARS;
  return `${text.slice(0, half)}\n… ${left} characters are not kept with the run …\n${text.slice(-half)}`;
}

/** Whether a text of a stored example was shortened. */
export function isShortenedText(text: string): boolean {
  return OMISSION_MARK.test(text);
}

function shortenStoredList(list: readonly unknown[]): readonly unknown[] {
  if (list.length <= MAX_LIST_ITEMS) return list;
  const half = MAX_LIST_ITEMS / 2;
  return [...list.slice(0, half), ...list.slice(-half)];
}

type StoredExampleKey = Pick<TrialKey, "dataset" | "exampleId">;

/**
 * Numbers examples in the order they are added. Looked up by id, because up to a million are held: a combined key of
 * dataset and id would be one more string for each.
 */
export class ExampleIndex {
  readonly #datasets = new Map<string, Map<string | number, number>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Returns the index of an example; a new example gets the next one. */
  getOrAdd({ dataset, exampleId }: StoredExampleKey): number {
    const ids = this.#getIds(dataset);
    const known = ids.get(exampleId);
    if (known !== undefined) return known;
    ids.set(exampleId, this.#size);
    return this.#size++;
  }

  /** The examples in the order they were added, dataset by dataset. */
  *listKeys(): Generator<StoredExampleKey> {
    for (const [dataset, ids] of this.#datasets) for (const exampleId of ids.keys()) yield { dataset, exampleId };
  }

  #getIds(dataset: string): Map<string | number, number> {
    const known = this.#datasets.get(dataset);
    if (known !== undefined) return known;
    const ids = new Map<string | number, number>();
    this.#datasets.set(dataset, ids);
    return ids;
  }
}

/** Dataset and id at the beginning of a line, both as JSON. */
const KEY_PATTERN = /^\{"dataset":("(?:[^"\\]|\\.)*"),"id":("(?:[^"\\]|\\.)*"|[^,}]+)/;
/** More of a line is read only if its key is longer. */
const KEY_SCAN_BYTES = 512;

/** The positions of a stored run's examples in their dataset; null for runs of versions that did not store them. */
export function readExampleIndex(dir: string): ExampleIndex | null {
  if (!existsSync(join(dir, EXAMPLES_FILE))) return null;
  const places = new ExampleIndex();
  for (const block of readRunLineBlocks(dir, EXAMPLES_FILE)) {
    for (let start = 0; start < block.length; ) {
      const feed = block.indexOf(LF, start);
      const end = feed === -1 ? block.length : feed;
      const key = readExampleKey(block.subarray(start, end));
      if (key !== null) places.getOrAdd(key);
      start = end + 1;
    }
  }
  return places;
}

function readExampleKey(line: Buffer): StoredExampleKey | null {
  const short = KEY_PATTERN.exec(line.toString("utf8", 0, KEY_SCAN_BYTES));
  // A key that fills the scanned part may continue.
  const isWhole = short !== null && (line.length <= KEY_SCAN_BYTES || short[0].length < KEY_SCAN_BYTES / 4);
  const [, dataset, id] = (isWhole ? short : KEY_PATTERN.exec(line.toString("utf8"))) ?? [];
  return dataset === undefined || id === undefined ? null : parseStoredExampleKey(dataset, id);
}

/** Parsed, not sliced: a slice would keep the whole line in memory. Null if the line is damaged. */
function parseStoredExampleKey(dataset: string, id: string): StoredExampleKey | null {
  try {
    return { dataset: JSON.parse(dataset) as string, exampleId: JSON.parse(id) as string | number };
  } catch {
    return null;
  }
}
