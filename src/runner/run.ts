import { setMaxListeners } from "node:events";
import { type Attempt, type EvalRow, isScored } from "../core/row.js";
import { andThen, type Eventually, isThenable } from "../core/thenable.js";
import { admissions, type Trial } from "./admit.js";
import { type Attempted, Attempter } from "./attempt.js";
import { classify } from "./classify.js";
import type { Plan } from "./plan.js";
import { rowIndex } from "./plan.js";
import type { FinishedTrial, Progress, RunPorts } from "./ports.js";
import { skippedRow, TokenCounter, toRow } from "./record.js";
import { score } from "./score.js";

/** What an earlier start of the same run left behind. */
export interface Earlier {
  /** Finished trials by their place in the result. */
  readonly rows: ReadonlyMap<number, EvalRow>;
  /** Failed attempts of trials that will be tried again. */
  readonly attempts: ReadonlyMap<number, readonly Attempt[]>;
}

export const NOTHING_EARLIER: Earlier = { rows: new Map(), attempts: new Map() };

/** How long trials in flight may go on after the run was told to stop. */
const GRACE_MS = 2000;
/** How long trials that finish without waiting may go on before they are written down. */
const TURN_MS = 8;
const NO_ATTEMPTS: readonly Attempt[] = Object.freeze([]);

/** Runs every planned trial that is not done yet, and returns all rows in the plan's order. */
export async function run(plan: Plan, ports: RunPorts, earlier: Earlier = NOTHING_EARLIER): Promise<EvalRow[]> {
  setMaxListeners(0, ports.signal);
  const ledger = new Ledger(plan, ports, earlier);
  const runTrial = trialRunner(plan, ports, ledger);
  const queue = admissions(plan, (index) => ledger.has(index), ports.signal);
  const workers = Array.from({ length: Math.min(ports.maxWorkers, plan.total) }, async () => {
    for (const trial of queue) {
      const recorded = runTrial(trial);
      if (recorded !== undefined) await recorded;
    }
  });
  try {
    await settledOrStopped(Promise.all(workers), ports.signal);
    return ledger.close();
  } catch (error) {
    ledger.abandon();
    throw error;
  }
}

/**
 * The chain that every trial goes through. The returned promise, when there is one, is to be waited for before the
 * slot takes another trial.
 */
function trialRunner(plan: Plan, ports: RunPorts, ledger: Ledger): (trial: Trial) => PromiseLike<void> | undefined {
  const attempter = new Attempter(ports, plan.seed);
  const scoreContext = { signal: ports.signal };

  const finish = (trial: Trial, attempted: Attempted): Eventually<void> => {
    const ending = classify(attempted, ports.signal);
    if (ending.kind === "skipped") return;
    const output = ending.kind === "gradable" ? ending.returned.output : null;
    return andThen(output === null ? null : score(trial, output, scoreContext), (graded) => {
      // An evaluator that was told to stop has not failed: the trial is run again on resume.
      if (graded !== null && !graded.complete && ports.signal.aborted) return;
      const { tokens, threshold } = ledger;
      const row = toRow({ trial, ending, graded, threshold, tokens, earlier: ledger.attemptsOf(trial) });
      ledger.record(trial, { row, output, evidence: graded?.evidence ?? null });
    });
  };

  return (trial) => {
    const finished = andThen(attempter.attempt(trial), (attempted) => finish(trial, attempted));
    if (isThenable(finished)) return finished.then(() => ledger.written());
    return ledger.turnIsLong() ? ledger.written() : undefined;
  };
}

/** Waits for the workers; once the signal is aborted, no longer than the grace. */
async function settledOrStopped(workers: Promise<unknown>, signal: AbortSignal): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let onAbort: (() => void) | undefined;
  const stopped = new Promise<void>((resolve) => {
    onAbort = () => {
      timer = setTimeout(resolve, GRACE_MS);
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  });
  try {
    await Promise.race([workers, stopped]);
  } finally {
    clearTimeout(timer);
    if (onAbort !== undefined) signal.removeEventListener("abort", onAbort);
  }
}

/** The rows of a run as they come in: kept in the plan's order, written to the sink, counted for the progress line. */
class Ledger {
  readonly tokens: TokenCounter;
  readonly threshold: number;
  readonly #plan: Plan;
  readonly #ports: RunPorts;
  readonly #earlier: Earlier;
  readonly #rows: (EvalRow | undefined)[];
  /** Trials still to come for each example. */
  readonly #remaining: Uint32Array;
  readonly #progress: Progress;
  readonly #start: number;
  #nextWrite: Promise<void> | null = null;
  /** When the event loop last had its turn, which is not when the first trial since then ended: that may have been a long one. */
  #turnStart: number;
  #failure: { error: unknown } | null = null;
  #closed = false;

  constructor(plan: Plan, ports: RunPorts, earlier: Earlier) {
    this.threshold = plan.threshold;
    this.#plan = plan;
    this.#ports = ports;
    this.#earlier = earlier;
    this.tokens = new TokenCounter(ports.tokenizer, plan.examples.length);
    this.#rows = new Array<EvalRow | undefined>(plan.total);
    this.#remaining = new Uint32Array(plan.examples.length).fill(plan.systems.length * plan.trials);
    this.#start = ports.clock();
    this.#turnStart = this.#start;
    const total = plan.total;
    this.#progress = { done: 0, total, resumed: 0, passed: 0, scored: 0, errors: 0, costUsd: null, elapsedMs: 0 };
    for (const [index, row] of earlier.rows) this.#keep(index, row);
    this.#progress.resumed = this.#progress.done;
  }

  has(index: number): boolean {
    return this.#rows[index] !== undefined;
  }

  /** Failed attempts of earlier starts of the same run. */
  attemptsOf(trial: Trial): readonly Attempt[] {
    return this.#earlier.attempts.get(trial.index) ?? NO_ATTEMPTS;
  }

  /** Keeps a finished trial. What is recorded in one turn of the event loop is written together at its end. */
  record(trial: Trial, finished: FinishedTrial): void {
    this.#throwFailure();
    // After close() the run has been reported; a straggler is run again on resume.
    if (this.#closed) return;
    this.#keep(trial.index, finished.row);
    this.#ports.sink?.append(finished);
    this.#nextWrite ??= new Promise((resolve) => {
      setImmediate(() => {
        this.#write();
        resolve();
      });
    });
  }

  /** Resolves when everything recorded so far is written down. */
  async written(): Promise<void> {
    await this.#nextWrite;
    this.#throwFailure();
  }

  /** True when systems that never wait have kept the event loop for so long that it has to be given a turn. */
  turnIsLong(): boolean {
    return this.#nextWrite !== null && this.#ports.clock() - this.#turnStart > TURN_MS;
  }

  /** Every planned trial's row; those that never ran are marked as skipped. */
  close(): EvalRow[] {
    this.#write();
    this.#throwFailure();
    this.#closed = true;
    const { systems, examples, trials } = this.#plan;
    if (this.#progress.done === this.#plan.total) return this.#rows as EvalRow[];
    for (const [systemIndex, system] of systems.entries()) {
      for (const [exampleIndex, example] of examples.entries()) {
        if (example === null) continue;
        for (let trial = 0; trial < trials; trial++) {
          const index = rowIndex(this.#plan, systemIndex, exampleIndex, trial);
          const tokens = this.tokens.input(exampleIndex, example);
          this.#rows[index] ??= skippedRow({ system, systemIndex, example, exampleIndex, trial }, tokens);
        }
      }
    }
    return this.#rows as EvalRow[];
  }

  /** After a run has failed: writes what was recorded, and takes nothing more from trials that are still going on. */
  abandon(): void {
    if (this.#failure === null) this.#write();
    this.#closed = true;
  }

  #write(): void {
    if (this.#nextWrite === null || this.#closed) return;
    this.#nextWrite = null;
    try {
      this.#ports.sink?.flush();
      this.#turnStart = this.#ports.clock();
      this.#progress.elapsedMs = this.#turnStart - this.#start;
      this.#ports.onProgress?.({ ...this.#progress });
    } catch (error) {
      this.#failure = { error };
    }
  }

  /** A write fails in a turn of its own; whoever comes next is told. */
  #throwFailure(): void {
    if (this.#failure !== null) throw this.#failure.error;
  }

  #keep(index: number, row: EvalRow): void {
    this.#rows[index] = row;
    this.#count(row);
    const exampleIndex = Math.floor(index / this.#plan.trials) % this.#plan.examples.length;
    const remaining = (this.#remaining[exampleIndex] ?? 1) - 1;
    this.#remaining[exampleIndex] = remaining;
    if (remaining === 0) this.#plan.examples[exampleIndex] = null;
  }

  #count(row: EvalRow): void {
    const progress = this.#progress;
    progress.done += 1;
    if (isScored(row)) progress.scored += 1;
    if (row.passed === true) progress.passed += 1;
    if (row.outcome === "error") progress.errors += 1;
    if (row.costUsd !== null) progress.costUsd = (progress.costUsd ?? 0) + row.costUsd;
  }
}
