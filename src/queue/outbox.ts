import { type Attempt, findMissingChanges } from "../core/index.js";
import type { EncodedTrial, FinishedTrial, TokenCounter, Trial, TrialRecorder } from "../runner/index.js";
import { type AttemptSuccess, readNotRun, toStoredCall, type UngradedOutput } from "../runner/index.js";
import { encodeTrial, LARGE_OUTPUT_CHARS } from "../store/index.js";
import type { CostSettlement } from "./redis-budget.js";
import { encodeBatch, type TrialUpdate } from "./result-batch.js";
import { encodeStoredOutput, writeSharedFile } from "./stored-output.js";

/** What is sent to Redis atomically. */
export interface OutgoingBatch {
  data: Buffer;
  trials: readonly number[];
  settlements: readonly CostSettlement[];
  /** Outputs of trials that are being graded, for a worker that takes one over. */
  outputs: readonly OutputUpdate[];
}

type OutputUpdate = Extract<TrialUpdate, { kind: "output" }>;

export interface ResultOutboxOptions {
  worker: string;
  tokens: TokenCounter;
  /** The settlement to send with the result of a trial. */
  take: (index: number) => CostSettlement | null;
  /** The settlement of a trial's system to send with its output. */
  payFor: (index: number, returned: AttemptSuccess) => CostSettlement | null;
  /** Rejects when nothing can be sent any more. */
  send: (batch: OutgoingBatch) => Promise<void>;
  /** Called before a trial is reported as not run: no further trial of its system is taken. */
  onStopped: (index: number) => void;
  /** Folder for large outputs; null if they are sent. */
  sharedDir: string | null;
}

const NO_ATTEMPTS: readonly Attempt[] = Object.freeze([]);

/**
 * Sends the finished trials of a worker: those recorded in one event-loop turn, or while a batch is being sent, go
 * together in the next batch. The coordinator adds earlier attempts.
 */
export class ResultOutbox implements TrialRecorder {
  readonly tokens: TokenCounter;
  /** Trials delivered so far. */
  delivered = 0;
  warning: string | null = null;
  readonly #options: ResultOutboxOptions;
  #waiting: TrialUpdate[] = [];
  /** Outputs since the last batch. */
  #ungraded: { trial: Trial; returned: AttemptSuccess }[] = [];
  /** Outputs of trials that were taken over and are only graded. */
  readonly #stored = new Map<number, UngradedOutput>();
  /** Settlements of trials whose batch could not be sent. */
  #unsettled: readonly CostSettlement[] = [];
  /** The last delivery, which follows all others. */
  #last: Promise<void> = Promise.resolve();
  /** True if a delivery for the waiting updates is scheduled. */
  #isScheduled = false;

  constructor(options: ResultOutboxOptions) {
    this.#options = options;
    this.tokens = options.tokens;
  }

  getAttempts(): readonly Attempt[] {
    return NO_ATTEMPTS;
  }

  /** Adds an output that another worker, or an earlier start of the run, has stored: it is only graded. */
  restore(index: number, ungraded: UngradedOutput): void {
    this.#stored.set(index, ungraded);
  }

  /** Call when this worker is done with a trial. */
  forget(index: number): void {
    this.#stored.delete(index);
  }

  isStored({ index }: Pick<Trial, "index">): boolean {
    return this.#stored.has(index);
  }

  getStoredOutput({ index }: Trial): UngradedOutput | null {
    return this.#stored.get(index) ?? null;
  }

  /** Sent unless it is graded before the next batch. Cached outputs, and outputs that only this worker can grade, are not sent. */
  saveOutput(trial: Trial, returned: AttemptSuccess): boolean {
    if (returned.call.isFromCache || findMissingChanges(returned.output) !== undefined) return false;
    this.#ungraded.push({ trial, returned });
    this.#sendSoon();
    return true;
  }

  /** Its settlement goes with the next batch. */
  release(): void {}

  /** Workers send no batches. */
  keepsCall(): boolean {
    return false;
  }

  record({ index }: Trial, finished: FinishedTrial): void {
    const whyNotRun = readNotRun(finished.row);
    if (whyNotRun !== null) this.#reportStopped(index, whyNotRun);
    // It was returned to the queue or dropped: it is not finished.
    if (finished.row.outcome === "skipped") return;
    const lines = this.#moveLargeOutput(encodeTrial(finished));
    this.#add({ kind: "finished", index, lines });
  }

  /** Reports that the budget of the run does not cover a trial. */
  reportRefused(index: number): void {
    this.#add({ kind: "refused", index });
  }

  /** Reports that no worker could continue the run. */
  reportFault(index: number, message: string): void {
    this.#add({ kind: "fault", index, message });
  }

  waitForDelivery(): Promise<void> {
    return this.#last;
  }

  warn(warning: string | null): void {
    this.warning = warning;
  }

  #reportStopped(index: number, message: string): void {
    this.#options.onStopped(index);
    this.#add({ kind: "stopped", index, message });
  }

  #add(news: TrialUpdate): void {
    this.#waiting.push(news);
    this.#sendSoon();
  }

  #sendSoon(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#last = this.#deliverAfter(this.#last);
    // Callers that wait get the error; others need not handle it.
    this.#last.catch(() => {});
  }

  async #deliverAfter(earlier: Promise<void>): Promise<void> {
    // Updates that an earlier delivery could not send go with this one.
    await Promise.allSettled([earlier, new Promise((resolve) => setImmediate(resolve))]);
    this.#isScheduled = false;
    await this.#sendBatch();
  }

  async #sendBatch(): Promise<void> {
    const trials = this.#waiting.flatMap(({ kind, index }) => (kind === "finished" ? index : []));
    const paid = this.#takeUngraded(new Set(trials));
    const news = this.#waiting.filter(({ kind, index }) => kind !== "output" || !trials.includes(index));
    this.#waiting = [];
    if (news.length === 0) return;
    const settled = news.filter(({ kind }) => kind === "finished" || kind === "stopped");
    const over = settled.flatMap(({ index }) => this.#options.take(index) ?? []);
    const settlements = [...this.#unsettled, ...paid, ...over];
    this.#unsettled = [];
    try {
      const data = await encodeBatch({ worker: this.#options.worker, news });
      const outputs = news.filter((each) => each.kind === "output");
      await this.#options.send({ data, trials, settlements, outputs });
    } catch (error) {
      this.#waiting = [...news, ...this.#waiting];
      this.#unsettled = settlements;
      throw error;
    }
    this.delivered += trials.length;
  }

  /** Queues ungraded outputs to be sent, and returns the settlements of their systems. */
  #takeUngraded(graded: ReadonlySet<number>): CostSettlement[] {
    const { payFor, take, sharedDir } = this.#options;
    const ungraded = this.#ungraded.filter(({ trial }) => !graded.has(trial.index));
    this.#ungraded = [];
    return ungraded.flatMap(({ trial, returned }) => {
      const { index, system, example } = trial;
      const key = { system: system.name, dataset: example.dataset ?? "", exampleId: example.id, trial: trial.trial };
      const line = encodeStoredOutput({ ...key, output: returned.output, call: toStoredCall(returned) }, sharedDir);
      if (line === null) return [];
      this.#waiting.push({ kind: "output", index, line });
      // An interrupted trial has no reservation any more.
      return payFor(index, returned) ?? take(index) ?? [];
    });
  }

  #moveLargeOutput(lines: EncodedTrial): EncodedTrial {
    const { sharedDir } = this.#options;
    if (sharedDir === null || lines.output === null || lines.output.length <= LARGE_OUTPUT_CHARS) return lines;
    try {
      return { ...lines, output: null, outputFile: writeSharedFile(sharedDir, [lines.output]) };
    } catch {
      return lines;
    }
  }
}
