import { createReadStream } from "node:fs";
import type { EvalRow, TrialKey } from "../../core/index.js";
import {
  decodeStoredExample,
  decodeStoredLine,
  EXAMPLES_FILE,
  encodeExampleKey,
  encodeKey,
  openRunFile,
  RUN_FILES,
  readRunLines,
} from "../../store/index.js";
import { createYielder } from "./run-list.js";
import { parseExampleLineKey, parseOutputLineKey } from "./trial-files.js";

/** Default maximum number of matches. */
const DEFAULT_MAX_MATCHES = 10_000;
const OUTPUT_FILE_SUFFIX = /,"file":("[^"]*")\}$/;
const READ_BYTES = 1 << 18;

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

export interface SearchResult {
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
export async function searchTrials(request: SearchRequest): Promise<SearchResult> {
  const { dir, rows, text, signal, limit = DEFAULT_MAX_MATCHES } = request;
  const search = new RunSearch(dir, new SearchText(text), signal);
  const asked = text === "" ? new Set<string>() : await search.findExamples();
  const answered = text === "" ? new Set<string>() : await search.findOutputs();
  const examples = parseExampleIds(asked, answered);
  const matches: TrialKey[] = [];
  for (const row of rows) {
    // Encoding the keys of all rows would take as long as reading the files.
    if (!examples.has(row.exampleId)) continue;
    if (!answered.has(encodeKey(row)) && !asked.has(encodeExampleKey(row.dataset, row.exampleId))) continue;
    if (matches.length === limit) return { matches, isCut: true };
    const { system, dataset, exampleId, trial } = row;
    matches.push({ system, dataset, exampleId, trial });
  }
  return { matches, isCut: false };
}

/** The ids of the examples of some example keys and some output keys. */
function parseExampleIds(examples: ReadonlySet<string>, outputs: ReadonlySet<string>): Set<unknown> {
  const parse = (key: string) => JSON.parse(`{${key}}`) as { id?: unknown; exampleId?: unknown };
  return new Set([...[...examples].map((key) => parse(key).id), ...[...outputs].map((key) => parse(key).exampleId)]);
}

/** Searches the files of a run for one text and returns the keys of matching lines. */
class RunSearch {
  readonly #dir: string;
  readonly #needle: SearchText;
  readonly #signal: AbortSignal | undefined;
  readonly #pause = createYielder();

  constructor(dir: string, needle: SearchText, signal: AbortSignal | undefined) {
    this.#dir = dir;
    this.#needle = needle;
    this.#signal = signal;
  }

  async findExamples(): Promise<Set<string>> {
    const found = new Set<string>();
    for (const line of readSearchLines(this.#dir, EXAMPLES_FILE)) {
      await this.#yield();
      const key = this.#needle.isInJson(line) ? parseExampleLineKey(line) : null;
      if (key !== null && this.#hasTextIn(EXAMPLE_TEXTS, () => decodeStoredExample(line, EXAMPLES_FILE)))
        found.add(key);
    }
    return found;
  }

  /** A trial that was run again has several outputs; the last one counts. */
  async findOutputs(): Promise<Set<string>> {
    const found = new Set<string>();
    for (const line of readSearchLines(this.#dir, RUN_FILES.outputs)) {
      await this.#yield();
      // Lines are long and matches are few: only lines that contain the text are parsed.
      const file = OUTPUT_FILE_SUFFIX.exec(line)?.[1];
      const isCandidate =
        file === undefined ? this.#needle.isInJson(line) : await this.#isInFile(JSON.parse(file) as string);
      const isMatch = isCandidate && this.#isInOutput(line);
      const key = isMatch || found.size > 0 ? parseOutputLineKey(line) : null;
      if (key === null) continue;
      if (isMatch) found.add(key);
      else found.delete(key);
    }
    return found;
  }

  #isInOutput(line: string): boolean {
    return this.#hasTextIn(OUTPUT_TEXTS, () => decodeStoredLine(line, RUN_FILES.outputs, this.#dir).output);
  }

  async #isInFile(file: string): Promise<boolean> {
    const fd = tryOpenFile(this.#dir, file);
    if (fd === null) return false;
    let before = "";
    for await (const piece of createReadStream("", { fd, encoding: "utf8", highWaterMark: READ_BYTES })) {
      await this.#yield();
      const text = before + String(piece);
      if (this.#needle.isInJson(text)) return true;
      before = text.slice(-this.#needle.maxLength);
    }
    return false;
  }

  /** A line that cannot be read does not match; the page of its trial shows the error. */
  #hasTextIn(fields: readonly string[], read: () => Readonly<Record<string, unknown>>): boolean {
    try {
      return hasTextInFields(read(), { fields, needle: this.#needle });
    } catch {
      return false;
    }
  }

  async #yield(): Promise<void> {
    const pause = this.#pause();
    if (pause !== undefined) await pause;
    this.#signal?.throwIfAborted();
  }
}

function* readSearchLines(dir: string, name: string): Generator<string> {
  for (const { text, terminated } of readRunLines(dir, name)) if (terminated) yield text;
}

/** A missing or unreadable file does not match. */
function tryOpenFile(dir: string, file: string): number | null {
  try {
    return openRunFile(dir, file);
  } catch {
    return null;
  }
}

/** A search text, ignoring case. */
class SearchText {
  readonly #folded: string;
  /** As JSON writes it, with escaped quotes and line breaks. */
  readonly #spelled: string;

  constructor(text: string) {
    this.#folded = foldCase(text);
    this.#spelled = foldCase(JSON.stringify(text).slice(1, -1));
  }

  /** Number of characters to carry over between chunks, so that a match across their border is found. */
  get maxLength(): number {
    return this.#spelled.length * 2;
  }

  /** Whether a JSON line contains it in any field: if not, no text in it does. */
  isInJson(json: string): boolean {
    return foldCase(json).includes(this.#spelled);
  }

  isInText(text: string): boolean {
    return foldCase(text).includes(this.#folded);
  }
}

/** Lowercase, with one form of the Greek sigma. */
function foldCase(text: string): string {
  return text.toLowerCase().replaceAll("ς", "σ");
}

interface FieldSearch {
  fields: readonly string[];
  needle: SearchText;
}

/** Whether one of the fields contains the text, also inside lists such as turns. */
function hasTextInFields(value: Readonly<Record<string, unknown>>, { fields, needle }: FieldSearch): boolean {
  return fields.some((field) => collectSearchedTexts(value[field]).some((text) => needle.isInText(text)));
}

function collectSearchedTexts(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (!Array.isArray(value)) return [];
  return value.flatMap((item: unknown) => {
    const text = typeof item === "string" ? item : (item as { content?: unknown } | null)?.content;
    return typeof text === "string" ? [text] : [];
  });
}
