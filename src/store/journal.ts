import { createHash } from "node:crypto";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, statSync, truncateSync, writeSync } from "node:fs";
import { join } from "node:path";
import { JournalError, messageOf, RunFolderError } from "../core/errors.js";
import type { Example } from "../core/example.js";
import type { EvalRow } from "../core/row.js";
import type { Output } from "../core/system.js";
import { writeAtomically } from "../files/atomic.js";
import { readLines } from "../files/lines.js";
import type { FinishedTrial, Sink } from "../runner/ports.js";
import { writeExamples } from "./examples.js";
import { lockRun } from "./lock.js";
import { type Manifest, RUN_SCHEMA } from "./manifest.js";
import { decodeRow, encodeKey, encodeRow } from "./row-codec.js";

/** Outputs above this many characters of JSON become files beside the journal, so that its lines stay readable. */
const LARGE_OUTPUT = 1 << 20;

export const FILES = {
  manifest: "manifest.json",
  rows: "rows.jsonl",
  outputs: "outputs.jsonl",
  summary: "summary.json",
  lock: "lock",
};

/**
 * A run on disk: append-only JSON lines, one finished trial each. What `flush` has written survives a kill of the
 * process; an output is always written before the row that speaks of it.
 */
export class Journal implements Sink {
  readonly dir: string;
  readonly #rowsFd: number;
  readonly #outputsFd: number;
  readonly #unlock: () => void;
  #rows = "";
  #outputs = "";

  private constructor(dir: string, unlock: () => void) {
    this.dir = dir;
    this.#unlock = unlock;
    this.#rowsFd = openSync(join(dir, FILES.rows), "a");
    this.#outputsFd = openSync(join(dir, FILES.outputs), "a");
  }

  /** Starts a new run folder. */
  static create(dir: string, manifest: Manifest): Journal {
    return wrapped(dir, () => {
      mkdirSync(dir, { recursive: true });
      const unlock = lockRun(join(dir, FILES.lock));
      writeAtomically(join(dir, FILES.manifest), `${JSON.stringify(manifest, null, 2)}\n`);
      return new Journal(dir, unlock);
    });
  }

  /** Opens a stored run to go on with it, after mending a last line that a kill tore. */
  static resume(dir: string): { journal: Journal; rows: EvalRow[]; notes: string[] } {
    const unlock = wrapped(dir, () => lockRun(join(dir, FILES.lock)));
    try {
      const notes = [...mendTail(join(dir, FILES.rows)), ...mendTail(join(dir, FILES.outputs))];
      const rows = readRows(dir);
      return { journal: new Journal(dir, unlock), rows, notes };
    } catch (error) {
      unlock();
      throw error;
    }
  }

  append({ row, output, ...said }: FinishedTrial): void {
    const key = encodeKey(row);
    if (output !== null) this.#outputs += `${this.#outputLine(key, output, said)}\n`;
    this.#rows += `${encodeRow(row, key)}\n`;
  }

  flush(): void {
    if (this.#rows === "") return;
    const outputs = this.#outputs;
    const rows = this.#rows;
    this.#outputs = "";
    this.#rows = "";
    wrapped(this.dir, () => {
      writeAll(this.#outputsFd, outputs);
      writeAll(this.#rowsFd, rows);
    });
  }

  /** What is asked, once for all trials. */
  writeExamples(examples: Iterable<Example>): void {
    wrapped(this.dir, () => writeExamples(this.dir, examples));
  }

  writeSummary(summary: unknown): void {
    wrapped(this.dir, () => writeAtomically(join(this.dir, FILES.summary), `${JSON.stringify(summary, null, 2)}\n`));
  }

  close(): void {
    try {
      for (const fd of [this.#outputsFd, this.#rowsFd]) closeSync(fd);
    } finally {
      this.#unlock();
    }
  }

  #outputLine(key: string, output: Output, { evidence, grades }: Pick<FinishedTrial, "evidence" | "grades">): string {
    const shown = evidence === null ? "" : `,"evidence":${JSON.stringify(evidence)}`;
    const said = grades === null ? "" : `,"grades":${JSON.stringify(grades)}`;
    const line = `{${key},"output":${outputJson(output)}${shown}${said}}`;
    return line.length <= LARGE_OUTPUT ? line : `{${key},"file":${JSON.stringify(this.#writeLarge(line))}}`;
  }

  #writeLarge(line: string): string {
    const file = join("outputs", `${createHash("sha256").update(line).digest("hex").slice(0, 32)}.json`);
    return wrapped(this.dir, () => {
      mkdirSync(join(this.dir, "outputs"), { recursive: true });
      writeAtomically(join(this.dir, file), line);
      return file;
    });
  }
}

/** The manifest of a run folder, or an error that says why it is none. */
export function readManifest(dir: string): Manifest {
  if (!existsSync(dir)) throw new RunFolderError(`There is no run folder ${dir}.`);
  if (!statSync(dir).isDirectory())
    throw new RunFolderError(`${dir} is a file, not a run folder. Give the folder that holds ${FILES.manifest}.`);
  const path = join(dir, FILES.manifest);
  if (!existsSync(path)) throw new RunFolderError(`${dir} is not a run folder: it has no ${FILES.manifest}.`);
  const manifest = parseManifest(path);
  if (manifest.schema === RUN_SCHEMA && isWhole(manifest)) return manifest as Manifest;
  if (manifest.schema === RUN_SCHEMA)
    throw new RunFolderError(`${path} is incomplete: it does not say what was planned. Start a new run instead.`);
  const { schema } = manifest;
  if (typeof schema === "string" && schema.startsWith("assay.run/"))
    throw new RunFolderError(
      `${path} has the format ${schema}; this version reads up to ${RUN_SCHEMA}. Update Assay to open it.`,
    );
  throw new RunFolderError(`${path} was not written by Assay (no "schema": "${RUN_SCHEMA}").`);
}

function isWhole({ config, systems }: Partial<Omit<Manifest, "schema">>): boolean {
  return Array.isArray(config?.datasets) && typeof systems === "object" && systems !== null;
}

function parseManifest(path: string): Partial<Omit<Manifest, "schema">> & { schema?: unknown } {
  try {
    const parsed: unknown = JSON.parse(readFileSync(path, "utf8"));
    return typeof parsed === "object" && parsed !== null ? parsed : {};
  } catch (cause) {
    throw new RunFolderError(`${path} cannot be read: ${messageOf(cause)}.`, { cause });
  }
}

/** The rows of a stored run in the order they were written; the last one of a trial is the one that counts. */
export function readRows(dir: string): EvalRow[] {
  const path = join(dir, FILES.rows);
  if (!existsSync(path)) return [];
  const rows: EvalRow[] = [];
  for (const { text, number, terminated } of readLines(path)) {
    if (!terminated) break;
    try {
      rows.push(decodeRow(text));
    } catch (cause) {
      throw new RunFolderError(
        `${path}:${number} is not a row: ${messageOf(cause)}. Remove that line to go on without it.`,
        { cause },
      );
    }
  }
  return rows;
}

/** Cuts off a last line without its line feed, so that the next append does not glue onto it. */
function mendTail(path: string): string[] {
  if (!existsSync(path)) return [];
  let sound = 0;
  let torn = false;
  for (const { end, terminated } of readLines(path)) {
    if (terminated) sound = end;
    else torn = true;
  }
  if (!torn) return [];
  truncateSync(path, sound);
  return [`${path}: a torn last line was dropped; its trial is run again`];
}

/** An output that JSON cannot hold (a circle, a BigInt) costs its own record, not the run: its row and scores stand. */
function outputJson(output: Output): string {
  try {
    return JSON.stringify(output);
  } catch (error) {
    return JSON.stringify({ notRecorded: `the output cannot be written as JSON: ${messageOf(error)}` });
  }
}

function writeAll(fd: number, text: string): void {
  if (text === "") return;
  const written = writeSync(fd, text);
  if (written === Buffer.byteLength(text)) return;
  const rest = Buffer.from(text).subarray(written);
  for (let done = 0; done < rest.length; ) done += writeSync(fd, rest, done);
}

/** Says what a failed write means for the user: nothing before it is lost. */
function wrapped<T>(dir: string, write: () => T): T {
  try {
    return write();
  } catch (cause) {
    if (cause instanceof RunFolderError || cause instanceof JournalError) throw cause;
    const full = (cause as NodeJS.ErrnoException).code === "ENOSPC";
    const what = full ? "The disk is full" : `Writing failed: ${messageOf(cause)}`;
    throw new JournalError(
      `${what} (${dir}). Every trial recorded before is kept: make room, then go on with --resume ${dir}.`,
      { cause },
    );
  }
}
