import {
  closeSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
} from "node:fs";
import { basename, join } from "node:path";
import { JournalError, messageOf, RunFolderError } from "../core/errors.js";
import type { Example } from "../core/example.js";
import type { EvalRow, TrialKey } from "../core/row.js";
import type { UngradedOutput } from "../runner/call.js";
import type { EncodedTrial, FinishedTrial, MoneyEntry, Sink } from "../runner/ports.js";
import { writeAtomically, writeByContent } from "../utils/files/atomic.js";
import { writeLines } from "../utils/files/lines.js";
import { writeExamples } from "./examples.js";
import { lockRun } from "./lock.js";
import { type Manifest, RUN_SCHEMA } from "./manifest.js";
import { JournalMoney } from "./money.js";
import {
  decodeLine,
  encodeAloneInPieces,
  encodeMoney,
  encodeOutputAlone,
  encodeOutputInPieces,
  encodeRow,
  encodeTrial,
  encodeUngraded,
  hasLargeText,
  LARGE_OUTPUT,
  trialKey,
} from "./row-codec.js";
import { readRunFile, readRunLines } from "./run-file.js";

export const FILES = {
  manifest: "manifest.json",
  rows: "rows.jsonl",
  outputs: "outputs.jsonl",
  summary: "summary.json",
  lock: "lock",
};

/** The folder in a run folder for outputs that are too large for a line. */
export const OUTPUTS_DIR = "outputs";

/**
 * A run on disk: append-only JSON lines, one per finished trial. What `flush` has written survives a kill of the process; an
 * output is always written before its row.
 */
export class Journal implements Sink {
  readonly dir: string;
  /** Trials whose output file from a worker was missing. */
  missingOutputs = 0;
  readonly #rowsFd: number;
  readonly #outputsFd: number;
  readonly #unlock: () => void;
  #rows: string[] = [];
  #outputs: string[] = [];

  private constructor(dir: string, unlock: () => void) {
    this.dir = dir;
    this.#unlock = unlock;
    this.#rowsFd = openSync(join(dir, FILES.rows), "a");
    this.#outputsFd = openSync(join(dir, FILES.outputs), "a");
  }

  /** Creates a new run folder. */
  static create(dir: string, manifest: Manifest): Journal {
    return wrapped(dir, () => {
      mkdirSync(dir, { recursive: true });
      const unlock = lockRun(join(dir, FILES.lock));
      writeAtomically(join(dir, FILES.manifest), `${JSON.stringify(manifest, null, 2)}\n`);
      return new Journal(dir, unlock);
    });
  }

  /** Opens a stored run to continue it, after removing a torn last line. */
  static resume(dir: string): { journal: Journal; rows: EvalRow[]; money: JournalMoney; notes: string[] } {
    requireOwnFiles(dir);
    const unlock = wrapped(dir, () => lockRun(join(dir, FILES.lock)));
    try {
      const notes = [...mendTail(dir, FILES.rows), ...mendTail(dir, FILES.outputs)];
      return { journal: new Journal(dir, unlock), ...readJournal(dir), notes };
    } catch (error) {
      unlock();
      throw error;
    }
  }

  append(finished: FinishedTrial, encoded?: EncodedTrial): void {
    if (encoded === undefined && hasLargeText(finished.output)) {
      this.#outputs.push(fileLine(finished.row, this.#writeLarge(encodeOutputInPieces(finished))));
      this.#rows.push(encodeRow(finished.row));
      return;
    }
    const { row, output, outputFile } = encoded ?? encodeTrial(finished);
    if (outputFile !== undefined) this.#outputs.push(this.#takenOver(finished.row, outputFile));
    else if (output !== null)
      this.#outputs.push(output.length <= LARGE_OUTPUT ? output : fileLine(finished.row, this.#writeLarge([output])));
    this.#rows.push(row);
  }

  /** Stores an output that is still being graded; false if JSON cannot hold it. */
  appendOutput(ungraded: UngradedOutput): boolean {
    const line = hasLargeText(ungraded.output) ? this.#ungradedBeside(ungraded) : encodeUngraded(ungraded);
    if (line === null) return false;
    const short = line.length <= LARGE_OUTPUT ? line : this.#ungradedBeside(ungraded);
    if (short === null) return false;
    this.#outputs.push(short);
    return true;
  }

  appendMoney(entry: MoneyEntry): void {
    this.#rows.push(encodeMoney(entry));
  }

  /** Marks an output as not to be graded: its trial is run again. */
  dropOutput(trial: TrialKey, notRecorded: string): void {
    this.#outputs.push(encodeOutputAlone(trial, { notRecorded }));
  }

  flush(): void {
    const [outputs, rows] = [this.#outputs, this.#rows];
    // A row whose output could not be written must not be written later.
    this.#outputs = [];
    this.#rows = [];
    wrapped(this.dir, () => {
      writeLines(this.#outputsFd, outputs);
      writeLines(this.#rowsFd, rows);
    });
  }

  /** Writes the examples, once for all trials. */
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

  #ungradedBeside(ungraded: UngradedOutput): string | null {
    const pieces = encodeAloneInPieces(ungraded, ungraded.output);
    return pieces === null ? null : encodeUngraded(ungraded, this.#writeLarge(pieces));
  }

  /** Writes a large output to a separate file, and returns the name that lines use for it. */
  #writeLarge(line: Iterable<string>): string {
    return wrapped(this.dir, () => {
      const dir = join(this.dir, OUTPUTS_DIR);
      mkdirSync(dir, { recursive: true });
      return join(OUTPUTS_DIR, writeByContent(dir, line));
    });
  }

  /** Moves an output file that another process has written into the run. It may have been moved before. */
  #takenOver(row: EvalRow, outputFile: string): string {
    const file = join(OUTPUTS_DIR, basename(outputFile));
    wrapped(this.dir, () => {
      mkdirSync(join(this.dir, OUTPUTS_DIR), { recursive: true });
      if (isFile(outputFile)) move(outputFile, join(this.dir, file));
    });
    if (isFile(join(this.dir, file))) return fileLine(row, file);
    // The row and its scores stay valid: only the output is lost.
    this.missingOutputs += 1;
    const notRecorded = `the file ${basename(outputFile)} was not in the shared folder`;
    return JSON.stringify({ ...trialKey(row), output: { notRecorded } });
  }
}

function fileLine(row: EvalRow, file: string): string {
  return JSON.stringify({ ...trialKey(row), file });
}

/** Files to write must belong to this folder: a link in someone else's folder may point anywhere. */
function requireOwnFiles(dir: string): void {
  for (const [name, isOwn] of [
    [FILES.rows, isFile],
    [FILES.outputs, isFile],
    [FILES.lock, isFile],
    [OUTPUTS_DIR, isFolder],
  ] as const) {
    const path = join(dir, name);
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined || isOwn(path)) continue;
    throw new RunFolderError(`${path} is a link or not a regular file, which no run writes. The run cannot continue.`);
  }
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Does not follow links: others can write to the folder that the file comes from. */
function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** Other file systems, and files owned by other users. */
const NEEDS_COPY = new Set(["EXDEV", "EACCES", "EPERM"]);

function move(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!NEEDS_COPY.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
    copyFileSync(from, to);
    removeIfAllowed(from);
  }
}

/** A file that cannot be removed only takes up space. */
function removeIfAllowed(path: string): void {
  try {
    rmSync(path);
  } catch (error) {
    if (!NEEDS_COPY.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}

/** Reads the manifest of a run folder, or throws with the reason. */
export function readManifest(dir: string): Manifest {
  if (!existsSync(dir)) throw new RunFolderError(`There is no run folder ${dir}.`);
  if (!statSync(dir).isDirectory())
    throw new RunFolderError(`${dir} is a file, not a run folder. Pass the folder that holds ${FILES.manifest}.`);
  const path = join(dir, FILES.manifest);
  if (!existsSync(path)) throw new RunFolderError(`${dir} is not a run folder: it has no ${FILES.manifest}.`);
  const manifest = parseManifest(dir);
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

function parseManifest(dir: string): Partial<Omit<Manifest, "schema">> & { schema?: unknown } {
  try {
    const parsed: unknown = JSON.parse(readRunFile(dir, FILES.manifest));
    return typeof parsed === "object" && parsed !== null ? parsed : {};
  } catch (cause) {
    if (cause instanceof RunFolderError) throw cause;
    throw new RunFolderError(`${join(dir, FILES.manifest)} cannot be read: ${messageOf(cause)}.`, { cause });
  }
}

/** Reads the rows of a stored run in the order they were written; the last row of a trial counts. */
export function readRows(dir: string): EvalRow[] {
  return readJournal(dir).rows;
}

/** The same, with reservations and settlements. */
function readJournal(dir: string): { rows: EvalRow[]; money: JournalMoney } {
  const path = join(dir, FILES.rows);
  const rows: EvalRow[] = [];
  const money = new JournalMoney();
  for (const { text, number, terminated } of readRunLines(dir, FILES.rows)) {
    if (!terminated) break;
    try {
      const entry = decodeLine(text);
      if (entry === null) continue;
      if ("kind" in entry) money.take(entry);
      else {
        rows.push(entry);
        money.close(entry);
      }
    } catch (cause) {
      throw new RunFolderError(
        `${path}:${number} is not a row: ${messageOf(cause)}. Remove that line to continue without it.`,
        { cause },
      );
    }
  }
  return { rows, money };
}

/** Removes a last line without a line feed, so that the next append starts a new line. */
function mendTail(dir: string, name: string): string[] {
  const path = join(dir, name);
  let sound = 0;
  let torn = false;
  for (const { end, terminated } of readRunLines(dir, name)) {
    if (terminated) sound = end;
    else torn = true;
  }
  if (!torn) return [];
  truncateSync(path, sound);
  return [`${path}: a torn last line was removed; its trial is run again`];
}

/** Explains what a failed write means for the user: nothing recorded before is lost. */
function wrapped<T>(dir: string, write: () => T): T {
  try {
    return write();
  } catch (cause) {
    if (cause instanceof RunFolderError || cause instanceof JournalError) throw cause;
    const full = (cause as NodeJS.ErrnoException).code === "ENOSPC";
    const what = full ? "The disk is full" : `Writing failed: ${messageOf(cause)}`;
    throw new JournalError(
      `${what} (${dir}). Recorded trials are safe: free some space, then continue with --resume ${dir}.`,
      { cause },
    );
  }
}
