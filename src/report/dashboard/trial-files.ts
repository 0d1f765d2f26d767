import { closeSync, read, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { TrialKey } from "../../core/index.js";
import {
  decodeStoredExample,
  decodeStoredLine,
  EXAMPLES_FILE,
  encodeExampleKey,
  encodeKey,
  openRunFile,
  RUN_FILES,
  type StoredExample,
  type StoredOutput,
} from "../../store/index.js";
import { LF, LineBlockSplitter } from "../../utils/index.js";

const JSON_STRING = String.raw`"[^"\\]*(?:\\.[^"\\]*)*"`;
const JSON_ID = `(?:${JSON_STRING}|[^",}]+)`;
const OUTPUT_KEY = new RegExp(
  `^\\{("system":${JSON_STRING},"dataset":${JSON_STRING},"exampleId":${JSON_ID},"trial":\\d+)(?=[,}])`,
);
const EXAMPLE_KEY = new RegExp(`^\\{("dataset":${JSON_STRING},"id":${JSON_ID})(?=[,}])`);

/** The index of a run with 100,000 trials takes about 20 MB. */
const MAX_CACHED_RUNS = 4;

interface RunFiles {
  readonly outputs: LineIndex;
  readonly examples: LineIndex;
}

/**
 * Reads the stored outputs and examples of single trials. The positions of trials in the files are indexed at the first
 * read and kept.
 * @example
 * const files = new TrialFiles();
 * const stored = await files.readOutput(dir, { system: "a", dataset: "d", exampleId: 1, trial: 0 });
 */
export class TrialFiles {
  readonly #runs = new Map<string, RunFiles>();

  /** Null when no output is stored. */
  async readOutput(dir: string, trial: TrialKey): Promise<StoredOutput | null> {
    const line = await this.#openRun(dir).outputs.findLine(encodeKey(trial));
    return line === null ? null : decodeStoredLine(line, formatTrialPlace(join(dir, RUN_FILES.outputs), trial), dir);
  }

  /** Null when the example is not stored. */
  async readExample(
    dir: string,
    { dataset, exampleId }: Omit<TrialKey, "system" | "trial">,
  ): Promise<StoredExample | null> {
    const line = await this.#openRun(dir).examples.findLine(encodeExampleKey(dataset, exampleId));
    return line === null ? null : decodeStoredExample(line, `${join(dir, EXAMPLES_FILE)}, example ${exampleId},`);
  }

  /** In the order of `trials`; the file is opened once. */
  async readOutputs(dir: string, trials: readonly TrialKey[]): Promise<(StoredOutput | null)[]> {
    const lines = await this.#openRun(dir).outputs.findLines(trials.map(encodeKey));
    const path = join(dir, RUN_FILES.outputs);
    return trials.map((trial, place) => {
      const line = lines[place] ?? null;
      return line === null ? null : decodeStoredLine(line, formatTrialPlace(path, trial), dir);
    });
  }

  /** In the order of `keys`; the file is opened once. */
  async readExamples(
    dir: string,
    keys: readonly Omit<TrialKey, "system" | "trial">[],
  ): Promise<(StoredExample | null)[]> {
    const wanted = keys.map(({ dataset, exampleId }) => encodeExampleKey(dataset, exampleId));
    const lines = await this.#openRun(dir).examples.findLines(wanted);
    return keys.map(({ exampleId }, place) => {
      const line = lines[place] ?? null;
      return line === null ? null : decodeStoredExample(line, `${join(dir, EXAMPLES_FILE)}, example ${exampleId},`);
    });
  }

  /** Least recently used runs are dropped first. */
  #openRun(dir: string): RunFiles {
    const run = this.#runs.get(dir) ?? openRunFiles(dir);
    this.#runs.delete(dir);
    this.#runs.set(dir, run);
    for (const oldest of this.#runs.keys()) {
      if (this.#runs.size <= MAX_CACHED_RUNS) break;
      this.#runs.delete(oldest);
    }
    return run;
  }
}

function openRunFiles(dir: string): RunFiles {
  return {
    outputs: new LineIndex(dir, RUN_FILES.outputs, OUTPUT_KEY),
    examples: new LineIndex(dir, EXAMPLES_FILE, EXAMPLE_KEY),
  };
}

function formatTrialPlace(path: string, { system, exampleId, trial }: TrialKey): string {
  return `${path}, trial ${trial} of ${system} on ${exampleId},`;
}

/** The key of an output line, as `encodeKey` writes it; null when it has none. */
export function parseOutputLineKey(line: string): string | null {
  return OUTPUT_KEY.exec(line)?.[1] ?? null;
}

/** The key of an example line, as `encodeExampleKey` writes it; null when it has none. */
export function parseExampleLineKey(line: string): string | null {
  return EXAMPLE_KEY.exec(line)?.[1] ?? null;
}

const readPart = promisify(read);

const READ_BYTES = 1 << 20;
/** Keys are usually shorter; the rest of a line is not read. */
const MAX_KEY_LENGTH = 512;
const FIRST_READ_BYTES = 1 << 14;

/**
 * Finds lines of a JSON Lines file in a run folder by the fields they begin with, after indexing the file once. The index is
 * kept as long as the file only grows; of lines with the same key, the last one counts.
 */
class LineIndex {
  readonly #dir: string;
  readonly #name: string;
  /** Matches the beginning of a line up to the end of its key, which is the first group. */
  readonly #key: RegExp;
  readonly #starts = new Map<string, number>();
  /** The position after the last complete line. */
  #end = 0;
  #state = "";
  #file = 0;
  #reading: Promise<void> = Promise.resolve();

  constructor(dir: string, name: string, key: RegExp) {
    this.#dir = dir;
    this.#name = name;
    this.#key = key;
  }

  /** Null when there is no such line. */
  async findLine(key: string): Promise<string | null> {
    return (await this.findLines([key]))[0] ?? null;
  }

  /** In the order of `keys`, null for those without a line. */
  async findLines(keys: readonly string[]): Promise<(string | null)[]> {
    await this.#update();
    const found = this.#read(keys);
    if (found.every((line, place) => line === null || line.startsWith(`{${keys[place]}`))) return found;
    // The indexed file was replaced by another one.
    this.#clear();
    await this.#update();
    return this.#read(keys);
  }

  /** Serialized, so that concurrent requests index the file once. */
  #update(): Promise<void> {
    const reading = this.#reading.catch(() => {}).then(() => this.#readNewLines());
    this.#reading = reading;
    return reading;
  }

  async #readNewLines(): Promise<void> {
    const state = statLineFile(join(this.#dir, this.#name));
    if (state === null) return this.#clear();
    if (state.name === this.#state) return;
    if (state.size < this.#end || state.file !== this.#file) this.#clear();
    const file = openRunFile(this.#dir, this.#name);
    try {
      await this.#readLines(file);
    } finally {
      closeSync(file);
    }
    this.#state = state.name;
    this.#file = state.file;
  }

  async #readLines(file: number): Promise<void> {
    const blocks = new LineBlockSplitter();
    for (let offset = this.#end; ; ) {
      const { bytesRead, buffer } = await readPart(file, Buffer.allocUnsafe(READ_BYTES), 0, READ_BYTES, offset);
      if (bytesRead === 0) return;
      offset += bytesRead;
      const block = blocks.push(buffer.subarray(0, bytesRead));
      if (block !== null) this.#addLines(block);
    }
  }

  #addLines(block: Buffer): void {
    for (let start = 0; start < block.length; ) {
      const stop = block.indexOf(LF, start);
      const key = parseLineKey(block.subarray(start, stop), this.#key);
      if (key !== null) this.#starts.set(key, this.#end + start);
      start = stop + 1;
    }
    this.#end += block.length;
  }

  /** Synchronous, because short reads of local files are faster than the thread pool. */
  #read(keys: readonly string[]): (string | null)[] {
    const starts = keys.map((key) => this.#starts.get(key));
    if (starts.every((start) => start === undefined)) return keys.map(() => null);
    const file = openRunFile(this.#dir, this.#name);
    try {
      return starts.map((start) => (start === undefined ? null : readLine(file, start)));
    } finally {
      closeSync(file);
    }
  }

  #clear(): void {
    this.#starts.clear();
    this.#end = 0;
    this.#state = "";
  }
}

/** Null for a line that does not begin with a key. */
function parseLineKey(line: Buffer, key: RegExp): string | null {
  const found =
    key.exec(line.toString("utf8", 0, MAX_KEY_LENGTH)) ??
    (line.length > MAX_KEY_LENGTH ? key.exec(line.toString()) : null);
  // A substring keeps the whole string in memory, a copy does not.
  return found?.[1] === undefined ? null : Buffer.from(found[1]).toString();
}

function readLine(file: number, start: number): string {
  const pieces: Buffer[] = [];
  let offset = start;
  for (let size = FIRST_READ_BYTES; ; size *= 2) {
    const buffer = Buffer.allocUnsafe(size);
    const piece = buffer.subarray(0, readSync(file, buffer, 0, size, offset));
    const feed = piece.indexOf(LF);
    pieces.push(feed === -1 ? piece : piece.subarray(0, feed));
    if (feed !== -1 || piece.length === 0) return Buffer.concat(pieces).toString();
    offset += piece.length;
  }
}

interface FileState {
  readonly name: string;
  /** The inode: another number is another file. */
  readonly file: number;
  readonly size: number;
}

function statLineFile(path: string): FileState | null {
  try {
    const { ino, size, mtimeMs } = statSync(path);
    return { name: `${ino} ${size} ${mtimeMs}`, file: ino, size };
  } catch {
    return null;
  }
}
