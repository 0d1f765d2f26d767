import type { RunTerms } from "../core/dataset.js";
import type { Grade } from "../core/grader.js";
import type { Limits } from "../core/price.js";
import type { EvalRow, TrialKey } from "../core/row.js";
import type { Output, System, TrialBudget } from "../core/system.js";
import type { Tokenizer } from "../core/tokenizer.js";
import type { UngradedOutput } from "./call.js";
import type { OutagePolicy } from "./gate.js";
import type { RetryPolicy } from "./retry.js";
import type { SystemTimes } from "./system-times.js";

/** Where finished trials go. `append` may buffer; after `flush` returns, what was appended survives a kill. */
export interface Sink {
  /** A trial that was finished elsewhere comes with its lines. */
  append(entry: FinishedTrial, encoded?: EncodedTrial): void;
  /** An output whose grading goes on: false when it cannot be stored. Left out by whoever does not keep outputs. */
  appendOutput?(entry: UngradedOutput): boolean;
  /** What is set aside for a trial, or what became of it. Left out by whoever keeps no accounts. */
  appendMoney?(entry: MoneyEntry): void;
  flush(): void;
}

/** Money that no row tells of: set aside for a trial before it starts, or spent on one that has no row. */
export type MoneyEntry = TrialKey &
  (
    | {
        readonly kind: "reserve";
        readonly usd: number;
        /** How much of it is for judging. */
        readonly judgeUsd?: number;
      }
    | {
        readonly kind: "settle";
        /** Counts as spent. */
        readonly usd: number;
        /** The trial was cut off; nobody knows what it has cost; it was never begun. */
        readonly why: "lost" | "unknown" | "unused";
      }
  );

/** The lines of a finished trial in the journal. */
export interface EncodedTrial {
  row: string;
  /** Null when there is none, or when it is in a file. */
  output: string | null;
  /** The file that holds the line of the output. */
  outputFile?: string;
}

/** A finished trial as it is written down. */
export interface FinishedTrial {
  row: EvalRow;
  output: Output | null;
  evidence: Readonly<Record<string, string>> | null;
  /** What graders said; null when none were asked. */
  grades: readonly Grade[] | null;
}

/** Outputs kept by content, so that the same work is not paid for twice. */
export interface OutputCache {
  get(key: string): Promise<CachedOutput | null>;
  put(key: string, entry: CachedOutput): Promise<void>;
}

export interface CachedOutput {
  output: Output;
  /** Seconds the system took when it did the work. */
  latency: number;
}

/** How far a run is. */
export interface Progress {
  done: number;
  total: number;
  /** Trials taken over from an earlier start of the same run. */
  resumed: number;
  passed: number;
  scored: number;
  errors: number;
  costUsd: number | null;
  elapsedMs: number;
  /** Why trials are waiting, in words; null when none is. */
  waiting: string | null;
  /** Which trial is about to exceed its budget, in words; null when none is. */
  warning: string | null;
}

/** What the trials of a run may cost. */
export interface BudgetPort {
  /** What every trial of a system is held to; null when nothing is known of what it costs. */
  limitsOf(system: System, terms: RunTerms | null): Limits | null;
  /** The bill of one trial. */
  open(limits: Limits, listeners: BillListeners): TrialBudget;
  /** What the whole run may cost; null when that is not limited. */
  readonly run: RunBudgetPort | null;
}

/** Who hears of what a trial costs. */
interface BillListeners {
  /** Called once, when it costs more than it may. */
  onExceeded: () => void;
  /** Called when a large share of what it may cost is spent. */
  onShare: (share: number) => void;
}

/** Admits trials as long as the budget of the run covers what they can cost. */
export interface RunBudgetPort {
  /** A reservation; or "wait" for others to end, or "refuse": no trial is started any more. */
  reserve(wanted: WantedMoney): Reservation | "wait" | "refuse";
  /** Puts what a trial has really cost in the place of its reservation. */
  settle(reservation: Reservation, spent: TrialCost): void;
}

/** What decides how much a trial can cost. */
export interface WantedMoney {
  readonly system: System;
  readonly limits: Limits | null;
  /** True when an evaluator says that it asks models: what judging costs is set aside as well. */
  readonly isJudged: boolean;
  /** What judging can cost, as far as evaluators know beforehand; 0 when none does. */
  readonly judgingCanCost: () => number;
  /** True when its output is stored and paid for: only judging costs anything. */
  readonly isStored: boolean;
  /** What its system is given. */
  readonly prompt: PromptSize;
}

/** How much a system is given in a trial. */
export interface PromptSize {
  readonly tokens: number;
  /** How often it is asked: once for each turn of the user. */
  readonly calls: number;
}

/** What a trial has cost; null when nobody knows. */
export interface TrialCost {
  costUsd: number | null;
  /** What scoring it has cost. */
  judgeCostUsd: number;
  /** False when it failed, or was not run at all: then it says nothing about what others will cost. */
  isTypical: boolean;
}

/** What is held back for a trial. */
export interface Reservation {
  readonly reservedUsd: number;
  /** How much of it is for judging. */
  readonly judgeUsd: number;
}

/** What the steps of a trial need from outside, wherever it is run. */
export interface ChainPorts {
  /** Milliseconds, monotonic. */
  clock(): number;
  cache: OutputCache | null;
  signal: AbortSignal;
  budget: BudgetPort;
  retry: RetryPolicy;
  /** What is done about endpoints that are down. Left out, no system is stopped. */
  outage?: OutagePolicy;
}

/** What the runner needs from outside: time, storage, counting and a way to be stopped. */
export interface RunPorts extends ChainPorts {
  tokenizer: Tokenizer;
  sink: Sink | null;
  /** Trials at a time: of all systems that call the same endpoint, and of all that call none. */
  maxWorkers: number;
  /** Calls back when the process has nothing left to wait for; returns how to be left alone. */
  whenIdle: (callback: () => void) => () => void;
  onProgress: ((progress: Progress) => void) | null;
  /** Told when the trials of each system begin and end; left out, nobody wants to know. */
  times?: SystemTimes;
}
