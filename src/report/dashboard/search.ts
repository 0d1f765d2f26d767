import { createReadStream } from "node:fs";
import type { EvalRow, TrialKey } from "../../core/row.js";
import { decodeExample, EXAMPLES_FILE, encodeExampleKey } from "../../store/examples.js";
import { FILES } from "../../store/journal.js";
import { decodeOutput } from "../../store/outputs.js";
import { encodeKey } from "../../store/row-codec.js";
import { openRunFile, readRunLines } from "../../store/run-file.js";
import { takingTurns } from "./run-list.js";
import { exampleKeyIn, outputKey } from "./trial-files.js";

/** The most that a search finds unless told. */
const MOST_FOUND = 10_000;
const IN_FILE = /,"file":("[^"]*")\}$/;
const READ_AT_ONCE = 1 << 18;

const EXAMPLE_TEXTS = ["question", "context", "turns"];
const OUTPUT_TEXTS = ["response", "context", "replies"];

export interface SearchRequest {
  dir: string;
  /** Of the trials that are looked for, in the order they are found in. */
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
 * The trials whose question, context or response contains a text, whatever its case. Others have their turn meanwhile,
 * and what is thrown after an abort is the signal's reason.
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

/** Looks for one text in the files of a run, and finds the keys of lines. */
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

  /** A trial that was run again has several outputs, and the last one counts. */
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

  /** Lines are long and matches are few: only what holds the text somewhere is parsed. */
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

  /** A line that cannot be read has no text; whoever opens its trial is told why. */
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

/** A file that is not there, or may not be read, has no text. */
function openedOrNull(dir: string, file: string): number | null {
  try {
    return openRunFile(dir, file);
  } catch {
    return null;
  }
}

/** A text that is looked for, whatever its case. */
class Needle {
  readonly #folded: string;
  /** As a line of JSON has it, where quotes and line breaks are spelled out. */
  readonly #spelled: string;

  constructor(text: string) {
    this.#folded = folded(text);
    this.#spelled = folded(JSON.stringify(text).slice(1, -1));
  }

  /** More characters than a part of it can have at the end of a piece of JSON. */
  get longest(): number {
    return this.#spelled.length * 2;
  }

  /** Whether a line of JSON holds it, in whatever field: if not, no text in it does. */
  isIn(json: string): boolean {
    return folded(json).includes(this.#spelled);
  }

  /** Whether a text holds it. */
  isSaidIn(text: string): boolean {
    return folded(text).includes(this.#folded);
  }
}

/** Small letters, with one sigma wherever it stands in a word. */
function folded(text: string): string {
  return text.toLowerCase().replaceAll("ς", "σ");
}

interface Wanted {
  fields: readonly string[];
  needle: Needle;
}

/** Whether any of these fields says a text: as it is, or somewhere in a list such as that of turns. */
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
