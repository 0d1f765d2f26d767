import type {
  DatasetOverrides,
  EvalRow,
  Grade,
  Limits,
  Output,
  RetryPolicy,
  System,
  Tokenizer,
  TrialBudget,
  TrialKey,
} from "../core/index.js";
import type { UngradedOutput } from "./call.js";
import type { OutagePolicy } from "./gate.js";
import type { SystemTimer } from "./system-timer.js";

/** Where finished trials are written. `append` may buffer; after `flush` returns, everything appended survives a kill. */
export interface RowSink {
  /** `encoded` holds the lines of a trial that was finished by another process. */
  append(entry: FinishedTrial, encoded?: EncodedTrial): void;
  /** Stores an output that is still being graded; false if it cannot be stored. Omitted by sinks that do not store outputs. */
  appendOutput?(entry: UngradedOutput): boolean;
  /** Records a reservation or its settlement. Omitted by sinks that do not track spending. */
  appendMoney?(entry: MoneyEntry): void;
  /** True if a call that is cut off loses nothing, because it continues on resume. Omitted if every call is lost. */
  keepsCall?(trial: TrialKey, by: "system" | "judge"): boolean;
  flush(): void;
}

/** Spending that no row shows: reserved for a trial before it starts, or spent on a trial without a row. */
export type MoneyEntry = TrialKey &
  (
    | {
        readonly kind: "reserve";
        readonly usd: number;
        /** The part reserved for judging. */
        readonly judgeUsd?: number;
      }
    | {
        readonly kind: "settle";
        /** The amount that counts as spent. */
        readonly usd: number;
        /** "lost": the trial was interrupted. "unknown": its cost is unknown. "unused": it never started. "canary": it was a canary, which has no row. */
        readonly why: "lost" | "unknown" | "unused" | "canary";
      }
  );

export interface EncodedTrial {
  row: string;
  /** Null if there is no output, or if it is in a file. */
  output: string | null;
  /** The file that holds the line of the output. */
  outputFile?: string;
}

export interface FinishedTrial {
  row: EvalRow;
  output: Output | null;
  evidence: Readonly<Record<string, string>> | null;
  /** Null if there were no graders. */
  grades: readonly Grade[] | null;
}

/** Outputs stored by content, so that the same work is not paid for twice. */
export interface OutputCache {
  get(key: string): Promise<CachedOutput | null>;
  put(key: string, entry: CachedOutput): Promise<void>;
}

export interface CachedOutput {
  output: Output;
  /** Seconds the system took when it did the work. */
  latency: number;
}

/** The progress of a run. */
export interface Progress {
  done: number;
  total: number;
  /** Trials restored from an earlier start of the same run. */
  resumed: number;
  passed: number;
  scored: number;
  errors: number;
  costUsd: number | null;
  elapsedMs: number;
  /** Why trials are waiting; null if none is. */
  waiting: string | null;
  /** Which trial is close to its budget; null if none is. */
  warning: string | null;
}

/** The budgets of the trials of a run. */
export interface BudgetPort {
  /** The limits of every trial of a system; null if its cost is unknown. */
  limitsOf(system: System, terms: DatasetOverrides | null): Limits | null;
  /** Opens the bill of one trial. */
  open(limits: Limits, listeners: TrialBudgetListeners): TrialBudget;
  /** The budget of the whole run; null if unlimited. */
  readonly run: RunBudgetPort | null;
}

interface TrialBudgetListeners {
  /** Called once, when the trial exceeds its limit. */
  onExceeded: () => void;
  /** Called when a large share of the limit is spent. */
  onShare: (share: number) => void;
}

/** Admits trials while the budget of the run covers their possible cost. */
export interface RunBudgetPort {
  /** Returns a reservation, "wait" until other trials end, or "refuse": no further trial is started. */
  reserve(wanted: ReservationRequest): TrialReservation | "wait" | "refuse";
  /** Replaces the reservation of a trial with its actual cost. */
  settle(reservation: TrialReservation, spent: TrialCost): void;
}

export interface ReservationRequest {
  readonly system: System;
  readonly limits: Limits | null;
  /** True if an evaluator calls models: the cost of judging is reserved as well. */
  readonly isJudged: boolean;
  /** The possible cost of judging, as far as evaluators know in advance; 0 if none does. */
  readonly judgingCanCost: () => number;
  /** True if the output is stored and paid for: only judging costs anything. */
  readonly isStored: boolean;
  readonly prompt: PromptSize;
}

/** The size of a system's input in a trial. */
export interface PromptSize {
  /** Null if it has files whose tokens cannot be known. */
  readonly tokens: number | null;
  /** Number of requests: one per user turn. */
  readonly calls: number;
}

/** The cost of a trial; null if unknown. */
export interface TrialCost {
  costUsd: number | null;
  /** The cost of scoring and of a simulated user. */
  judgeCostUsd: number;
  /** False if the trial failed or was not run: then it says nothing about the cost of other trials. */
  isTypical: boolean;
}

/** An amount reserved for a trial. */
export interface TrialReservation {
  readonly reservedUsd: number;
  /** The part reserved for judging. */
  readonly judgeUsd: number;
}

/** Decides while a run goes on whether it needs further trials. */
export interface StopRule {
  /**
   * Called with the rows of each complete task, or group of tasks, in the seeded order of the run. Rows of systems that
   * were dropped may be missing. Still called for tasks that were under way when the run was decided.
   */
  look(rows: readonly EvalRow[]): StopAnswer;
}

export interface StopAnswer {
  /** True if no further trial is needed. */
  readonly isDecided: boolean;
  /** Names of the systems that need no further trials. */
  readonly dropped: readonly string[];
}

/** What became of the canary of a system. */
export interface CanaryResult {
  readonly system: string;
  readonly end: "passed" | "failed" | "interrupted";
  /** Why it failed; null if it did not. */
  readonly problem: string | null;
  /** Null if unknown. */
  readonly costUsd: number | null;
  /** What counts as spent: if the cost is unknown, what was reserved for it. */
  readonly spentUsd: number;
}

/** What running a trial needs from outside, in any process. */
export interface ChainPorts {
  /** Milliseconds, monotonic. */
  clock(): number;
  cache: OutputCache | null;
  signal: AbortSignal;
  budget: BudgetPort;
  retry: RetryPolicy;
  /** What to do when endpoints are down. If omitted, no system is stopped. */
  outage?: OutagePolicy;
}

/** What the runner needs from outside: time, storage, token counting and a stop signal. */
export interface RunPorts extends ChainPorts {
  tokenizer: Tokenizer;
  sink: RowSink | null;
  /** Maximum number of concurrent trials per endpoint, and for all systems without one. */
  maxWorkers: number;
  /** Calls back when the process has nothing left to wait for. Returns an unsubscribe function. */
  whenIdle: (callback: () => void) => () => void;
  onProgress: ((progress: Progress) => void) | null;
  /** Records when the trials of each system start and end. */
  times?: SystemTimer;
  /** Set if the run may stop before its last task; needs a plan in the order of tasks. */
  stopRule?: StopRule | undefined;
  /** Called for each canary that was run. */
  onCanary?: ((result: CanaryResult) => void) | undefined;
}
