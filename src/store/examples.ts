import { closeSync, existsSync, openSync } from "node:fs";
import { join } from "node:path";
import { messageOf, RunFolderError } from "../core/errors.js";
import type { Example } from "../core/example.js";
import type { TrialKey } from "../core/row.js";
import { LF, readLineBlocks } from "../files/blocks.js";
import { readLines, writeLines } from "../files/lines.js";
import { encodeExample, encodeExampleKey } from "./example-lines.js";

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
  if (!existsSync(path)) return;
  for (const { text, number, terminated } of readLines(path))
    if (terminated) yield decodeExample(text, `${path}:${number}`);
}

/** The key of an example at the beginning of its line. */
const KEY = /^\{("dataset":"(?:[^"\\]|\\.)*","id":(?:"(?:[^"\\]|\\.)*"|[^,}]+))/;
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

/** The id 1 is the beginning of 12, which is another. */
function isKeyEnd(next: string | undefined): boolean {
  return next === "," || next === "}";
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
