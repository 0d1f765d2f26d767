import type { DatasetGate, DatasetOrigin, DatasetOverrides } from "./dataset.js";
import type { Effort } from "./effort.js";
import type { EffortCurve } from "./effort-curve.js";
import type { StoredLimits } from "./example-limits.js";
import type { StressArm } from "./faults.js";
import type { FrontierReport } from "./frontier.js";
import type { HistoryAdjustments } from "./history-adjustment.js";
import type { LabelCorrections } from "./label-correction.js";
import type { Recommendation } from "./recommendation.js";
import type { ReliabilityProfile } from "./reliability.js";
import type { EvalRow, Outcome } from "./row.js";
import type { SequentialReport, UntilConfig } from "./sequential.js";
import type { StratifiedFigures } from "./strata.js";

/** The summary of one system: metric keys to values. Null is "not measured"; Infinity is "no passes". */
export type Summary = Record<string, number | null>;

/** When a run was made and how long it took. */
export interface Timing {
  startedAt: string;
  finishedAt: string;
  /** From a monotonic clock, so it may differ from the two times. */
  wallSeconds: number;
  /** Seconds from the start of a system's first trial to the end of its last; absent without a finished trial. */
  wallSecondsBySystem: Readonly<Record<string, number>>;
  trialsPerSecond: number;
  /** Trials whose output came from the cache. */
  cachedTrials: number;
}

/** The settings of a run, as far as they can be stored. */
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
  /** When the run may stop before its last task; absent if it runs every task. */
  until?: UntilConfig;
  /** For a stress test: by the name of each system, what it is put under; absent for other runs. */
  arms?: Readonly<Record<string, StressArm>>;
  /** The tool whose results were imported; absent for a run of Assay. Its seed is unknown. */
  importedFrom?: string;
  /** How much the models of the systems think, by system; absent if no effort was set. */
  efforts?: Readonly<Record<string, Effort>>;
}

/** One dataset of a run, as the run folder describes it. */
export interface DatasetConfig {
  name: string;
  examples: number;
  /** SHA-256 of the examples, or of the file and how they were sampled. */
  fingerprint: string;
  /** The dataset tags of its examples. Default: its own name. */
  tags: readonly string[];
  /** The field that decides pass or fail; null if only the evaluators' results tell. */
  primaryField: string | null;
  evaluators: Readonly<Record<string, { fingerprint: string }>>;
  /** Where the examples come from, including the revision; absent if unknown. */
  origin?: DatasetOrigin;
  /** The field that groups dependent examples; absent if there is none. */
  groupBy?: string;
  /** Datasets with the same name here have their tasks in common; absent if it shares none. */
  pairedAs?: string;
  /** What an expert charges for one example, in dollars; absent if unknown. */
  expertCostUsd?: number;
  /** Run settings that the dataset overrides; absent if none. */
  terms?: DatasetOverrides;
  /** What single examples override; absent if none does. */
  limits?: StoredLimits;
  /** The agent skill under test; absent if none. */
  skill?: string;
  /** Gates of this dataset; absent if none. */
  gates?: readonly DatasetGate[];
}

/** Selects rows by equal fields or by a predicate. */
export type RowFilter =
  | ((row: EvalRow) => boolean)
  | { system?: string; dataset?: string; trial?: number; outcome?: Outcome; exampleId?: string | number };

/** What a run with a budget spent: `spentUsd` is the sum of the other amounts. */
export interface BudgetReceipt {
  readonly maxCostUsd: number;
  readonly spentUsd: number;
  /** Trials in the report. */
  readonly trialsUsd: number;
  /** Outputs that are stored but not graded yet. */
  readonly ungradedUsd: number;
  /** Trials that failed and were repeated. */
  readonly repeatedUsd: number;
  /** Reserved for trials whose cost is unknown. */
  readonly unknownUsd: number;
  /** Interrupted trials: their cost, or the amount reserved for them. */
  readonly lostUsd: number;
  readonly lostTrials: number;
  /** Canaries; absent if there were none. */
  readonly canaryUsd?: number;
}

/**
 * The result of a run. The types know the names of the systems and the keys of their summaries where the call of
 * `evaluate()` tells them.
 */
export interface EvalResult<SystemName extends string = string, SystemSummary = Summary> {
  readonly rows: readonly EvalRow[];
  /** By system name. */
  readonly summary: Readonly<Record<SystemName, SystemSummary>>;
  /** Why a summary value is null or infinite, by system name and key. */
  readonly reasons: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Values computed across all systems. */
  readonly across: Summary;
  /** Why a value of `across` is null or infinite, by key. */
  readonly acrossReasons: Readonly<Record<string, string>>;
  /** Text labels shared by all systems, such as `pareto_basis`; absent if there are none. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly timing: Timing;
  /** Spending of a run with a budget in dollars. */
  readonly budget?: BudgetReceipt;
  /** What a run that may stop before its last task has decided; null for any other run. */
  readonly sequential: SequentialReport | null;
  readonly config: EvalConfig;
  /** The run folder; null if the run is not stored. */
  readonly runDir: string | null;
  /** Messages for the reader, such as rows that were skipped. */
  readonly notes: readonly string[];
  /** Which system to choose; null for one system. */
  readonly recommendation: Recommendation | null;
  /** The frontier cost of a pass in dollars; null unless several systems have a price and ran the same tasks. */
  readonly frontier: FrontierReport | null;
  /** Systems that differ only in their effort; empty if there are none. */
  readonly effortCurves: readonly EffortCurve[];
  filter(filter: RowFilter): EvalResult<SystemName, SystemSummary>;
  toTable(options?: { columns?: readonly string[] }): string;
  toJSON(): JsonReport;
  toColumns(): Record<string, unknown[]>;
}

/** The JSON report. Its shape is versioned and described in docs/reference/json-report.md. */
export interface JsonReport {
  schema: "assay.report/1";
  config: EvalConfig;
  timing: Timing;
  summary: Record<string, JsonSummary>;
  across: Record<string, number | string | null>;
  /** Spending of a run with a budget in dollars; absent otherwise. */
  budget?: BudgetReceipt;
  /** What a run that may stop before its last task has decided; absent for any other run. */
  sequential?: SequentialReport;
  notes: readonly string[];
  /** Which system to choose; null for one system. */
  recommendation: Recommendation | null;
  /** The frontier cost of a pass in dollars; null unless several systems have a price and ran the same tasks. */
  frontier: FrontierReport | null;
  /** Systems that differ only in their effort; empty if there are none. */
  effortCurves: readonly EffortCurve[];
  /** What labels of people say about the pass rates; absent unless asked for. */
  labels?: LabelCorrections;
  /** What stored runs add to the figures; absent unless asked for. */
  history?: HistoryAdjustments;
  /** Figures by strata; absent unless asked for. */
  strata?: StratifiedFigures;
  /** The figures of a stress test, one for each system under stress; absent for other runs. */
  reliability?: readonly ReliabilityProfile[];
  run: string | null;
  rows: readonly EvalRow[];
}

/** The summary of one system; `efficiency` holds the seven speed and efficiency keys, everything else is flat. */
export type JsonSummary = Record<string, number | string | null | Record<string, number | null>>;
