import { paidFor } from "../core/price.js";
import { type Attempt, type EvalRow, isScored, type TrialKey } from "../core/row.js";
import type { Trial } from "./admit.js";
import { type Returned, storedCall, type UngradedOutput } from "./call.js";
import { isPlanned, type Plan, rowIndex } from "./plan.js";
import type { EncodedTrial, FinishedTrial, Progress, Reservation, RunPorts } from "./ports.js";
import type { MoneyBook } from "./purse.js";
import { skippedRow, TokenCounter } from "./record.js";

import type { TrialBook } from "./trial.js";

/** What earlier starts of the same run have stored. */
export interface Earlier {
  /** Finished trials by their index in the result. */
  readonly rows: ReadonlyMap<number, EvalRow>;
  /** Failed attempts of trials that will be retried. */
  readonly attempts: ReadonlyMap<number, readonly Attempt[]>;
  /** Outputs that are stored but not graded. */
  readonly outputs: ReadonlyMap<number, UngradedOutput>;
  /** Total cost, including failed and interrupted trials. */
  readonly spentUsd: number;
  /** The part of the cost that belongs to neither these rows nor the ungraded outputs. */
  readonly besides: BesideRows;
}

/** Spend on trials that have no row in the report. */
export interface BesideRows {
  /** Interrupted trials: their cost, or the amount reserved for them. */
  readonly lostUsd: number;
  readonly lostTrials: number;
  /** Failed trials that are run again. */
  readonly repeatedUsd: number;
  /** Amounts reserved for trials whose cost is unknown. */
  readonly unknownUsd: number;
}

const NOTHING_BESIDES: BesideRows = { lostUsd: 0, lostTrials: 0, repeatedUsd: 0, unknownUsd: 0 };

export const NOTHING_EARLIER: Earlier = {
  rows: new Map(),
  attempts: new Map(),
  outputs: new Map(),
  spentUsd: 0,
  besides: NOTHING_BESIDES,
};

type LedgerPorts = Pick<RunPorts, "clock" | "tokenizer" | "sink" | "onProgress" | "times">;

/** How long trials may block the event loop: timers, signals and writes wait meanwhile. */
const TURN_MS = 8;
const NO_ATTEMPTS: readonly Attempt[] = Object.freeze([]);

/** Collects the rows of a run: keeps them in the plan's order, writes them to the sink and counts progress. */
export class Ledger implements TrialBook, MoneyBook {
  readonly tokens: TokenCounter;
  readonly threshold: number;
  /** Cost of discarded rows. */
  repeatedUsd = 0;
  readonly #plan: Plan;
  readonly #ports: LedgerPorts;
  readonly #earlier: Earlier;
  /** Attempts of discarded rows. */
  readonly #takenBack = new Map<number, readonly Attempt[]>();
  readonly #rows: (EvalRow | undefined)[];
  readonly #progress: Progress;
  readonly #start: number;
  /**
   * Outputs since the last write. A list, because the old copies of a growing and shrinking Map keep outputs alive until
   * V8's next full collection.
   */
  #ungraded: { trial: Trial; returned: Returned }[] = [];
  /** Unfinished trials whose outputs are in the journal. */
  readonly #stored: Set<number>;
  /** Reservations of unfinished trials, as written to the journal. */
  readonly #reserved = new Map<number, Reservation>();
  #nextWrite: Promise<void> | null = null;
  /** When the event loop last ran. */
  #lastTurn: number;
  readonly #turns: NodeJS.Timeout;
  #failure: { error: unknown } | null = null;
  #closed = false;

  constructor(plan: Plan, ports: LedgerPorts, earlier: Earlier) {
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
    const total = plan.total;
    const none = { done: 0, resumed: 0, passed: 0, scored: 0, errors: 0, costUsd: null, elapsedMs: 0 };
    this.#progress = { ...none, waiting: null, warning: null, total };
    for (const [index, row] of earlier.rows) this.#keep(index, row);
    this.#progress.resumed = this.#progress.done;
  }

  rowAt(index: number): EvalRow | undefined {
    return this.#rows[index];
  }

  has(index: number): boolean {
    return this.#rows[index] !== undefined;
  }

  /** Failed attempts of earlier starts of the run, and of discarded rows. */
  attemptsOf({ index }: Pick<Trial, "index">): readonly Attempt[] {
    return this.#takenBack.get(index) ?? this.#earlier.attempts.get(index) ?? NO_ATTEMPTS;
  }

  /** Discards the row of a failed trial so that it runs again. The row stays in the journal, where the last one counts. */
  takeBack(index: number): void {
    const row = this.#rows[index];
    if (row === undefined || this.#closed) return;
    this.#rows[index] = undefined;
    this.#takenBack.set(index, row.attempts);
    this.repeatedUsd += paidFor(row);
    this.#progress.done -= 1;
    if (row.outcome === "error") this.#progress.errors -= 1;
  }

  storedOutput({ index }: Trial): UngradedOutput | null {
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
  async reserve(trial: Trial, reservation: Reservation): Promise<void> {
    const { reservedUsd, judgeUsd } = reservation;
    const { sink } = this.#ports;
    if (sink?.appendMoney === undefined || this.#closed || reservedUsd === 0) return;
    this.#reserved.set(trial.index, reservation);
    sink.appendMoney({ ...keyOf(trial), kind: "reserve", usd: reservedUsd, ...(judgeUsd > 0 && { judgeUsd }) });
    this.#writeSoon();
    await this.written();
  }

  settle(trial: Trial, usd: number, why: "lost" | "unknown" | "unused"): void {
    if (!this.#reserved.delete(trial.index) || this.#closed) return;
    this.#ports.sink?.appendMoney?.({ ...keyOf(trial), kind: "settle", usd, why });
    this.#writeSoon();
  }

  release(trial: Trial): void {
    const { index } = trial;
    const judgeUsd = this.#isKept(index) ? (this.#reserved.get(index)?.judgeUsd ?? 0) : 0;
    this.settle(trial, judgeUsd, judgeUsd > 0 ? "lost" : "unused");
  }

  /** False for running trials, and for interrupted ones, which continue on resume. */
  #isGraded(index: number): boolean {
    const row = this.#rows[index];
    return row !== undefined && row.outcome !== "skipped";
  }

  #isKept(index: number): boolean {
    return this.#stored.has(index) || this.#ungraded.some(({ trial }) => trial.index === index);
  }

  /** An output graded within the same event-loop turn is written once, with its row. */
  keepOutput(trial: Trial, returned: Returned): boolean {
    const { sink } = this.#ports;
    // Cached and recorded outputs are stored elsewhere.
    if (sink?.appendOutput === undefined || this.#closed || returned.call.wasPaid) return false;
    this.#ungraded.push({ trial, returned });
    this.#writeSoon();
    return true;
  }

  /** Records a finished trial. Trials recorded in one event-loop turn are written together. */
  record(trial: Pick<Trial, "index">, finished: FinishedTrial, encoded?: EncodedTrial): void {
    this.#throwFailure();
    // After close() the run has been reported: late trials run again on resume. A trial that was given up has its row already.
    if (this.#closed || this.has(trial.index)) return;
    this.#keep(trial.index, finished.row);
    this.#reserved.delete(trial.index);
    this.#ports.times?.end(finished.row.system);
    this.#ports.sink?.append(this.#withoutStored(trial.index, finished), encoded);
    this.#writeSoon();
  }

  /** An output that is already in the journal is written again only with evidence or grades. */
  #withoutStored(index: number, finished: FinishedTrial): FinishedTrial {
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
  async written(): Promise<void> {
    await this.#nextWrite;
    this.#throwFailure();
  }

  /** Waits for the next write if trials that never wait have blocked the event loop for too long. */
  async giveTurn(): Promise<void> {
    if (this.#ports.clock() - this.#lastTurn > TURN_MS) await this.written();
    else this.#throwFailure();
  }

  #noteTurn(): void {
    this.#lastTurn = this.#ports.clock();
  }

  /** Returns the rows of all planned trials; trials that never ran are skipped rows. */
  close(): EvalRow[] {
    this.#write();
    this.#throwFailure();
    this.#end();
    const { systems, examples, trials } = this.#plan;
    if (this.#progress.done === this.#plan.total) return this.#recorded();
    for (const [systemIndex, system] of systems.entries()) {
      for (const [exampleIndex, example] of examples.entries()) {
        const wiring = this.#plan.wirings[this.#plan.wiringOf[exampleIndex] ?? 0];
        if (wiring === undefined) continue;
        for (let trial = 0; trial < trials; trial++) {
          if (!isPlanned(this.#plan, { systemIndex, exampleIndex, trial })) continue;
          const index = rowIndex(this.#plan, systemIndex, exampleIndex, trial);
          this.#rows[index] ??= skippedRow({ system, systemIndex, example, exampleIndex, trial, wiring });
        }
      }
    }
    return this.#recorded();
  }

  /** The rows without gaps for unplanned trials. */
  #recorded(): EvalRow[] {
    const isFull = this.#rows.length === this.#plan.total;
    return isFull ? (this.#rows as EvalRow[]) : this.#rows.filter((row) => row !== undefined);
  }

  /** After a failed run: writes what was recorded and ignores trials that are still running. */
  abandon(): void {
    if (this.#failure === null) this.#write();
    this.#end();
  }

  #end(): void {
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
    this.tell(null);
  }

  #storeUngraded(): void {
    const ungraded = this.#ungraded.filter(({ trial }) => !this.#isGraded(trial.index));
    this.#ungraded = [];
    for (const { trial, returned } of ungraded) {
      const entry = { ...keyOf(trial), output: returned.output, call: storedCall(returned) };
      if (this.#ports.sink?.appendOutput?.(entry) === true) this.#stored.add(trial.index);
    }
  }

  /** Reports progress, and why trials are waiting. */
  tell(waiting: string | null): void {
    if (this.#closed) return;
    this.#progress.elapsedMs = this.#ports.clock() - this.#start;
    this.#ports.onProgress?.({ ...this.#progress, waiting });
  }

  /** Reports which trial is close to its budget; null if none is. */
  warn(warning: string | null): void {
    this.#progress.warning = warning;
    this.tell(null);
  }

  /** Writes fail asynchronously, so the next caller gets the error. */
  #throwFailure(): void {
    if (this.#failure !== null) throw this.#failure.error;
  }

  #keep(index: number, row: EvalRow): void {
    this.#rows[index] = row;
    this.#count(row);
  }

  #count(row: EvalRow): void {
    const progress = this.#progress;
    progress.done += 1;
    if (isScored(row)) progress.scored += 1;
    if (row.passed === true) progress.passed += 1;
    if (row.outcome === "error") progress.errors += 1;
    if (row.costUsd !== null) progress.costUsd = (progress.costUsd ?? 0) + row.costUsd;
    if (row.judgeCostUsd !== null) progress.costUsd = (progress.costUsd ?? 0) + row.judgeCostUsd;
  }
}

function keyOf({ system, example, trial }: Trial): TrialKey {
  return { system: system.name, dataset: example.dataset ?? "", exampleId: example.id, trial };
}
