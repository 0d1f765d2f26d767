import { type Attempt, computePaidCost, type EvalRow, isScored } from "../core/index.js";
import { type Trial, toTrialKey } from "./admit.js";
import type { ReservationLog } from "./budget-gate.js";
import { type AttemptSuccess, toStoredCall, type UngradedOutput } from "./call.js";
import { getRowIndex, isPlanned, type Plan, type TrialCoordinates } from "./plan.js";
import type { EncodedTrial, FinishedTrial, Progress, RunPorts, TrialReservation } from "./ports.js";
import { TokenCounter, toSkippedRow } from "./record.js";
import { TaskProgress } from "./task-progress.js";
import type { TrialRecorder } from "./trial.js";

/** What earlier starts of the same run have stored. */
export interface EarlierResults {
  /** Finished trials by their index in the result. */
  readonly rows: ReadonlyMap<number, EvalRow>;
  /** Failed attempts of trials that will be retried. */
  readonly attempts: ReadonlyMap<number, readonly Attempt[]>;
  /** Outputs that are stored but not graded. */
  readonly outputs: ReadonlyMap<number, UngradedOutput>;
  /** Total cost, including failed and interrupted trials. */
  readonly spentUsd: number;
  /** The part of the cost that belongs to neither these rows nor the ungraded outputs. */
  readonly besides: UnreportedSpend;
}

/** Spend on trials that have no row in the report. */
export interface UnreportedSpend {
  /** Interrupted trials: their cost, or the amount reserved for them. */
  readonly lostUsd: number;
  readonly lostTrials: number;
  /** Failed trials that are run again. */
  readonly repeatedUsd: number;
  /** Amounts reserved for trials whose cost is unknown. */
  readonly unknownUsd: number;
  /** Canaries. */
  readonly canaryUsd?: number;
}

const NO_UNREPORTED_SPEND: UnreportedSpend = { lostUsd: 0, lostTrials: 0, repeatedUsd: 0, unknownUsd: 0 };

export const NO_EARLIER_RESULTS: EarlierResults = {
  rows: new Map(),
  attempts: new Map(),
  outputs: new Map(),
  spentUsd: 0,
  besides: NO_UNREPORTED_SPEND,
};

type RowCollectorPorts = Pick<RunPorts, "clock" | "tokenizer" | "sink" | "onProgress" | "times" | "stopRule">;

/** How long trials may block the event loop: timers, signals and writes wait meanwhile. */
const TURN_MS = 8;
const NO_ATTEMPTS: readonly Attempt[] = Object.freeze([]);

/** Collects the rows of a run: keeps them in the plan's order, writes them to the sink and counts progress. */
export class RowCollector implements TrialRecorder, ReservationLog {
  readonly tokens: TokenCounter;
  readonly threshold: number;
  /** Null if the run does not stop before its last task. */
  readonly tasks: TaskProgress | null;
  /** Cost of discarded rows. */
  repeatedUsd = 0;
  readonly #plan: Plan;
  readonly #ports: RowCollectorPorts;
  readonly #earlier: EarlierResults;
  /** Attempts of discarded rows. */
  readonly #takenBack = new Map<number, readonly Attempt[]>();
  readonly #rows: (EvalRow | undefined)[];
  readonly #progress: Progress;
  readonly #start: number;
  /**
   * Outputs since the last write. A list, because the old copies of a growing and shrinking Map keep outputs alive until
   * V8's next full collection.
   */
  #ungraded: { trial: Trial; returned: AttemptSuccess }[] = [];
  /** Unfinished trials whose outputs are in the journal. */
  readonly #stored: Set<number>;
  /** Reservations of unfinished trials, as written to the journal. */
  readonly #reserved = new Map<number, TrialReservation>();
  #nextWrite: Promise<void> | null = null;
  /** When the event loop last ran. */
  #lastTurn: number;
  readonly #turns: NodeJS.Timeout;
  #failure: { error: unknown } | null = null;
  #closed = false;

  constructor(plan: Plan, ports: RowCollectorPorts, earlier: EarlierResults) {
    this.threshold = plan.threshold;
    this.#plan = plan;
    this.#ports = ports;
    this.#earlier = earlier;
    this.#stored = new Set(earlier.outputs.keys());
    this.tokens = new TokenCounter(ports.tokenizer, plan.examples.length);
    this.#rows = new Array<EvalRow | undefined>(plan.systems.length * plan.examples.length * plan.trials);
    this.#start = ports.clock();
    this.#lastTurn = this.#start;
    this.#turns = setInterval(() => this.#noteTurn(), TURN_MS / 2).unref();
    const { stopRule } = ports;
    this.tasks = stopRule === undefined ? null : new TaskProgress(plan, stopRule, (index) => this.#rows[index]);
    const total = plan.total;
    const none = { done: 0, resumed: 0, passed: 0, scored: 0, errors: 0, costUsd: null, elapsedMs: 0 };
    this.#progress = { ...none, waiting: null, warning: null, total };
    for (const [index, row] of earlier.rows) this.#add(index, row);
    this.#progress.resumed = this.#progress.done;
  }

  getRow(index: number): EvalRow | undefined {
    return this.#rows[index];
  }

  has(index: number): boolean {
    return this.#rows[index] !== undefined;
  }

  /** True if the trial at this place is finished. */
  hasRowAt({ systemIndex, exampleIndex, trial }: TrialCoordinates): boolean {
    return this.has(getRowIndex(this.#plan, systemIndex, exampleIndex, trial));
  }

  /** True if a row of the system meets a condition. */
  hasRowOf(systemIndex: number, fits: (row: EvalRow) => boolean): boolean {
    const from = getRowIndex(this.#plan, systemIndex, 0, 0);
    const to = getRowIndex(this.#plan, systemIndex + 1, 0, 0);
    return this.#rows.slice(from, to).some((row) => row !== undefined && fits(row));
  }

  /** Failed attempts of earlier starts of the run, and of discarded rows. */
  getAttempts({ index }: Pick<Trial, "index">): readonly Attempt[] {
    return this.#takenBack.get(index) ?? this.#earlier.attempts.get(index) ?? NO_ATTEMPTS;
  }

  /** Discards the row of a failed trial so that it runs again. The row stays in the journal, where the last one counts. */
  discardRow(index: number): void {
    const row = this.#rows[index];
    if (row === undefined || this.#closed) return;
    this.#rows[index] = undefined;
    this.#takenBack.set(index, row.attempts);
    this.repeatedUsd += computePaidCost(row);
    this.tasks?.discard(index);
    this.#progress.done -= 1;
    if (row.outcome === "error") this.#progress.errors -= 1;
  }

  getStoredOutput({ index }: Trial): UngradedOutput | null {
    return this.#earlier.outputs.get(index) ?? null;
  }

  isStored({ index }: Pick<Trial, "index">): boolean {
    return this.#stored.has(index);
  }

  /** Stores an output that is graded elsewhere. Returns false if it is not needed. */
  storeOutput(index: number, ungraded: UngradedOutput): boolean {
    if (this.#closed || this.has(index) || this.#stored.has(index)) return false;
    if (this.#ports.sink?.appendOutput?.(ungraded) !== true) return false;
    this.#stored.add(index);
    this.#writeSoon();
    return true;
  }

  /** Written before the trial starts, so that a kill cannot lose a trial that may have been paid for. */
  async reserve(trial: Trial, reservation: TrialReservation): Promise<void> {
    const { reservedUsd, judgeUsd } = reservation;
    const { sink } = this.#ports;
    if (sink?.appendMoney === undefined || this.#closed || reservedUsd === 0) return;
    this.#reserved.set(trial.index, reservation);
    sink.appendMoney({ ...toTrialKey(trial), kind: "reserve", usd: reservedUsd, ...(judgeUsd > 0 && { judgeUsd }) });
    this.#writeSoon();
    await this.waitForWrite();
  }

  settle(trial: Trial, usd: number, why: "lost" | "unknown" | "unused"): void {
    if (!this.#reserved.delete(trial.index) || this.#closed) return;
    this.#ports.sink?.appendMoney?.({ ...toTrialKey(trial), kind: "settle", usd, why });
    this.#writeSoon();
  }

  /** Written even without a budget: the run may be resumed with one. */
  recordCanary(trial: Trial, usd: number): void {
    const wasReserved = this.#reserved.delete(trial.index);
    if ((usd === 0 && !wasReserved) || this.#closed) return;
    this.#ports.sink?.appendMoney?.({ ...toTrialKey(trial), kind: "settle", usd, why: "canary" });
    this.#writeSoon();
  }

  release(trial: Trial): void {
    const { index } = trial;
    const isJudgingLost = this.#hasUngradedOutput(index) && !this.keepsCall(trial, "judge");
    const judgeUsd = isJudgingLost ? (this.#reserved.get(index)?.judgeUsd ?? 0) : 0;
    this.settle(trial, judgeUsd, judgeUsd > 0 ? "lost" : "unused");
  }

  keepsCall(trial: Trial, by: "system" | "judge"): boolean {
    return this.#ports.sink?.keepsCall?.(toTrialKey(trial), by) ?? false;
  }

  /** False for running trials, and for interrupted ones, which continue on resume. */
  #isGraded(index: number): boolean {
    const row = this.#rows[index];
    return row !== undefined && row.outcome !== "skipped";
  }

  #hasUngradedOutput(index: number): boolean {
    return this.#stored.has(index) || this.#ungraded.some(({ trial }) => trial.index === index);
  }

  /** An output graded within the same event-loop turn is written once, with its row. */
  saveOutput(trial: Trial, returned: AttemptSuccess): boolean {
    const { sink } = this.#ports;
    // Cached and recorded outputs are stored elsewhere.
    if (sink?.appendOutput === undefined || this.#closed || returned.call.isFromCache) return false;
    this.#ungraded.push({ trial, returned });
    this.#writeSoon();
    return true;
  }

  /** Records a finished trial. Trials recorded in one event-loop turn are written together. */
  record(trial: Pick<Trial, "index">, finished: FinishedTrial, encoded?: EncodedTrial): void {
    this.#throwFailure();
    // After close() the run has been reported: late trials run again on resume. A trial that was given up has its row already.
    if (this.#closed || this.has(trial.index)) return;
    this.#add(trial.index, finished.row);
    this.#reserved.delete(trial.index);
    this.#ports.times?.end(finished.row.system);
    this.#ports.sink?.append(this.#omitStoredOutput(trial.index, finished), encoded);
    this.#writeSoon();
  }

  /** An output that is already in the journal is written again only with evidence or grades. */
  #omitStoredOutput(index: number, finished: FinishedTrial): FinishedTrial {
    // Interrupted trials continue on resume.
    if (finished.row.outcome === "skipped") return finished;
    const isStored = this.#stored.delete(index);
    const hasMore = finished.evidence !== null || finished.grades !== null;
    return isStored && !hasMore ? { ...finished, output: null } : finished;
  }

  #writeSoon(): void {
    if (this.#nextWrite !== null) return;
    this.#nextWrite = new Promise((resolve) => {
      setImmediate(() => {
        this.#write();
        resolve();
      });
    });
  }

  /** Resolves when everything recorded so far is written. */
  async waitForWrite(): Promise<void> {
    await this.#nextWrite;
    this.#throwFailure();
  }

  /** Waits for the next write if trials that never wait have blocked the event loop for too long. */
  async yieldIfBusy(): Promise<void> {
    if (this.#ports.clock() - this.#lastTurn > TURN_MS) await this.waitForWrite();
    else this.#throwFailure();
  }

  #noteTurn(): void {
    this.#lastTurn = this.#ports.clock();
  }

  /** Returns the rows of all planned trials; trials that never ran are skipped rows, unless they are no longer needed. */
  close(): EvalRow[] {
    this.#write();
    this.#throwFailure();
    this.#stop();
    const { systems, examples, trials } = this.#plan;
    if (this.#progress.done === this.#plan.total) return this.#listRows();
    for (const [systemIndex, system] of systems.entries()) {
      if (this.tasks?.isNeeded(systemIndex) === false) continue;
      for (const [exampleIndex, example] of examples.entries()) {
        const datasetPlan = this.#plan.datasetPlans[this.#plan.datasetIndexes[exampleIndex] ?? 0];
        if (datasetPlan === undefined) continue;
        for (let trial = 0; trial < trials; trial++) {
          if (!isPlanned(this.#plan, { systemIndex, exampleIndex, trial })) continue;
          const index = getRowIndex(this.#plan, systemIndex, exampleIndex, trial);
          this.#rows[index] ??= toSkippedRow({ system, systemIndex, example, exampleIndex, trial, datasetPlan });
        }
      }
    }
    return this.#listRows();
  }

  /** The rows without gaps for unplanned trials. */
  #listRows(): EvalRow[] {
    const isFull = this.#rows.length === this.#plan.total && this.tasks === null;
    return isFull ? (this.#rows as EvalRow[]) : this.#rows.filter((row) => row !== undefined);
  }

  /** After a failed run: writes what was recorded and ignores trials that are still running. */
  abandon(): void {
    if (this.#failure === null) this.#write();
    this.#stop();
  }

  #stop(): void {
    this.#closed = true;
    clearInterval(this.#turns);
  }

  #write(): void {
    if (this.#nextWrite === null || this.#closed) return;
    this.#nextWrite = null;
    try {
      this.#storeUngraded();
      this.#ports.sink?.flush();
    } catch (error) {
      this.#failure = { error };
    }
    this.#noteTurn();
    this.reportProgress(null);
  }

  #storeUngraded(): void {
    const ungraded = this.#ungraded.filter(({ trial }) => !this.#isGraded(trial.index));
    this.#ungraded = [];
    for (const { trial, returned } of ungraded) {
      const entry = { ...toTrialKey(trial), output: returned.output, call: toStoredCall(returned) };
      if (this.#ports.sink?.appendOutput?.(entry) === true) this.#stored.add(trial.index);
    }
  }

  /** Reports progress, and why trials are waiting. */
  reportProgress(waiting: string | null): void {
    if (this.#closed) return;
    this.#progress.elapsedMs = this.#ports.clock() - this.#start;
    this.#ports.onProgress?.({ ...this.#progress, waiting });
  }

  /** Reports which trial is close to its budget; null if none is. */
  warn(warning: string | null): void {
    this.#progress.warning = warning;
    this.reportProgress(null);
  }

  /** Writes fail asynchronously, so the next caller gets the error. */
  #throwFailure(): void {
    if (this.#failure !== null) throw this.#failure.error;
  }

  #add(index: number, row: EvalRow): void {
    this.#rows[index] = row;
    this.#count(row);
    this.#followTasks(index, row);
  }

  /** A rule that throws ends the run: it is not the trial that failed. */
  #followTasks(index: number, row: EvalRow): void {
    try {
      this.tasks?.record(index, row);
    } catch (error) {
      this.#failure = { error };
      this.tasks?.halt();
    }
  }

  #count(row: EvalRow): void {
    const progress = this.#progress;
    progress.done += 1;
    if (isScored(row)) progress.scored += 1;
    if (row.passed === true) progress.passed += 1;
    if (row.outcome === "error") progress.errors += 1;
    if (row.costUsd !== null) progress.costUsd = (progress.costUsd ?? 0) + row.costUsd;
    if (row.judgeCostUsd !== null) progress.costUsd = (progress.costUsd ?? 0) + row.judgeCostUsd;
    if (row.userCostUsd !== null) progress.costUsd = (progress.costUsd ?? 0) + row.userCostUsd;
  }
}
