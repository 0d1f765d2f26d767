import { closeSync, existsSync, openSync } from "node:fs";
import { join } from "node:path";
import { messageOf, RunFolderError } from "../core/errors.js";
import type { Example } from "../core/example.js";
import type { TrialKey } from "../core/row.js";
import { LF } from "../utils/files/blocks.js";
import { writeLines } from "../utils/files/lines.js";
import { readRunLineBlocks, readRunLines } from "./run-file.js";

/** What an example was, as it is kept with a run: for looking at, not for running again. */
export interface StoredExample extends Example {
  dataset: string;
}

export const EXAMPLES_FILE = "examples.jsonl";

/**
 * Writes down what is asked, once for all trials. A conversation of a megabyte belongs to hundreds of questions, so that
 * long examples are shortened: the dataset has all of it, and the manifest says which dataset that was.
 * @example
 * writeExamples(".assay/runs/20261115-213334-needle", [{ id: 1, question: "Capital of France?", answer: "Paris" }]);
 */
export function writeExamples(dir: string, examples: Iterable<Example>): void {
  const file = openSync(join(dir, EXAMPLES_FILE), "w");
  try {
    writeLines(file, encodeAll(examples));
  } finally {
    closeSync(file);
  }
}

function* encodeAll(examples: Iterable<Example>): Generator<string> {
  for (const example of examples) yield encodeExample(example);
}

/** The examples of a stored run, in the order of their dataset; none for runs of versions that kept none. */
export function* readExamples(dir: string): Generator<StoredExample> {
  const path = join(dir, EXAMPLES_FILE);
  for (const { text, number, terminated } of readRunLines(dir, EXAMPLES_FILE))
    if (terminated) yield decodeExample(text, `${path}:${number}`);
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

/** Examples up to this many characters of JSON are kept as they are. */
const MOST_KEPT = 1 << 16;
/** In larger ones, texts longer than this and lists of more items keep their beginning and their end. */
const LONG_TEXT = 8000;
const LONG_LIST = 40;

const NOT_KEPT = /\n… \d+ characters are not kept with the run …\n/;

/** What tells an example from all others, as the first fields of its line: one is found without parsing the others. */
export function encodeExampleKey(dataset: string, id: string | number): string {
  return `"dataset":${JSON.stringify(dataset)},"id":${JSON.stringify(id)}`;
}

/**
 * An example as one line. Its key is put in front by hand: in an object, fields that are called by a number would stand
 * before it.
 */
function encodeExample({ dataset = "", id, ...rest }: Example): string {
  const json = jsonOf(rest);
  const fields = json.length <= MOST_KEPT ? json : JSON.stringify(shortened(JSON.parse(json)));
  const key = encodeExampleKey(dataset, id);
  return fields === "{}" ? `{${key}}` : `{${key},${fields.slice(1)}`;
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

type ExampleKey = Pick<TrialKey, "dataset" | "exampleId">;

/**
 * A place for each example, in the order they are met. A million are known at a time, so that they are looked up by their
 * id itself: a key made of dataset and id would be a text more for each.
 */
export class ExamplePlaces {
  readonly #datasets = new Map<string, Map<string | number, number>>();
  #size = 0;

  /** How many examples have a place. */
  get size(): number {
    return this.#size;
  }

  /** The place of an example: the one it has, else the next. */
  of({ dataset, exampleId }: ExampleKey): number {
    const ids = this.#idsIn(dataset);
    const known = ids.get(exampleId);
    if (known !== undefined) return known;
    ids.set(exampleId, this.#size);
    return this.#size++;
  }

  #idsIn(dataset: string): Map<string | number, number> {
    const known = this.#datasets.get(dataset);
    if (known !== undefined) return known;
    const ids = new Map<string | number, number>();
    this.#datasets.set(dataset, ids);
    return ids;
  }
}

/** Dataset and id at the beginning of a line, both as JSON. */
const KEY = /^\{"dataset":("(?:[^"\\]|\\.)*"),"id":("(?:[^"\\]|\\.)*"|[^,}]+)/;
/** More of a line is looked at only where its key is longer. */
const USUAL_KEY = 512;

/** Where the examples of a stored run stood in their dataset; null for runs of versions that kept none. */
export function readExamplePlaces(dir: string): ExamplePlaces | null {
  if (!existsSync(join(dir, EXAMPLES_FILE))) return null;
  const places = new ExamplePlaces();
  for (const block of readRunLineBlocks(dir, EXAMPLES_FILE)) {
    for (let start = 0; start < block.length; ) {
      const feed = block.indexOf(LF, start);
      const end = feed === -1 ? block.length : feed;
      const key = keyIn(block.subarray(start, end));
      if (key !== null) places.of(key);
      start = end + 1;
    }
  }
  return places;
}

function keyIn(line: Buffer): ExampleKey | null {
  const short = KEY.exec(line.toString("utf8", 0, USUAL_KEY));
  // A key that fills what was looked at may go on.
  const isWhole = short !== null && (line.length <= USUAL_KEY || short[0].length < USUAL_KEY / 4);
  const [, dataset, id] = (isWhole ? short : KEY.exec(line.toString("utf8"))) ?? [];
  return dataset === undefined || id === undefined ? null : parsed(dataset, id);
}

/** Parsed rather than cut out: a part of a text would hold on to the whole of its line. Null when the line is damaged. */
function parsed(dataset: string, id: string): ExampleKey | null {
  try {
    return { dataset: JSON.parse(dataset) as string, exampleId: JSON.parse(id) as string | number };
  } catch {
    return null;
  }
}
