import type { DatasetGate, DatasetOrigin, RunTerms } from "./dataset.js";
import type { EvalRow, Outcome } from "./row.js";

/** The summary of one system: metric keys to values. Null is "not measured"; Infinity is "no passes". */
export type Summary = Record<string, number | null>;

/** When a run was made, and how long it took. */
export interface Timing {
  startedAt: string;
  finishedAt: string;
  /** From a monotonic clock: it need not be the difference of the two times. */
  wallSeconds: number;
  /** Seconds from the start of a system's first trial to the end of its last; a system without a finished trial has none. */
  wallSecondsBySystem: Readonly<Record<string, number>>;
  trialsPerSecond: number;
  /** Trials whose output came from the cache. */
  cachedTrials: number;
}

/** What was asked for, as far as it can be written down. */
export interface EvalConfig {
  title: string;
  systems: readonly string[];
  datasets: readonly DatasetConfig[];
  evaluators: readonly string[];
  metrics: readonly string[];
  /** The field that decides pass or fail; "score" means each dataset's own primary field. */
  scoreField: string;
  threshold: number;
  trials: number;
  seed: number;
  tokenizer: string;
}

/** One dataset of a run, as the run folder describes it. */
export interface DatasetConfig {
  name: string;
  examples: number;
  /** SHA-256 that identifies the content: of the examples, or of the file and of how they were chosen from it. */
  fingerprint: string;
  /** The dataset tags that its examples carry; its own name, unless they name others. */
  tags: readonly string[];
  /** The field that decides pass or fail first; null when it is known only from what the evaluators return. */
  primaryField: string | null;
  evaluators: Readonly<Record<string, { fingerprint: string }>>;
  /** Where the examples come from, down to the revision; absent when the loader does not say. */
  origin?: DatasetOrigin;
  /** The field by which examples are in groups that are not independent; absent when there is none. */
  groupBy?: string;
  /** How its examples are run where that differs from the rest of the run; absent when it does not. */
  terms?: RunTerms;
  /** The skill of agents that it is about; absent when it is about none. */
  skill?: string;
  /** What its trials are held to; absent when to nothing of their own. */
  gates?: readonly DatasetGate[];
}

/** Which rows to keep: fields that must be equal, or a predicate. */
export type RowFilter =
  | ((row: EvalRow) => boolean)
  | { system?: string; dataset?: string; trial?: number; outcome?: Outcome; exampleId?: string | number };

/** What a run with a budget has spent, and on what: `spentUsd` is the sum of the other dollars. */
export interface BudgetReceipt {
  readonly maxCostUsd: number;
  readonly spentUsd: number;
  /** On the trials of the report. */
  readonly trialsUsd: number;
  /** On outputs that are stored and not graded yet. */
  readonly ungradedUsd: number;
  /** On trials that failed, and were run again. */
  readonly repeatedUsd: number;
  /** What was set aside for trials whose cost nobody knows. */
  readonly unknownUsd: number;
  /** On trials that were cut off: what they had cost, or what was set aside for them. */
  readonly lostUsd: number;
  readonly lostTrials: number;
}

/** Everything a run found. */
export interface EvalResult {
  readonly rows: readonly EvalRow[];
  /** By system name. */
  readonly summary: Readonly<Record<string, Summary>>;
  /** Why a summary value is null or infinite, by system name and key. */
  readonly reasons: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Values that belong to all systems together. */
  readonly across: Summary;
  /** Why a value of `across` is null or infinite, by key. */
  readonly acrossReasons: Readonly<Record<string, string>>;
  /** Words that belong to the summaries of all systems, such as `pareto_basis`; left out when there are none. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly timing: Timing;
  /** What was spent, of a run with a budget in dollars. */
  readonly budget?: BudgetReceipt;
  readonly config: EvalConfig;
  /** Where the run is kept, when it is. */
  readonly runDir: string | null;
  /** Things the reader should know, such as rows that were left out. */
  readonly notes: readonly string[];
  filter(filter: RowFilter): EvalResult;
  toTable(options?: { columns?: readonly string[] }): string;
  toJSON(): JsonReport;
  toColumns(): Record<string, unknown[]>;
}

/** The JSON report. Its shape is versioned and described in docs/json-report.md. */
export interface JsonReport {
  schema: "assay.report/1";
  config: EvalConfig;
  timing: Timing;
  summary: Record<string, JsonSummary>;
  across: Record<string, number | string | null>;
  /** What was spent, of a run with a budget in dollars; absent of others. */
  budget?: BudgetReceipt;
  notes: readonly string[];
  run: string | null;
  rows: readonly EvalRow[];
}

/** The summary of one system; `efficiency` holds the seven keys of speed and efficiency, everything else is flat. */
export type JsonSummary = Record<string, number | string | null | Record<string, number | null>>;
