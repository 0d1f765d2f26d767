import type { Grade } from "../../core/grader.js";
import type { EvalConfig, JsonSummary, Timing } from "../../core/result.js";
import type { ErrorCategory, EvalRow, Outcome, TrialKey } from "../../core/row.js";
import type { RunComparison } from "../../metrics/compare/index.js";
import type { QueueState } from "../../queue/contract.js";

// What the dashboard and the report page are shown: plain data, made on the one side by `src/report/dashboard`, drawn on the other
// by `web/`. Unknown is null, never 0; nothing here is NaN or infinite.

/** How far a run is: `running` when a process holds it, `incomplete` when it ended early, `damaged` when it cannot be read. */
export type RunStatus = "running" | "complete" | "incomplete" | "damaged";

/** Figures of one system that lists and charts over runs are made of, named as in summaries. */
export const CARD_FIGURES = [
  "mean_score",
  "mean_score_ci_low",
  "mean_score_ci_high",
  "mean_score_n",
  "pass_rate",
  "pass_rate_ci_low",
  "pass_rate_ci_high",
  "coverage",
  "error_rate",
  "mean_cost_usd",
  "cost_per_pass_usd",
  "cost_per_pass_usd_ci_low",
  "cost_per_pass_usd_ci_high",
  "seconds_per_pass",
  "cost_of_pass",
  "compression_ratio",
  "mean_output_tokens",
  "latency_median",
  "latency_p95",
  "median_time_to_success_ms",
  "median_turns_to_success",
  "median_tokens_per_sec",
  "p90_cost_per_success",
  "speed_efficiency_score",
  "pareto_rank",
  "pass_hat",
  "pass_hat_ci_low",
  "pass_hat_ci_high",
] as const;

/** `pass_hat` is pass^k for the k of `SystemCard.k`. */
export type CardFigure = (typeof CARD_FIGURES)[number];

/** One system of a run, in short. */
export interface SystemCard {
  system: string;
  harness: string | null;
  model: string | null;
  figures: Readonly<Record<CardFigure, number | null>>;
  /** Trials of each example: the k of `pass_hat`. */
  k: number;
  outcomes: Readonly<Record<Outcome, number>>;
  /** How often each error category occurred; those that did not are left out. */
  categories: Readonly<Partial<Record<ErrorCategory, number>>>;
  costUsd: number | null;
}

/** One run, in short. */
export interface RunCard {
  id: string;
  title: string;
  createdAt: string;
  status: RunStatus;
  /** `run`, `eval`, `experiment`, `memory`, `import`, …; null when a program made it. */
  command: string | null;
  planned: number;
  /** Planned trials that have a row. */
  done: number;
  datasets: readonly DatasetCard[];
  /** What its results are broken down by, such as `subject=anatomy`. */
  tags: readonly string[];
  systems: readonly SystemCard[];
  /** Of the trials whose cost is known; null when that of none is. */
  costUsd: number | null;
  /** Systems that ran and whose cost is not known, or not of all their trials: `costUsd` is then the least that it was. */
  unpricedSystems: number;
  wallSeconds: number | null;
  threshold: number;
  /** The run whose outputs these are, graded again. */
  parent: string | null;
  /** Why it is damaged. */
  problem: string | null;
  /** Workers that take part just now; absent when the run is not going, or goes over no queue. */
  workers?: number;
}

export interface DatasetCard {
  name: string;
  examples: number;
  /** Runs with the same one were asked the same. */
  fingerprint: string;
}

/** Which runs a list shows. With a dataset or a tag, figures are of the rows that have it alone. */
export interface RunFilter {
  dataset?: string;
  tag?: string;
}

/** A page of the list of runs: which of them, in which order, and how many. */
export interface RunQuery extends RunFilter {
  /** Words in the id, the title, a dataset, a system, a model or a harness. */
  q?: string;
  status?: RunStatus;
  /** `program` for runs without a command. */
  command?: string;
  /** Runs that have this dataset, with the figures of the whole run. */
  hasDataset?: string;
  /** A key of `RUN_SORTS`, with `-` before it for the largest first. Default: `-when`. */
  sort?: string;
  /** Default: 100. */
  limit?: number;
  /** How many are skipped. Default: 0. */
  offset?: number;
}

/** What there is to filter a list of runs by. */
export interface RunChoices {
  statuses: readonly RunStatus[];
  commands: readonly string[];
  datasets: readonly string[];
}

/** Some of the runs that a query asks for. */
export interface RunPage {
  runs: readonly RunCard[];
  /** How many runs come before them. */
  offset: number;
  /** How many runs fit the query, on all pages. */
  total: number;
  /** How many runs there are. */
  all: number;
  choices: RunChoices;
  /** Runs that are not read yet, and so in none of the other figures; 0 when the answer is complete. */
  unread: number;
}

/** Everything about a run but its rows. */
export interface RunView {
  card: RunCard;
  config: EvalConfig;
  timing: Timing | null;
  gitRevision: string | null;
  assayVersion: string;
  notes: readonly string[];
  summary: Readonly<Record<string, JsonSummary>>;
  across: Readonly<Record<string, number | string | null>>;
  charts: RunCharts;
  /** Null when it went over no queue. */
  queue: QueueView | null;
}

/**
 * The workers of a run over a queue, as its coordinator told last: `live` while it tells, `silent` when the run goes on
 * and it tells nothing any more, `over` when the run is not going, or goes on without the queue.
 */
export type QueueView =
  | { phase: "live" | "silent" | "over"; state: QueueState }
  | { phase: "unreadable"; problem: string };

export interface RunCharts {
  qualityCost: QualityCostChart;
  costSpeed: CostSpeedChart;
  radar: RadarChart;
  passCurves: readonly PassCurve[];
  heatMaps: readonly HeatMap[];
  tokenCosts: readonly TokenCost[];
  latencies: readonly LatencySpread[];
}

/** Quality against the mean cost of an attempt (numbers.md §6): billed dollars, or output tokens where none are known. */
export interface QualityCostChart {
  /** What the costs of all points are in. */
  costUnit: "usd" | "tokens";
  points: readonly QualityCostPoint[];
  /** Names of the systems on the step front, and on its convex hull, by rising cost. */
  front: readonly string[];
  hull: readonly string[];
}

export interface QualityCostPoint {
  system: string;
  harness: string | null;
  /** In the chart's unit. Null when nobody knows; 0 is free, and stands in a lane of its own. */
  cost: number | null;
  quality: number | null;
  low: number | null;
  high: number | null;
  n: number;
  /** Who is at least as good and as cheap, and better in one. */
  dominatedBy: readonly string[];
  /** In how many of the resampled sets of tasks it is on the front, as a share; null when it could not be asked. */
  membership: number | null;
}

/** Dollars of a pass against seconds of a pass: both are of all trials, failures included, over those that pass. */
export interface CostSpeedChart {
  points: readonly CostSpeedPoint[];
  front: readonly string[];
}

export interface CostSpeedPoint {
  system: string;
  harness: string | null;
  costPerPassUsd: number | null;
  secondsPerPass: number | null;
  passRate: number | null;
  dominatedBy: readonly string[];
  /** Why it has no place in the chart; null when it has one. */
  leftOut: string | null;
}

/** Median time to success, clipped so that one slow system does not flatten the others. */
export interface RadarChart {
  limitSeconds: number | null;
  spokes: readonly { system: string; seconds: number | null; isClipped: boolean }[];
}

/** pass@k and pass^k for every k. */
export interface PassCurve {
  system: string;
  points: readonly PassCurvePoint[];
}

export interface PassCurvePoint {
  k: number;
  /** Tasks with at least k trials. */
  n: number;
  passAt: number | null;
  passAtLow: number | null;
  passAtHigh: number | null;
  passHat: number | null;
  passHatLow: number | null;
  passHatHigh: number | null;
}

/** Mean score by two facets, such as the depth and the length of a needle. */
export interface HeatMap {
  system: string;
  dataset: string;
  xField: string;
  yField: string;
  xs: readonly (string | number | boolean)[];
  ys: readonly (string | number | boolean)[];
  cells: readonly { x: number; y: number; mean: number | null; n: number }[];
}

/** What the tokens of each class came to. */
export interface TokenCost {
  system: string;
  /** All of them, each token in one; empty when nobody reported what was used. */
  classes: readonly { name: TokenClass; tokens: number; costUsd: number | null }[];
  /** As billed; classes need not add up to it, since a provider may charge for more. */
  costUsd: number | null;
}

export type TokenClass = "input" | "cacheRead" | "cacheWrite" | "output" | "reasoning";

/** How long trials took, in seconds. Bins are the same for all systems, so that they can be compared. */
export interface LatencySpread {
  system: string;
  n: number;
  quantiles: Readonly<Record<"min" | "p25" | "p50" | "p75" | "p95" | "p99" | "max", number>> | null;
  bins: readonly { from: number; to: number; count: number }[];
}

/** The first line of a run's rows: what the numbers in `RowChunk` stand for. */
export interface RowsHead {
  schema: "assay.rows/1";
  total: number;
  systems: readonly string[];
  datasets: readonly string[];
  outcomes: readonly Outcome[];
  categories: readonly ErrorCategory[];
  /** Names of the score fields. */
  fields: readonly string[];
}

/** Some rows, column by column: a hundred thousand are read in pieces that never hold up the page. */
export interface RowChunk {
  /** Place of the first one. */
  start: number;
  /** Places in `RowsHead.systems`, `datasets`, `outcomes`, `categories`. */
  system: readonly number[];
  dataset: readonly number[];
  outcome: readonly number[];
  category: readonly number[];
  id: readonly (string | number)[];
  trial: readonly number[];
  /** The primary score. */
  score: readonly (number | null)[];
  costUsd: readonly (number | null)[];
  latency: readonly (number | null)[];
  inputTokens: readonly number[];
  outputTokens: readonly number[];
  turns: readonly (number | null)[];
  attempts: readonly number[];
  /** One list for each of `RowsHead.fields`. */
  scores: readonly (readonly (number | null)[])[];
  /** `subject=anatomy` and the like. */
  tags: readonly (readonly string[])[];
}

/** One trial with all that is known of it. */
export interface TrialView {
  run: string;
  row: EvalRow;
  threshold: number;
  /** What was asked, field by field; null when the run did not keep it. */
  example: readonly ShownField[] | null;
  /** What came back; empty when nothing did. */
  output: readonly ShownField[];
  evidence: Readonly<Record<string, string>>;
  grades: readonly Grade[];
  timeline: readonly TimelineStep[] | null;
  /** Files that the work changed. */
  changes: readonly FileChange[] | null;
  /** Why some of the changes are not here; absent when all are. */
  changesIncomplete?: string;
  /** What its tokens of each class came to; empty when nobody reported what was used. */
  classes: TokenCost["classes"];
  /** The other trials of the same example, of all systems. */
  siblings: readonly (TrialKey & { outcome: Outcome; score: number | null })[];
}

/** A field of an example or an output, as text. */
export interface ShownField {
  name: string;
  text: string;
  /** Of the whole text in characters; `text` is its beginning where it is longer. */
  length: number;
  /** `json` when the value was no text. */
  kind: "text" | "json";
}

export interface TimelineStep {
  /** Milliseconds since the work began; negative during set-up. */
  atMs: number;
  kind: "user" | "says" | "thinks" | "call" | "result" | "tokens" | "turn" | "skill" | "error" | "system" | "other";
  /** A few words: the tool's name, the turn, the model. */
  title: string;
  text: string;
  /** Of the whole text, which is cut where it is very long. */
  length: number;
  /** Of a call and of its result: what pairs them. */
  callId: string | null;
  /** Of a tool's result. */
  isSuccess: boolean | null;
  /** Of a call that edits or writes a file: its lines, each with a leading `+`, `-` or space. */
  diff: readonly string[] | null;
  /** Spent up to here; null when nobody knows. */
  costUsd: number | null;
  tokens: number | null;
}

export interface FileChange {
  path: string;
  change: "added" | "changed" | "removed";
  /** Unified diff lines; null when the contents were not kept. */
  diff: readonly string[] | null;
}

/** Two runs, or two systems of one, side by side. */
export interface CompareView {
  a: RunCard;
  b: RunCard;
  comparison: RunComparison;
}

/** How a run goes while it is going, and how it ended. */
export interface LiveProgress {
  status: RunStatus;
  done: number;
  planned: number;
  outcomes: Readonly<Record<Outcome, number>>;
  costUsd: number | null;
  /** Of the last ten seconds or so; null when the run is not going. */
  trialsPerSecond: number | null;
  secondsLeft: number | null;
  systems: readonly {
    system: string;
    done: number;
    passed: number;
    scored: number;
    errors: number;
    costUsd: number | null;
  }[];
  /** The latest trials that failed or had an error, newest first, at most twenty. */
  failures: readonly (TrialKey & { outcome: Outcome; category: ErrorCategory; message: string })[];
}

/** What the single file holds in place of a server. */
export interface EmbeddedReport {
  schema: "assay.page/1";
  run: RunView;
  head: RowsHead;
  chunks: readonly RowChunk[];
  trials: readonly TrialView[];
  /** Each pair of systems, A before B. */
  comparisons: readonly CompareView[];
  /** Trials whose texts are not in the file, because it would be too large. */
  trialsLeftOut: number;
}
