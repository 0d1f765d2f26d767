import type { EvalRow } from "../core/row.js";
import type { Output } from "../core/system.js";
import type { Tokenizer } from "../core/tokenizer.js";

/** Where finished trials go. `append` may buffer; after `flush` returns, what was appended survives a kill. */
export interface Sink {
  append(entry: FinishedTrial): void;
  flush(): void;
}

/** A finished trial as it is written down. */
export interface FinishedTrial {
  row: EvalRow;
  output: Output | null;
  evidence: Readonly<Record<string, string>> | null;
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
}

/** What the runner needs from outside: time, storage, counting and a way to be stopped. */
export interface RunPorts {
  /** Milliseconds, monotonic. */
  clock(): number;
  tokenizer: Tokenizer;
  cache: OutputCache | null;
  sink: Sink | null;
  signal: AbortSignal;
  maxWorkers: number;
  /** Calls back when the process has nothing left to wait for; returns how to be left alone. */
  whenIdle: (callback: () => void) => () => void;
  onProgress: ((progress: Progress) => void) | null;
}
