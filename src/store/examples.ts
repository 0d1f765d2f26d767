import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { messageOf, RunFolderError } from "../core/errors.js";
import type { Example } from "../core/example.js";
import { writeLines } from "../utils/files/lines.js";
import { encodeExample } from "./example-lines.js";
import { readRunLines } from "./run-file.js";

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
