import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Redis } from "ioredis";
import { messageOf, QueueError } from "../core/errors.js";
import { paidFor } from "../core/price.js";
import type { EvalRow, TrialKey } from "../core/row.js";
import { trialAt } from "../runner/admit.js";
import { storedCost, type UngradedOutput } from "../runner/call.js";
import type { Ledger } from "../runner/ledger.js";
import type { Plan } from "../runner/plan.js";
import type { EncodedTrial } from "../runner/ports.js";
import { decodeRow, encodeKey, encodeOutputAlone, encodeRow, hasLargeText } from "../store/row-codec.js";
import type { Announcement } from "./contract.js";
import type { Dismissals } from "./dismissals.js";
import type { Feeder } from "./feeder.js";
import { KEYS } from "./keys.js";
import { isSharedName, removeShared } from "./output-folder.js";
import { type TrialNews, unpack } from "./parcel.js";
import type { Signer } from "./signer.js";
import { type DecodedOutput, decodeStored } from "./stored-output.js";

export interface InboxOptions {
  redis: Redis;
  announcement: Announcement;
  plan: Plan;
  ledger: Ledger;
  /** By trial: ungraded outputs that earlier starts of the run have stored. */
  outputs: ReadonlyMap<number, UngradedOutput>;
  feeder: Pick<Feeder, "settle" | "fill" | "hold">;
  dismissals: Dismissals;
  onNote: (note: string) => void;
  signer: Signer;
}

/** Batches per read, and how long to wait for the first. */
const PARCELS = 64;
const WAIT_MS = 1000;
/** Unusable results are run again; more than this is no accident and would cost money without end. */
const MOST_UNUSABLE = 20;

/** Passes what workers deliver to the row collector. An entry is removed only after its contents are on disk. */
export class Inbox {
  readonly #options: InboxOptions;
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

  constructor(options: InboxOptions) {
    this.#options = options;
    for (const [index, stored] of options.outputs) this.#ungraded.set(index, describePaid(stored));
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
    const recorded = this.#recorded();
    await redis.set(key, bitmapOf(recorded));
    await this.empty();
    const marks = redis.pipeline();
    for (const index of this.#recorded()) if (!recorded.has(index)) marks.setbit(key, index, 1);
    await marks.exec();
    this.#isOpen = true;
  }

  #recorded(): Set<number> {
    const { plan, ledger } = this.#options;
    const total = plan.systems.length * plan.examples.length * plan.trials;
    const recorded = new Set<number>();
    for (let index = 0; index < total; index++) if (ledger.has(index)) recorded.add(index);
    return recorded;
  }

  /** Handles all pending results. */
  async empty(): Promise<void> {
    const { redis, announcement } = this.#options;
    const key = KEYS.results(announcement.key);
    for (;;) {
      const entries = entriesOf(await redis.xreadBuffer("COUNT", PARCELS, "STREAMS", key, "0"));
      if (entries.length === 0) return;
      await this.#takeAll(entries);
    }
  }

  /** Waits for batches on a separate connection, and handles them. */
  async read(reader: Redis): Promise<void> {
    const { announcement, feeder } = this.#options;
    const key = KEYS.results(announcement.key);
    const entries = entriesOf(await reader.xreadBuffer("COUNT", PARCELS, "BLOCK", WAIT_MS, "STREAMS", key, "0"));
    if (entries.length === 0) return;
    await this.#takeAll(entries);
    await feeder.fill();
  }

  /** Notes for the report. */
  notes(): string[] {
    const own = [...this.#options.dismissals.notes, ...this.#unusable];
    if (this.#repeated === 0) return own;
    const cost = this.#repeatedUsd === 0 ? "" : `; the second run cost another $${this.#repeatedUsd.toFixed(4)}`;
    const trials = this.#repeated === 1 ? "1 trial was" : `${this.#repeated} trials were`;
    return [...own, `${trials} run twice because a worker lost its connection: the first result counts${cost}`];
  }

  async #takeAll(entries: readonly Entry[]): Promise<void> {
    const unreadable = entries.filter((entry) => !this.#open(entry));
    await this.#options.ledger.written();
    await this.#remove(entries, unreadable);
    await this.#options.dismissals.tell();
    // Reported once: the next start of the run finds out for itself.
    if (this.#fault !== null) throw new QueueError(`A worker cannot continue the run: ${this.#fault}`);
    if (this.#unusable.length >= MOST_UNUSABLE)
      throw new QueueError(
        `Too many delivered results are unusable, most recently: ${this.#unusable.at(-1)}. Find out what else writes to the queue, then continue with --resume.`,
      );
  }

  async #remove(entries: readonly Entry[], unreadable: readonly Entry[]): Promise<void> {
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
  #open(entry: Entry): boolean {
    const parcel = this.#read(entry);
    for (const news of parcel?.news ?? []) this.#take(news, parcel?.worker ?? "");
    return parcel !== null;
  }

  #read([id, fields]: Entry): { worker: string; news: readonly ReadNews[] } | null {
    try {
      const { signer, announcement } = this.#options;
      const { worker, news } = unpack(signer.openResults(announcement.key, fields[1] ?? Buffer.alloc(0)));
      return { worker, news: news.map((each) => decoded(each, this.#folder)) };
    } catch (error) {
      this.#cannotUse(
        `a batch of results (${id.toString()}) cannot be read, so its trials are run again: ${messageOf(error)}`,
      );
      return null;
    }
  }

  #take(news: ReadNews, worker: string): void {
    if (news.kind === "fault") this.#fault = news.message;
    if (news.kind === "output") {
      this.#store(news);
      return;
    }
    if (news.kind === "stopped") {
      this.#noteStop(news, worker);
      return;
    }
    if (news.kind === "finished") this.#record(news, worker);
    // A dropped trial is still to be run.
    if (news.kind !== "finished" || this.#options.ledger.has(news.index)) this.#settle(news.index);
  }

  /** Its trial is still open: the worker that has it grades it. */
  #store({ index, stored }: Ungraded): void {
    const { ledger } = this.#options;
    if (stored === null || ledger.has(index)) return;
    const { ungraded, file } = stored;
    const planned = this.#plannedAt(index);
    if (planned === null || encodeKey(planned) !== encodeKey(ungraded)) {
      this.#cannotUse(`an output delivered for trial ${index} is not stored: ${ANOTHER_TRIAL}`);
      return;
    }
    if (!ledger.storeOutput(index, ungraded)) return;
    const paid = describePaid(ungraded, file);
    this.#ungraded.set(index, paid);
    this.spentUsd += paid.costUsd;
  }

  /** Another worker may be able to run it; if none can, the system is stopped. */
  #noteStop({ index, message }: { index: number; message: string }, worker: string): void {
    const { ledger, feeder, plan, dismissals } = this.#options;
    const trial = trialAt(plan, index);
    if (trial === null || ledger.has(index)) return;
    // The problem of an earlier start may have been fixed.
    if (this.#isOpen) dismissals.noteStop(trial.system.name, worker, message);
    feeder.hold(trial.systemIndex, index);
  }

  #settle(index: number): void {
    this.#options.feeder.settle(this.#systemOf(index), index);
  }

  #systemOf(index: number): number {
    const { plan } = this.#options;
    return Math.floor(index / (plan.examples.length * plan.trials));
  }

  #record(news: Finished, worker: string): void {
    const { index, row, lines } = news;
    const why = this.#whyNot(index, row, lines);
    const recorded = this.#options.ledger.rowAt(index);
    if (why !== null) this.#drop(index, why);
    else if (recorded !== undefined) this.#repeat(row, recorded);
    else if (this.#isLate(index, row)) this.#drop(index, null);
    else this.#keep(news, worker);
  }

  #keep({ index, row, lines }: Finished, worker: string): void {
    const { ledger, feeder, dismissals } = this.#options;
    const before = this.#attemptsBefore(index);
    const paid = this.#ungraded.get(index) ?? null;
    this.#ungraded.delete(index);
    this.spentUsd += Math.max(0, paidFor(row) - (paid?.costUsd ?? 0));
    this.done.set(worker, (this.done.get(worker) ?? 0) + 1);
    const whole = before.length === 0 ? row : { ...row, attempts: [...before, ...row.attempts] };
    const left = paid === null ? lines : this.#withoutStored(lines, paid);
    const encoded = { ...this.#found(left), ...(whole === row ? {} : { row: encodeRow(whole) }) };
    ledger.record({ index }, { row: whole, output: null, evidence: null, grades: null }, encoded);
    for (const again of dismissals.count(index, row, worker)) {
      ledger.takeBack(again);
      feeder.hold(this.#systemOf(again), again);
    }
  }

  /** An output that is already in the journal is written again only with evidence or grades. */
  #withoutStored(lines: EncodedTrial, { name }: PaidOutput): EncodedTrial {
    const { row, output, outputFile } = lines;
    if (name !== (outputFile ?? (output === null ? null : digestLine(output)))) return lines;
    if (outputFile !== undefined && this.#folder !== null) removeShared(this.#folder, outputFile);
    return { row, output: null };
  }

  #attemptsBefore(index: number): EvalRow["attempts"] {
    return this.#options.ledger.attemptsOf({ index });
  }

  /** Anyone who can write to Redis can deliver: results that do not belong to the run are neither recorded nor moved. */
  #whyNot(index: number, row: EvalRow, { outputFile }: EncodedTrial): string | null {
    const planned = this.#plannedAt(index);
    if (planned === null || encodeKey(planned) !== encodeKey(row)) return ANOTHER_TRIAL;
    if (outputFile === undefined) return null;
    if (this.#options.announcement.sharedDir === null) return "it names a file, but the run has no shared folder";
    return isSharedName(outputFile)
      ? null
      : `it names the file ${JSON.stringify(outputFile)}, which is not a name that workers use`;
  }

  /** Examples whose trials are all recorded are not kept. */
  #plannedAt(index: number): TrialKey | null {
    const { ledger, plan } = this.#options;
    const recorded = ledger.rowAt(index);
    if (recorded !== undefined) return recorded;
    const found = trialAt(plan, index);
    if (found === null) return null;
    const { system, example, trial } = found;
    return { system: system.name, dataset: example.dataset ?? "", exampleId: example.id, trial };
  }

  #drop(index: number, why: string | null): void {
    if (why !== null) this.#cannotUse(`a result delivered for trial ${index} is not recorded: ${why}`);
    const { ledger, plan } = this.#options;
    if (!ledger.has(index) && trialAt(plan, index) !== null) this.#dropped.push(index);
  }

  #cannotUse(words: string): void {
    this.#unusable.push(words);
    this.#options.onNote(words);
  }

  /**
   * A result whose removal was interrupted at the end of the last start, or that was sent twice: its row is recorded, and
   * the trial is being retried. Failures can be identical, so a second one counts as new.
   */
  #isLate(index: number, row: EvalRow): boolean {
    if (row.outcome !== "error" || !isRecorded(row, this.#attemptsBefore(index))) return false;
    if (this.#failedAlike.has(index)) return false;
    this.#failedAlike.add(index);
    return true;
  }

  /** Large output files are named without their folder, because each machine may mount it elsewhere. */
  #found(lines: EncodedTrial): EncodedTrial {
    if (lines.outputFile === undefined || this.#folder === null) return lines;
    return { ...lines, outputFile: join(this.#folder, lines.outputFile) };
  }

  /** The folder of the run for large outputs. */
  get #folder(): string | null {
    const { sharedDir, key } = this.#options.announcement;
    return sharedDir === null ? null : join(sharedDir, key);
  }

  /** A batch may arrive twice; a trial that ran twice has different times. */
  #repeat(row: EvalRow, recorded: EvalRow): void {
    if (row.durationMs === recorded.durationMs && row.latency === recorded.latency) return;
    this.#repeated += 1;
    this.#repeatedUsd += paidFor(row);
  }
}

type Entry = [id: Buffer, fields: Buffer[]];
type Finished = Extract<TrialNews, { kind: "finished" }> & { row: EvalRow };
/** Null if its file is missing: its row arrives anyway. */
type Ungraded = Extract<TrialNews, { kind: "output" }> & { stored: DecodedOutput | null };
type ReadNews = Exclude<TrialNews, { kind: "finished" | "output" }> | Finished | Ungraded;

const ANOTHER_TRIAL = "the plan has a different trial at this index";

interface PaidOutput {
  costUsd: number;
  /** Identifies the output in a row: its file, or the digest of its line. Null if neither is known. */
  name: string | null;
}

function describePaid(stored: UngradedOutput, file: string | null = null): PaidOutput {
  const { output, call } = stored;
  const costUsd = storedCost(output, call) ?? 0;
  if (file !== null || hasLargeText(output)) return { costUsd, name: file };
  return { costUsd, name: digestLine(encodeOutputAlone(stored, output)) };
}

function digestLine(line: string): string {
  return createHash("sha256").update(line).digest("base64");
}

function decoded(news: TrialNews, folder: string | null): ReadNews {
  if (news.kind === "finished") return { ...news, row: decodeRow(news.lines.row) };
  return news.kind === "output" ? { ...news, stored: decodeStored(news.line, folder) } : news;
}

/** Redis numbers bits from the highest of each byte. */
function bitmapOf(indexes: ReadonlySet<number>): Buffer {
  // Sets keep insertion order, which is ascending here.
  const last = Array.from(indexes).at(-1) ?? 0;
  const bitmap = Buffer.alloc((last >> 3) + 1);
  for (const index of indexes) bitmap[index >> 3] = (bitmap[index >> 3] ?? 0) | (0x80 >> (index & 7));
  return bitmap;
}

function entriesOf(found: unknown): Entry[] {
  return (found as [Buffer, Entry[]][] | null)?.[0]?.[1] ?? [];
}

function isRecorded(row: EvalRow, before: EvalRow["attempts"]): boolean {
  const last = row.attempts.length;
  return last > 0 && JSON.stringify(before.slice(-last)) === JSON.stringify(row.attempts);
}
