import { createReadStream } from "node:fs";
import type { EvalRow, TrialKey } from "../../core/row.js";
import { decodeExample, EXAMPLES_FILE, encodeExampleKey } from "../../store/examples.js";
import { FILES } from "../../store/journal.js";
import { decodeOutput } from "../../store/outputs.js";
import { encodeKey } from "../../store/row-codec.js";
import { openRunFile, readRunLines } from "../../store/run-file.js";
import { takingTurns } from "./run-list.js";
import { exampleKeyIn, outputKey } from "./trial-files.js";

/** Default maximum number of matches. */
const MOST_FOUND = 10_000;
const IN_FILE = /,"file":("[^"]*")\}$/;
const READ_AT_ONCE = 1 << 18;

const EXAMPLE_TEXTS = ["question", "context", "turns"];
const OUTPUT_TEXTS = ["response", "context", "replies"];

export interface SearchRequest {
  dir: string;
  /** The trials to search, in the order of the results. */
  rows: readonly EvalRow[];
  text: string;
  signal?: AbortSignal;
  limit?: number;
}

export interface Found {
  matches: TrialKey[];
  /** True when there are more. */
  isCut: boolean;
}

/**
 * Finds the trials whose question, context or response contains a text, ignoring case. Yields to the event loop; after an
 * abort it throws the signal's reason.
 * @example
 * const { matches } = await searchTrials({ dir, rows: result.rows, text: "paris", signal });
 */
export async function searchTrials(request: SearchRequest): Promise<Found> {
  const { dir, rows, text, signal, limit = MOST_FOUND } = request;
  const search = new Search(dir, new Needle(text), signal);
  const asked = text === "" ? new Set() : await search.examples();
  const answered = text === "" ? new Set() : await search.outputs();
  const matches: TrialKey[] = [];
  for (const row of rows) {
    if (!answered.has(encodeKey(row)) && !asked.has(encodeExampleKey(row.dataset, row.exampleId))) continue;
    if (matches.length === limit) return { matches, isCut: true };
    const { system, dataset, exampleId, trial } = row;
    matches.push({ system, dataset, exampleId, trial });
  }
  return { matches, isCut: false };
}

/** Searches the files of a run for one text and returns the keys of matching lines. */
class Search {
  readonly #dir: string;
  readonly #needle: Needle;
  readonly #signal: AbortSignal | undefined;
  readonly #pause = takingTurns();

  constructor(dir: string, needle: Needle, signal: AbortSignal | undefined) {
    this.#dir = dir;
    this.#needle = needle;
    this.#signal = signal;
  }

  async examples(): Promise<Set<string>> {
    const found = new Set<string>();
    for (const line of linesIn(this.#dir, EXAMPLES_FILE)) {
      await this.#turn();
      const key = this.#needle.isIn(line) ? exampleKeyIn(line) : null;
      if (key !== null && this.#isSaidIn(EXAMPLE_TEXTS, () => decodeExample(line, EXAMPLES_FILE))) found.add(key);
    }
    return found;
  }

  /** A trial that was run again has several outputs; the last one counts. */
  async outputs(): Promise<Set<string>> {
    const found = new Set<string>();
    for (const line of linesIn(this.#dir, FILES.outputs)) {
      await this.#turn();
      const isMatch = await this.#isInOutput(line);
      const key = isMatch || found.size > 0 ? outputKey(line) : null;
      if (key === null) continue;
      if (isMatch) found.add(key);
      else found.delete(key);
    }
    return found;
  }

  /** Lines are long and matches are few: only lines that contain the text are parsed. */
  async #isInOutput(line: string): Promise<boolean> {
    const file = IN_FILE.exec(line)?.[1];
    const isCandidate = file === undefined ? this.#needle.isIn(line) : await this.#isInFile(JSON.parse(file) as string);
    return isCandidate && this.#isSaidIn(OUTPUT_TEXTS, () => decodeOutput(line, FILES.outputs, this.#dir).output);
  }

  async #isInFile(file: string): Promise<boolean> {
    const fd = openedOrNull(this.#dir, file);
    if (fd === null) return false;
    let before = "";
    for await (const piece of createReadStream("", { fd, encoding: "utf8", highWaterMark: READ_AT_ONCE })) {
      await this.#turn();
      const text = before + String(piece);
      if (this.#needle.isIn(text)) return true;
      before = text.slice(-this.#needle.longest);
    }
    return false;
  }

  /** A line that cannot be read does not match; the page of its trial shows the error. */
  #isSaidIn(fields: readonly string[], read: () => Readonly<Record<string, unknown>>): boolean {
    try {
      return hasText(read(), { fields, needle: this.#needle });
    } catch {
      return false;
    }
  }

  async #turn(): Promise<void> {
    const pause = this.#pause();
    if (pause !== undefined) await pause;
    this.#signal?.throwIfAborted();
  }
}

function* linesIn(dir: string, name: string): Generator<string> {
  for (const { text, terminated } of readRunLines(dir, name)) if (terminated) yield text;
}

/** A missing or unreadable file does not match. */
function openedOrNull(dir: string, file: string): number | null {
  try {
    return openRunFile(dir, file);
  } catch {
    return null;
  }
}

/** A search text, ignoring case. */
class Needle {
  readonly #folded: string;
  /** As JSON writes it, with escaped quotes and line breaks. */
  readonly #spelled: string;

  constructor(text: string) {
    this.#folded = folded(text);
    this.#spelled = folded(JSON.stringify(text).slice(1, -1));
  }

  /** Number of characters to carry over between chunks, so that a match across their border is found. */
  get longest(): number {
    return this.#spelled.length * 2;
  }

  /** Whether a JSON line contains it in any field: if not, no text in it does. */
  isIn(json: string): boolean {
    return folded(json).includes(this.#spelled);
  }

  isSaidIn(text: string): boolean {
    return folded(text).includes(this.#folded);
  }
}

/** Lowercase, with one form of the Greek sigma. */
function folded(text: string): string {
  return text.toLowerCase().replaceAll("ς", "σ");
}

interface Wanted {
  fields: readonly string[];
  needle: Needle;
}

/** Whether one of the fields contains the text, also inside lists such as turns. */
function hasText(value: Readonly<Record<string, unknown>>, { fields, needle }: Wanted): boolean {
  return fields.some((field) => textsIn(value[field]).some((text) => needle.isSaidIn(text)));
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (!Array.isArray(value)) return [];
  return value.flatMap((item: unknown) => {
    const text = typeof item === "string" ? item : (item as { content?: unknown } | null)?.content;
    return typeof text === "string" ? [text] : [];
  });
}
