import { closeSync, read, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { TrialKey } from "../../core/row.js";
import { decodeExample, EXAMPLES_FILE, encodeExampleKey, type StoredExample } from "../../store/examples.js";
import { FILES } from "../../store/journal.js";
import { decodeOutput, type StoredOutput } from "../../store/outputs.js";
import { encodeKey } from "../../store/row-codec.js";
import { openRunFile } from "../../store/run-file.js";
import { LF, LineBlocks } from "../../utils/files/blocks.js";

const TEXT = String.raw`"[^"\\]*(?:\\.[^"\\]*)*"`;
const ID = `(?:${TEXT}|[^",}]+)`;
const OUTPUT_KEY = new RegExp(`^\\{("system":${TEXT},"dataset":${TEXT},"exampleId":${ID},"trial":\\d+)(?=[,}])`);
const EXAMPLE_KEY = new RegExp(`^\\{("dataset":${TEXT},"id":${ID})(?=[,}])`);

/** A run of 100,000 trials takes about 20 MB to know. */
const MOST_RUNS = 4;

interface RunFiles {
  readonly outputs: LineIndex;
  readonly examples: LineIndex;
}

/**
 * What runs have kept of their trials, found without reading all of it: where each trial is in the files is worked out
 * at the first look and kept for the next ones.
 * @example
 * const files = new TrialFiles();
 * const stored = await files.output(dir, { system: "a", dataset: "d", exampleId: 1, trial: 0 });
 */
export class TrialFiles {
  readonly #runs = new Map<string, RunFiles>();

  /** What came back in a trial; null when nothing is kept. */
  async output(dir: string, trial: TrialKey): Promise<StoredOutput | null> {
    const line = await this.#run(dir).outputs.line(encodeKey(trial));
    return line === null ? null : decodeOutput(line, placeOf(join(dir, FILES.outputs), trial), dir);
  }

  /** What was asked in a trial; null when that is not kept. */
  async example(
    dir: string,
    { dataset, exampleId }: Omit<TrialKey, "system" | "trial">,
  ): Promise<StoredExample | null> {
    const line = await this.#run(dir).examples.line(encodeExampleKey(dataset, exampleId));
    return line === null ? null : decodeExample(line, `${join(dir, EXAMPLES_FILE)}, example ${exampleId},`);
  }

  /** The one that was used last is the last to go. */
  #run(dir: string): RunFiles {
    const run = this.#runs.get(dir) ?? openRun(dir);
    this.#runs.delete(dir);
    this.#runs.set(dir, run);
    for (const oldest of this.#runs.keys()) {
      if (this.#runs.size <= MOST_RUNS) break;
      this.#runs.delete(oldest);
    }
    return run;
  }
}

function openRun(dir: string): RunFiles {
  return {
    outputs: new LineIndex(dir, FILES.outputs, OUTPUT_KEY),
    examples: new LineIndex(dir, EXAMPLES_FILE, EXAMPLE_KEY),
  };
}

function placeOf(path: string, { system, exampleId, trial }: TrialKey): string {
  return `${path}, trial ${trial} of ${system} on ${exampleId},`;
}

/** The key of a line of outputs, as `encodeKey` writes it; null when it has none. */
export function outputKey(line: string): string | null {
  return OUTPUT_KEY.exec(line)?.[1] ?? null;
}

/** The key of a line of examples, as `encodeExampleKey` writes it; null when it has none. */
export function exampleKeyIn(line: string): string | null {
  return EXAMPLE_KEY.exec(line)?.[1] ?? null;
}

const readPart = promisify(read);

const READ_AT_ONCE = 1 << 20;
/** Keys are shorter as a rule: the rest of a line is not looked at. */
const LONG_KEY = 512;
const FIRST_READ = 1 << 14;

/**
 * Finds lines of a file of JSON lines in a run folder by the fields that they begin with, after going through the file once. Where they
 * begin is kept as long as the file only grows; of lines with the same key, the last one counts.
 */
class LineIndex {
  readonly #dir: string;
  readonly #name: string;
  /** Matches the beginning of a line up to the end of its key, which is the first group. */
  readonly #key: RegExp;
  readonly #starts = new Map<string, number>();
  /** Behind the last whole line that is known. */
  #end = 0;
  #state = "";
  #file = 0;
  #reading: Promise<void> = Promise.resolve();

  constructor(dir: string, name: string, key: RegExp) {
    this.#dir = dir;
    this.#name = name;
    this.#key = key;
  }

  /** The line with a key; null when there is none. */
  async line(key: string): Promise<string | null> {
    await this.#update();
    const found = this.#read(key);
    if (found === null || found.startsWith(`{${key}`)) return found;
    // Another file has taken the place of the one that was gone through.
    this.#forget();
    await this.#update();
    return this.#read(key);
  }

  /** One after the other, so that two who ask at the same time go through the file once. */
  #update(): Promise<void> {
    const reading = this.#reading.catch(() => {}).then(() => this.#readOn());
    this.#reading = reading;
    return reading;
  }

  async #readOn(): Promise<void> {
    const state = stateOf(join(this.#dir, this.#name));
    if (state === null) return this.#forget();
    if (state.name === this.#state) return;
    if (state.size < this.#end || state.file !== this.#file) this.#forget();
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
    const blocks = new LineBlocks();
    for (let offset = this.#end; ; ) {
      const { bytesRead, buffer } = await readPart(file, Buffer.allocUnsafe(READ_AT_ONCE), 0, READ_AT_ONCE, offset);
      if (bytesRead === 0) return;
      offset += bytesRead;
      const block = blocks.push(buffer.subarray(0, bytesRead));
      if (block !== null) this.#addLines(block);
    }
  }

  #addLines(block: Buffer): void {
    for (let start = 0; start < block.length; ) {
      const stop = block.indexOf(LF, start);
      const key = keyIn(block.subarray(start, stop), this.#key);
      if (key !== null) this.#starts.set(key, this.#end + start);
      start = stop + 1;
    }
    this.#end += block.length;
  }

  /** In place, like all short reads of local files: a trip through the thread pool takes longer. */
  #read(key: string): string | null {
    const start = this.#starts.get(key);
    if (start === undefined) return null;
    const file = openRunFile(this.#dir, this.#name);
    try {
      return lineAt(file, start);
    } finally {
      closeSync(file);
    }
  }

  #forget(): void {
    this.#starts.clear();
    this.#end = 0;
    this.#state = "";
  }
}

/** Null for a line that does not begin with one. */
function keyIn(line: Buffer, key: RegExp): string | null {
  const found =
    key.exec(line.toString("utf8", 0, LONG_KEY)) ?? (line.length > LONG_KEY ? key.exec(line.toString()) : null);
  // A part of a string holds on to the whole of it: a copy does not.
  return found?.[1] === undefined ? null : Buffer.from(found[1]).toString();
}

function lineAt(file: number, start: number): string {
  const pieces: Buffer[] = [];
  let offset = start;
  for (let size = FIRST_READ; ; size *= 2) {
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
  /** Another number is another file. */
  readonly file: number;
  readonly size: number;
}

function stateOf(path: string): FileState | null {
  try {
    const { ino, size, mtimeMs } = statSync(path);
    return { name: `${ino} ${size} ${mtimeMs}`, file: ino, size };
  } catch {
    return null;
  }
}
