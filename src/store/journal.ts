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
import type { EvalRow, Example, TrialKey } from "../core/index.js";
import { getErrorMessage, JournalError, RunFolderError } from "../core/index.js";
import type { EncodedTrial, FinishedTrial, MoneyEntry, RowSink, UngradedOutput } from "../runner/index.js";
import { writeAtomically, writeContentAddressed, writeLines } from "../utils/index.js";
import { BATCHES_FILE, BatchJournal } from "./batches.js";
import { writeExamples } from "./examples.js";
import { readLabels } from "./labels.js";
import { lockRun } from "./lock.js";
import { type Manifest, RUN_SCHEMA } from "./manifest.js";
import {
  decodeLine,
  encodeAloneInPieces,
  encodeKey,
  encodeMoney,
  encodeOutputAlone,
  encodeOutputInPieces,
  encodeRow,
  encodeTrial,
  encodeUngraded,
  hasLargeText,
  LARGE_OUTPUT_CHARS,
  pickTrialKey,
} from "./row-codec.js";
import { readRunFile, readRunLines } from "./run-file.js";

/** A reservation for a trial. */
type OpenReservation = Extract<MoneyEntry, { kind: "reserve" }>;

/** The reservations and settlements in a journal. Add lines in their order. */
export class JournalSpend {
  /** Spend on interrupted trials, and their number. */
  lostUsd = 0;
  lostTrials = 0;
  /** Spend on trials with unknown cost. */
  unknownUsd = 0;
  canaryUsd = 0;
  readonly #open = new Map<string, OpenReservation>();

  add(entry: MoneyEntry): void {
    const key = encodeKey(entry);
    if (entry.kind === "reserve") {
      this.#open.set(key, entry);
      return;
    }
    this.#open.delete(key);
    if (entry.why === "unknown") this.unknownUsd += entry.usd;
    if (entry.why === "canary") this.canaryUsd += entry.usd;
    if (entry.why !== "lost") return;
    this.lostUsd += entry.usd;
    this.lostTrials += 1;
  }

  /** A row contains the cost of its trial. */
  close(row: TrialKey): void {
    if (this.#open.size > 0) this.#open.delete(encodeKey(row));
  }

  /** Reservations that were never settled. */
  get open(): OpenReservation[] {
    return [...this.#open.values()];
  }
}

export const RUN_FILES = {
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
export class RunJournal implements RowSink {
  readonly dir: string;
  /** Trials whose output file from a worker was missing. */
  missingOutputs = 0;
  readonly #rowsFd: number;
  readonly #outputsFd: number;
  readonly #unlock: () => void;
  #batches: BatchJournal | null = null;
  #rows: string[] = [];
  #outputs: string[] = [];

  private constructor(dir: string, unlock: () => void) {
    this.dir = dir;
    this.#unlock = unlock;
    this.#rowsFd = openSync(join(dir, RUN_FILES.rows), "a");
    this.#outputsFd = openSync(join(dir, RUN_FILES.outputs), "a");
    if (existsSync(join(dir, BATCHES_FILE))) this.#batches = new BatchJournal(dir);
  }

  /** Opens the record of the run's batches. */
  openBatches(): BatchJournal {
    this.#batches ??= new BatchJournal(this.dir);
    return this.#batches;
  }

  keepsCall(trial: TrialKey, by: "system" | "judge"): boolean {
    return this.#batches?.keepsCall(trial, by) ?? false;
  }

  /** Creates a new run folder. */
  static create(dir: string, manifest: Manifest): RunJournal {
    return wrapWriteErrors(dir, () => {
      mkdirSync(dir, { recursive: true });
      const unlock = lockRun(join(dir, RUN_FILES.lock));
      writeAtomically(join(dir, RUN_FILES.manifest), `${JSON.stringify(manifest, null, 2)}\n`);
      return new RunJournal(dir, unlock);
    });
  }

  /** Opens a stored run to continue it, after removing a torn last line. */
  static resume(dir: string): { journal: RunJournal; rows: EvalRow[]; money: JournalSpend; notes: string[] } {
    requireOwnFiles(dir);
    const unlock = wrapWriteErrors(dir, () => lockRun(join(dir, RUN_FILES.lock)));
    try {
      const notes = [...truncateTornLine(dir, RUN_FILES.rows), ...truncateTornLine(dir, RUN_FILES.outputs)];
      truncateTornLine(dir, BATCHES_FILE);
      return { journal: new RunJournal(dir, unlock), ...readJournal(dir), notes };
    } catch (error) {
      unlock();
      throw error;
    }
  }

  append(finished: FinishedTrial, encoded?: EncodedTrial): void {
    if (encoded === undefined && hasLargeText(finished.output)) {
      this.#outputs.push(encodeFileLine(finished.row, this.#writeLarge(encodeOutputInPieces(finished))));
      this.#rows.push(encodeRow(finished.row));
      return;
    }
    const { row, output, outputFile } = encoded ?? encodeTrial(finished);
    if (outputFile !== undefined) this.#outputs.push(this.#adoptOutputFile(finished.row, outputFile));
    else if (output !== null)
      this.#outputs.push(
        output.length <= LARGE_OUTPUT_CHARS ? output : encodeFileLine(finished.row, this.#writeLarge([output])),
      );
    this.#rows.push(row);
  }

  /** Stores an output that is still being graded; false if JSON cannot hold it. */
  appendOutput(ungraded: UngradedOutput): boolean {
    const line = hasLargeText(ungraded.output) ? this.#writeUngradedFile(ungraded) : encodeUngraded(ungraded);
    if (line === null) return false;
    const short = line.length <= LARGE_OUTPUT_CHARS ? line : this.#writeUngradedFile(ungraded);
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
    wrapWriteErrors(this.dir, () => {
      writeLines(this.#outputsFd, outputs);
      writeLines(this.#rowsFd, rows);
    });
  }

  /** Writes the examples, once for all trials. */
  writeExamples(examples: Iterable<Example>): void {
    wrapWriteErrors(this.dir, () => writeExamples(this.dir, examples));
  }

  writeSummary(summary: unknown): void {
    wrapWriteErrors(this.dir, () =>
      writeAtomically(join(this.dir, RUN_FILES.summary), `${JSON.stringify(summary, null, 2)}\n`),
    );
  }

  close(): void {
    try {
      for (const fd of [this.#outputsFd, this.#rowsFd]) closeSync(fd);
    } finally {
      this.#unlock();
    }
  }

  #writeUngradedFile(ungraded: UngradedOutput): string | null {
    const pieces = encodeAloneInPieces(ungraded, ungraded.output);
    return pieces === null ? null : encodeUngraded(ungraded, this.#writeLarge(pieces));
  }

  /** Writes a large output to a separate file, and returns the name that lines use for it. */
  #writeLarge(line: Iterable<string>): string {
    return wrapWriteErrors(this.dir, () => {
      const dir = join(this.dir, OUTPUTS_DIR);
      mkdirSync(dir, { recursive: true });
      return join(OUTPUTS_DIR, writeContentAddressed(dir, line));
    });
  }

  /** Moves an output file that another process has written into the run. It may have been moved before. */
  #adoptOutputFile(row: EvalRow, outputFile: string): string {
    const file = join(OUTPUTS_DIR, basename(outputFile));
    wrapWriteErrors(this.dir, () => {
      mkdirSync(join(this.dir, OUTPUTS_DIR), { recursive: true });
      if (isRealFile(outputFile)) moveFile(outputFile, join(this.dir, file));
    });
    if (isRealFile(join(this.dir, file))) return encodeFileLine(row, file);
    // The row and its scores stay valid: only the output is lost.
    this.missingOutputs += 1;
    const notRecorded = `the file ${basename(outputFile)} was not in the shared folder`;
    return JSON.stringify({ ...pickTrialKey(row), output: { notRecorded } });
  }
}

function encodeFileLine(row: EvalRow, file: string): string {
  return JSON.stringify({ ...pickTrialKey(row), file });
}

/** Files to write must belong to this folder: a link in someone else's folder may point anywhere. */
function requireOwnFiles(dir: string): void {
  for (const [name, isOwn] of [
    [RUN_FILES.rows, isRealFile],
    [RUN_FILES.outputs, isRealFile],
    [RUN_FILES.lock, isRealFile],
    [BATCHES_FILE, isRealFile],
    [OUTPUTS_DIR, isRealFolder],
  ] as const) {
    const path = join(dir, name);
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined || isOwn(path)) continue;
    throw new RunFolderError(`${path} is a link or not a regular file, which no run writes. The run cannot continue.`);
  }
}

function isRealFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Does not follow links: others can write to the folder that the file comes from. */
function isRealFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** Other file systems, and files owned by other users. */
const COPY_ERROR_CODES = new Set(["EXDEV", "EACCES", "EPERM"]);

function moveFile(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!COPY_ERROR_CODES.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
    copyFileSync(from, to);
    tryRemove(from);
  }
}

/** A file that cannot be removed only takes up space. */
function tryRemove(path: string): void {
  try {
    rmSync(path);
  } catch (error) {
    if (!COPY_ERROR_CODES.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}

/** Reads the manifest of a run folder, with the title that the run has now, or throws with the reason. */
export function readManifest(dir: string): Manifest {
  if (!existsSync(dir)) throw new RunFolderError(`There is no run folder ${dir}.`);
  if (!statSync(dir).isDirectory())
    throw new RunFolderError(`${dir} is a file, not a run folder. Pass the folder that holds ${RUN_FILES.manifest}.`);
  const path = join(dir, RUN_FILES.manifest);
  if (!existsSync(path)) throw new RunFolderError(`${dir} is not a run folder: it has no ${RUN_FILES.manifest}.`);
  const manifest = parseManifest(dir);
  if (manifest.schema === RUN_SCHEMA && isCompleteManifest(manifest)) return renameManifest(dir, manifest as Manifest);
  if (manifest.schema === RUN_SCHEMA)
    throw new RunFolderError(`${path} is incomplete: it does not say what was planned. Start a new run instead.`);
  const { schema } = manifest;
  if (typeof schema === "string" && schema.startsWith("assay.run/"))
    throw new RunFolderError(
      `${path} has the format ${schema}; this version reads up to ${RUN_SCHEMA}. Update Assay to open it.`,
    );
  throw new RunFolderError(`${path} was not written by Assay (no "schema": "${RUN_SCHEMA}").`);
}

function renameManifest(dir: string, manifest: Manifest): Manifest {
  const { title } = readLabels(dir);
  return title === null ? manifest : { ...manifest, config: { ...manifest.config, title } };
}

function isCompleteManifest({ config, systems }: Partial<Omit<Manifest, "schema">>): boolean {
  return Array.isArray(config?.datasets) && typeof systems === "object" && systems !== null;
}

function parseManifest(dir: string): Partial<Omit<Manifest, "schema">> & { schema?: unknown } {
  try {
    const parsed: unknown = JSON.parse(readRunFile(dir, RUN_FILES.manifest));
    return typeof parsed === "object" && parsed !== null ? parsed : {};
  } catch (cause) {
    if (cause instanceof RunFolderError) throw cause;
    throw new RunFolderError(`${join(dir, RUN_FILES.manifest)} cannot be read: ${getErrorMessage(cause)}.`, { cause });
  }
}

/** Reads the rows of a stored run in the order they were written; the last row of a trial counts. */
export function readRows(dir: string): EvalRow[] {
  return readJournal(dir).rows;
}

/** What a stored run spent besides its rows. */
export function readMoney(dir: string): Pick<JournalSpend, "canaryUsd" | "lostUsd" | "unknownUsd"> {
  return readJournal(dir).money;
}

/** The same, with reservations and settlements. */
function readJournal(dir: string): { rows: EvalRow[]; money: JournalSpend } {
  const path = join(dir, RUN_FILES.rows);
  const rows: EvalRow[] = [];
  const money = new JournalSpend();
  for (const { text, number, terminated } of readRunLines(dir, RUN_FILES.rows)) {
    if (!terminated) break;
    try {
      const entry = decodeLine(text);
      if (entry === null) continue;
      if ("kind" in entry) money.add(entry);
      else {
        rows.push(entry);
        money.close(entry);
      }
    } catch (cause) {
      throw new RunFolderError(
        `${path}:${number} is not a row: ${getErrorMessage(cause)}. Remove that line to continue without it.`,
        { cause },
      );
    }
  }
  return { rows, money };
}

/** Removes a last line without a line feed, so that the next append starts a new line. */
function truncateTornLine(dir: string, name: string): string[] {
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
function wrapWriteErrors<T>(dir: string, write: () => T): T {
  try {
    return write();
  } catch (cause) {
    if (cause instanceof RunFolderError || cause instanceof JournalError) throw cause;
    const full = (cause as NodeJS.ErrnoException).code === "ENOSPC";
    const what = full ? "The disk is full" : `Writing failed: ${getErrorMessage(cause)}`;
    throw new JournalError(
      `${what} (${dir}). Recorded trials are safe: free some space, then continue with --resume ${dir}.`,
      { cause },
    );
  }
}
