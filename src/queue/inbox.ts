import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Redis } from "ioredis";
import type { EvalRow, TrialKey } from "../core/index.js";
import { computePaidCost, getErrorMessage, QueueError } from "../core/index.js";
import type { EncodedTrial, Plan, RowCollector } from "../runner/index.js";
import { computeStoredCost, findTrial, type UngradedOutput } from "../runner/index.js";
import { decodeRow, encodeKey, encodeOutputAlone, encodeRow, hasLargeText } from "../store/index.js";
import type { Announcement } from "./contract.js";
import type { Dispatcher } from "./dispatcher.js";
import { KEYS } from "./keys.js";
import { decodeBatch, type TrialUpdate } from "./result-batch.js";
import type { QueueSigner } from "./signer.js";
import { type DecodedStoredOutput, decodeStoredOutput, isSharedFileName, removeSharedFile } from "./stored-output.js";
import type { WorkerDismissals } from "./worker-dismissals.js";

export interface ResultInboxOptions {
  redis: Redis;
  announcement: Announcement;
  plan: Plan;
  collector: RowCollector;
  /** By trial: ungraded outputs that earlier starts of the run have stored. */
  outputs: ReadonlyMap<number, UngradedOutput>;
  dispatcher: Pick<Dispatcher, "settle" | "fill" | "hold">;
  dismissals: WorkerDismissals;
  onNote: (note: string) => void;
  signer: QueueSigner;
}

/** Batches per read, and how long to wait for the first. */
const MAX_BATCHES_PER_READ = 64;
const READ_TIMEOUT_MS = 1000;
/** Unusable results are run again; more than this is no accident and would cost money without end. */
const MAX_UNUSABLE = 20;

/** Passes what workers deliver to the row collector. An entry is removed only after its contents are on disk. */
export class ResultInbox {
  readonly #options: ResultInboxOptions;
  /** Cost of what was recorded here. */
  spentUsd = 0;
  /** By worker: its recorded trials. */
  readonly done = new Map<string, number>();
  #fault: string | null = null;
  #isOpen = false;
  #repeated = 0;
  #repeatedUsd = 0;
  /** Outputs that are being graded. */
  readonly #ungraded = new Map<number, PaidOutput>();
  /** Notes about results that could not be used. */
  readonly #unusable: string[] = [];
  /** Trials whose rows were dropped and that must still be run. */
  #dropped: number[] = [];
  /** Trials whose identical failure was already delivered again since the start. */
  readonly #failedAlike = new Set<number>();

  constructor(options: ResultInboxOptions) {
    this.#options = options;
    for (const [index, stored] of options.outputs) this.#ungraded.set(index, toPaidOutput(stored));
  }

  /** Cost of outputs that are stored but not graded. */
  get ungradedUsd(): number {
    return Array.from(this.#ungraded.values()).reduce((total, { costUsd }) => total + costUsd, 0);
  }

  /**
   * Handles pending results. From then on exactly the recorded and delivered trials are marked as delivered: jobs of an
   * earlier start may still be queued, for finished trials and for trials that run again.
   */
  async open(): Promise<void> {
    const { redis, announcement } = this.#options;
    const key = KEYS.delivered(announcement.key);
    const recorded = this.#listRecorded();
    await redis.set(key, buildBitmap(recorded));
    await this.drain();
    const marks = redis.pipeline();
    for (const index of this.#listRecorded()) if (!recorded.has(index)) marks.setbit(key, index, 1);
    await marks.exec();
    this.#isOpen = true;
  }

  #listRecorded(): Set<number> {
    const { plan, collector } = this.#options;
    const total = plan.systems.length * plan.examples.length * plan.trials;
    const recorded = new Set<number>();
    for (let index = 0; index < total; index++) if (collector.has(index)) recorded.add(index);
    return recorded;
  }

  /** Handles all pending results. */
  async drain(): Promise<void> {
    const { redis, announcement } = this.#options;
    const key = KEYS.results(announcement.key);
    for (;;) {
      const entries = parseEntries(await redis.xreadBuffer("COUNT", MAX_BATCHES_PER_READ, "STREAMS", key, "0"));
      if (entries.length === 0) return;
      await this.#handleEntries(entries);
    }
  }

  /** Waits for batches on a separate connection, and handles them. */
  async read(reader: Redis): Promise<void> {
    const { announcement, dispatcher } = this.#options;
    const key = KEYS.results(announcement.key);
    const entries = parseEntries(
      await reader.xreadBuffer("COUNT", MAX_BATCHES_PER_READ, "BLOCK", READ_TIMEOUT_MS, "STREAMS", key, "0"),
    );
    if (entries.length === 0) return;
    await this.#handleEntries(entries);
    await dispatcher.fill();
  }

  /** Notes for the report. */
  listNotes(): string[] {
    const own = [...this.#options.dismissals.notes, ...this.#unusable];
    if (this.#repeated === 0) return own;
    const cost = this.#repeatedUsd === 0 ? "" : `; the second run cost another $${this.#repeatedUsd.toFixed(4)}`;
    const trials = this.#repeated === 1 ? "1 trial was" : `${this.#repeated} trials were`;
    return [...own, `${trials} run twice because a worker was unreachable: the first result counts${cost}`];
  }

  async #handleEntries(entries: readonly StreamEntry[]): Promise<void> {
    const unreadable = entries.filter((entry) => !this.#handleEntry(entry));
    await this.#options.collector.waitForWrite();
    await this.#remove(entries, unreadable);
    await this.#options.dismissals.markDismissed();
    // Reported once: the next start of the run finds out for itself.
    if (this.#fault !== null) throw new QueueError(`A worker cannot continue the run: ${this.#fault}`);
    if (this.#unusable.length >= MAX_UNUSABLE)
      throw new QueueError(
        `Too many delivered results are unusable, most recently: ${this.#unusable.at(-1)}. Find out what else writes to the queue, then continue with --resume.`,
      );
  }

  async #remove(entries: readonly StreamEntry[], unreadable: readonly StreamEntry[]): Promise<void> {
    const { redis, announcement } = this.#options;
    const { key } = announcement;
    const removal = redis.multi();
    for (const [, fields] of unreadable) removal.xadd(KEYS.unreadable(key), "MAXLEN", "~", 100, "*", ...fields);
    // They are marked as delivered, so no worker would run them again.
    for (const index of this.#dropped) removal.setbit(KEYS.delivered(key), index, 0);
    await removal.xdel(KEYS.results(key), ...entries.map(([id]) => id)).exec();
    this.#dropped = [];
  }

  /** Returns false if an entry cannot be read: its trials are found missing and dispatched again. */
  #handleEntry(entry: StreamEntry): boolean {
    const batch = this.#readEntry(entry);
    for (const news of batch?.news ?? []) this.#handleUpdate(news, batch?.worker ?? "");
    return batch !== null;
  }

  #readEntry([id, fields]: StreamEntry): { worker: string; news: readonly DecodedUpdate[] } | null {
    try {
      const { signer, announcement } = this.#options;
      const { worker, news } = decodeBatch(signer.openResults(announcement.key, fields[1] ?? Buffer.alloc(0)));
      return { worker, news: news.map((each) => decodeUpdate(each, this.#folder)) };
    } catch (error) {
      this.#reportUnusable(
        `a batch of results (${id.toString()}) cannot be read, so its trials are run again: ${getErrorMessage(error)}`,
      );
      return null;
    }
  }

  #handleUpdate(news: DecodedUpdate, worker: string): void {
    if (news.kind === "fault") this.#fault = news.message;
    if (news.kind === "output") {
      this.#storeOutput(news);
      return;
    }
    if (news.kind === "stopped") {
      this.#handleStop(news, worker);
      return;
    }
    if (news.kind === "finished") this.#record(news, worker);
    // A dropped trial is still to be run.
    if (news.kind !== "finished" || this.#options.collector.has(news.index)) this.#settle(news.index);
  }

  /** Its trial is still open: the worker that has it grades it. */
  #storeOutput({ index, stored }: UngradedUpdate): void {
    const { collector } = this.#options;
    if (stored === null || collector.has(index)) return;
    const { ungraded, file } = stored;
    const planned = this.#getPlannedKey(index);
    if (planned === null || encodeKey(planned) !== encodeKey(ungraded)) {
      this.#reportUnusable(`an output delivered for trial ${index} is not stored: ${WRONG_TRIAL}`);
      return;
    }
    if (!collector.storeOutput(index, ungraded)) return;
    const paid = toPaidOutput(ungraded, file);
    this.#ungraded.set(index, paid);
    this.spentUsd += paid.costUsd;
  }

  /** Another worker may be able to run it; if none can, the system is stopped. */
  #handleStop({ index, message }: { index: number; message: string }, worker: string): void {
    const { collector, dispatcher, plan, dismissals } = this.#options;
    const trial = findTrial(plan, index);
    if (trial === null || collector.has(index)) return;
    // The problem of an earlier start may have been fixed.
    if (this.#isOpen) dismissals.recordStop(trial.system.name, worker, message);
    dispatcher.hold(trial.systemIndex, index);
  }

  #settle(index: number): void {
    this.#options.dispatcher.settle(this.#getSystemIndex(index), index);
  }

  #getSystemIndex(index: number): number {
    const { plan } = this.#options;
    return Math.floor(index / (plan.examples.length * plan.trials));
  }

  #record(news: FinishedUpdate, worker: string): void {
    const { index, row, lines } = news;
    const why = this.#findProblem(index, row, lines);
    const recorded = this.#options.collector.getRow(index);
    if (why !== null) this.#drop(index, why);
    else if (recorded !== undefined) this.#countRepeat(row, recorded);
    else if (this.#isLate(index, row)) this.#drop(index, null);
    else this.#recordFirst(news, worker);
  }

  #recordFirst({ index, row, lines }: FinishedUpdate, worker: string): void {
    const { collector, dispatcher, dismissals } = this.#options;
    const before = this.#getEarlierAttempts(index);
    const paid = this.#ungraded.get(index) ?? null;
    this.#ungraded.delete(index);
    this.spentUsd += Math.max(0, computePaidCost(row) - (paid?.costUsd ?? 0));
    this.done.set(worker, (this.done.get(worker) ?? 0) + 1);
    const whole = before.length === 0 ? row : { ...row, attempts: [...before, ...row.attempts] };
    const left = paid === null ? lines : this.#omitStoredOutput(lines, paid);
    const encoded = { ...this.#resolveOutputFile(left), ...(whole === row ? {} : { row: encodeRow(whole) }) };
    collector.record({ index }, { row: whole, output: null, evidence: null, grades: null }, encoded);
    for (const again of dismissals.count(index, row, worker)) {
      collector.discardRow(again);
      dispatcher.hold(this.#getSystemIndex(again), again);
    }
  }

  /** An output that is already in the journal is written again only with evidence or grades. */
  #omitStoredOutput(lines: EncodedTrial, { name }: PaidOutput): EncodedTrial {
    const { row, output, outputFile } = lines;
    if (name !== (outputFile ?? (output === null ? null : digestLine(output)))) return lines;
    if (outputFile !== undefined && this.#folder !== null) removeSharedFile(this.#folder, outputFile);
    return { row, output: null };
  }

  #getEarlierAttempts(index: number): EvalRow["attempts"] {
    return this.#options.collector.getAttempts({ index });
  }

  /** Anyone who can write to Redis can deliver: results that do not belong to the run are neither recorded nor moved. */
  #findProblem(index: number, row: EvalRow, { outputFile }: EncodedTrial): string | null {
    const planned = this.#getPlannedKey(index);
    if (planned === null || encodeKey(planned) !== encodeKey(row)) return WRONG_TRIAL;
    if (outputFile === undefined) return null;
    if (this.#options.announcement.sharedDir === null) return "it names a file, but the run has no shared folder";
    return isSharedFileName(outputFile)
      ? null
      : `it names the file ${JSON.stringify(outputFile)}, which is not a name that workers use`;
  }

  /** Examples whose trials are all recorded are not kept. */
  #getPlannedKey(index: number): TrialKey | null {
    const { collector, plan } = this.#options;
    const recorded = collector.getRow(index);
    if (recorded !== undefined) return recorded;
    const found = findTrial(plan, index);
    if (found === null) return null;
    const { system, example, trial } = found;
    return { system: system.name, dataset: example.dataset ?? "", exampleId: example.id, trial };
  }

  #drop(index: number, why: string | null): void {
    if (why !== null) this.#reportUnusable(`a result delivered for trial ${index} is not recorded: ${why}`);
    const { collector, plan } = this.#options;
    if (!collector.has(index) && findTrial(plan, index) !== null) this.#dropped.push(index);
  }

  #reportUnusable(words: string): void {
    this.#unusable.push(words);
    this.#options.onNote(words);
  }

  /**
   * A result whose removal was interrupted at the end of the last start, or that was sent twice: its row is recorded, and
   * the trial is being retried. Failures can be identical, so a second one counts as new.
   */
  #isLate(index: number, row: EvalRow): boolean {
    if (row.outcome !== "error" || !isAlreadyRecorded(row, this.#getEarlierAttempts(index))) return false;
    if (this.#failedAlike.has(index)) return false;
    this.#failedAlike.add(index);
    return true;
  }

  /** Large output files are named without their folder, because each machine may mount it elsewhere. */
  #resolveOutputFile(lines: EncodedTrial): EncodedTrial {
    if (lines.outputFile === undefined || this.#folder === null) return lines;
    return { ...lines, outputFile: join(this.#folder, lines.outputFile) };
  }

  /** The folder of the run for large outputs. */
  get #folder(): string | null {
    const { sharedDir, key } = this.#options.announcement;
    return sharedDir === null ? null : join(sharedDir, key);
  }

  /** A batch may arrive twice; a trial that ran twice has different times. */
  #countRepeat(row: EvalRow, recorded: EvalRow): void {
    if (row.durationMs === recorded.durationMs && row.latency === recorded.latency) return;
    this.#repeated += 1;
    this.#repeatedUsd += computePaidCost(row);
  }
}

type StreamEntry = [id: Buffer, fields: Buffer[]];
type FinishedUpdate = Extract<TrialUpdate, { kind: "finished" }> & { row: EvalRow };
/** Null if its file is missing: its row arrives anyway. */
type UngradedUpdate = Extract<TrialUpdate, { kind: "output" }> & { stored: DecodedStoredOutput | null };
type DecodedUpdate = Exclude<TrialUpdate, { kind: "finished" | "output" }> | FinishedUpdate | UngradedUpdate;

const WRONG_TRIAL = "the plan has a different trial at this index";

interface PaidOutput {
  costUsd: number;
  /** Identifies the output in a row: its file, or the digest of its line. Null if neither is known. */
  name: string | null;
}

function toPaidOutput(stored: UngradedOutput, file: string | null = null): PaidOutput {
  const { output, call } = stored;
  const costUsd = computeStoredCost(output, call) ?? 0;
  if (file !== null || hasLargeText(output)) return { costUsd, name: file };
  return { costUsd, name: digestLine(encodeOutputAlone(stored, output)) };
}

function digestLine(line: string): string {
  return createHash("sha256").update(line).digest("base64");
}

function decodeUpdate(news: TrialUpdate, folder: string | null): DecodedUpdate {
  if (news.kind === "finished") return { ...news, row: decodeRow(news.lines.row) };
  return news.kind === "output" ? { ...news, stored: decodeStoredOutput(news.line, folder) } : news;
}

/** Redis numbers bits from the highest of each byte. */
function buildBitmap(indexes: ReadonlySet<number>): Buffer {
  // Sets keep insertion order, which is ascending here.
  const last = Array.from(indexes).at(-1) ?? 0;
  const bitmap = Buffer.alloc((last >> 3) + 1);
  for (const index of indexes) bitmap[index >> 3] = (bitmap[index >> 3] ?? 0) | (0x80 >> (index & 7));
  return bitmap;
}

function parseEntries(found: unknown): StreamEntry[] {
  return (found as [Buffer, StreamEntry[]][] | null)?.[0]?.[1] ?? [];
}

function isAlreadyRecorded(row: EvalRow, before: EvalRow["attempts"]): boolean {
  const last = row.attempts.length;
  return last > 0 && JSON.stringify(before.slice(-last)) === JSON.stringify(row.attempts);
}
