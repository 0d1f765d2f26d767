import type { EffortCurve, EffortPoint } from "../../core/effort-curve.js";
import type { FrontierReport } from "../../core/frontier.js";
import type { Grade } from "../../core/grader.js";
import type { ReliabilityProfile } from "../../core/reliability.js";
import type { EvalConfig, JsonSummary, Timing } from "../../core/result.js";
import type { ErrorCategory, EvalRow, Outcome, TrialKey } from "../../core/row.js";
import type { Lift, RunComparison } from "../../metrics/compare/index.js";
import type { QueueState } from "../../queue/contract.js";
import type { TrialLabel, TrialLabelDraft } from "../../store/contract.js";
import type { EvalPart, StimulusLine } from "../eval/eval-part.js";
import type { ExperimentReport } from "../experiment-figures.js";

export type { EffortCurve, EffortPoint, TrialLabel, TrialLabelDraft };

// The data of the dashboard and the HTML report: made by `src/report/dashboard`, drawn by `web/`. Unknown is null, never
// 0; numbers are never NaN or infinite.

/** `running`: a process holds the run; `incomplete`: it ended early; `damaged`: it cannot be read. */
export type RunStatus = "running" | "complete" | "incomplete" | "damaged";

/** Figures of one system that lists and charts over runs use, named as in summaries. */
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

/** Summary of one system of a run. */
export interface SystemCard {
  system: string;
  harness: string | null;
  model: string | null;
  figures: Readonly<Record<CardFigure, number | null>>;
  /** Trials of each example: the k of `pass_hat`. */
  k: number;
  outcomes: Readonly<Record<Outcome, number>>;
  /** Number of errors by category; categories without errors are left out. */
  categories: Readonly<Partial<Record<ErrorCategory, number>>>;
  costUsd: number | null;
}

/** Summary of one run. */
export interface RunCard {
  id: string;
  title: string;
  createdAt: string;
  status: RunStatus;
  /** `run`, `eval`, `experiment`, `memory`, `import`, …; null for a run started by a program. */
  command: string | null;
  planned: number;
  /** Planned trials that have a row. */
  done: number;
  datasets: readonly DatasetCard[];
  /** Tags that its results are broken down by, such as `subject=anatomy`. */
  tags: readonly string[];
  /** Tags that users gave the run, by which it can be named. */
  runTags: readonly string[];
  systems: readonly SystemCard[];
  /** Of the trials with a known cost; null when there are none. */
  costUsd: number | null;
  /** Systems whose cost is unknown for some trials: `costUsd` is then a lower bound. */
  unpricedSystems: number;
  wallSeconds: number | null;
  threshold: number;
  /** The run whose outputs were graded again. */
  parent: string | null;
  /** Why it is damaged. */
  problem: string | null;
  /** Number of active workers; absent when the run is not running or uses no queue. */
  workers?: number;
}

export interface DatasetCard {
  name: string;
  examples: number;
  /** Datasets with the same fingerprint have the same examples. */
  fingerprint: string;
}

/** Filters of a list of runs. With a dataset or a tag, figures cover only the matching rows. */
export interface RunFilter {
  dataset?: string;
  tag?: string;
}

/** A page of the list of runs: filters, order and size. */
export interface RunListQuery extends RunFilter {
  /** Words in the id, the title, a tag of the run, a dataset, a system, a model or a harness. */
  q?: string;
  status?: RunStatus;
  /** `program` for runs without a command. */
  command?: string;
  /** Runs that have this dataset, with the figures of the whole run. */
  hasDataset?: string;
  /** Runs that have this system. */
  hasSystem?: string;
  /** Runs that a user gave this tag. */
  runTag?: string;
  /** Runs started at this time or later, as an ISO date. */
  since?: string;
  /** A key of `RUN_SORTS`, prefixed with `-` for descending order. Default: `-when`. */
  sort?: string;
  /** Default: 100. */
  limit?: number;
  /** Number of runs to skip. Default: 0. */
  offset?: number;
}

/** The values that a list of runs can be filtered by. */
export interface RunChoices {
  statuses: readonly RunStatus[];
  commands: readonly string[];
  datasets: readonly string[];
}

/** One page of the runs that match a query. */
export interface RunPage {
  runs: readonly RunCard[];
  /** Number of runs before this page. */
  offset: number;
  /** Number of runs that match the query, on all pages. */
  total: number;
  /** Number of runs without a filter. */
  all: number;
  choices: RunChoices;
  /** Runs that are not read yet and not counted in the other figures; 0 when the answer is complete. */
  unread: number;
}

/** What the value of a pick is counted in. */
export type PickUnit = "score" | "share" | "usd" | "tokens" | "seconds";

/** The system to pick for one purpose, and why. */
export interface SystemPick {
  role: "quality" | "cost" | "speed" | "reliability";
  system: string;
  /** Names the figure, such as "pass rate". */
  label: string;
  unit: PickUnit;
  value: number;
  low: number | null;
  high: number | null;
  /** One sentence. */
  reason: string;
}

/** Which systems to pick; `withheld` says why none is. A run that may stop early has its verdict instead, in sentences. */
export interface RunPicks {
  verdict?: readonly string[];
  withheld: string | null;
  picks: readonly SystemPick[];
  notes: readonly string[];
}

/** The frontier cost of a pass, and what the report says about it. */
export interface FrontierView extends FrontierReport {
  words: string;
}

/** Everything about a run except its rows. */
export interface RunView {
  card: RunCard;
  /** What a reader must know before the figures, such as that few trials were scored; mostly empty. */
  warnings: readonly string[];
  picks: RunPicks;
  /** Null unless several systems, or one and an expert, have a price and ran the same tasks. */
  frontier: FrontierView | null;
  /** Systems that differ only in their effort; mostly empty. */
  effortCurves: readonly EffortCurve[];
  config: EvalConfig;
  timing: Timing | null;
  gitRevision: string | null;
  assayVersion: string;
  notes: readonly string[];
  summary: Readonly<Record<string, JsonSummary>>;
  across: Readonly<Record<string, number | string | null>>;
  charts: RunCharts;
  errors: TopErrors;
  /** Null when it used no queue. */
  queue: QueueView | null;
  /** What all of its trials together may cost; null without a limit, or when it is not stored. */
  maxCostUsd: number | null;
  /** Null unless it is a run of evals or of an experiment. */
  evals: EvalsView | null;
  /** Null unless it is a stress test. */
  reliability: readonly ReliabilityProfile[] | null;
}

/** What people said about the trials of a run, and how far the verdicts agree. */
export interface LabelView {
  labels: readonly TrialLabel[];
  agreement: LabelAgreement;
}

/** Labels against the verdicts of the run, over labeled trials that passed or failed. */
export interface LabelAgreement {
  rightPassed: number;
  rightFailed: number;
  wrongPassed: number;
  wrongFailed: number;
  /** Share of equal verdicts, with a Wilson interval. */
  share: LabelFigure;
  /** Cohen's kappa, with a bootstrap interval over trials. */
  kappa: LabelFigure;
  differing: readonly TrialKey[];
}

/** Without a value if undefined; without an interval for fewer than ten trials. */
export interface LabelFigure {
  value: number | null;
  low: number | null;
  high: number | null;
  n: number;
}

/** What the page needs to write labels; without a token it only reads. */
export interface LabelAccess {
  writeToken: string | null;
}

/** The test cases of a run of evals, as the reports of `assay eval` and `assay experiment` have them. */
export interface EvalsView {
  /** One for each eval file and system. */
  parts: readonly Omit<EvalPart, "stimuli">[];
  /** The systems that have test cases: the variants of an experiment. */
  systems: readonly string[];
  cases: readonly CaseLine[];
  /** Null when the run is not an experiment. */
  experiment: ExperimentReport | null;
  /** Those that fail most come first. */
  graders: readonly GraderLine[];
}

/** A test case, with a cell for each system that has it. */
export interface CaseLine {
  /** Without the name of the variant. */
  eval: string;
  stimulus: string;
  cells: readonly CaseCell[];
}

export interface CaseCell extends Omit<StimulusLine, "stimulus"> {
  system: string;
  /** As in its rows. */
  dataset: string;
}

/** How often a grader failed in trials that failed, of the scored trials that it was part of. */
export interface GraderLine {
  grader: string;
  /** Null when its grades are not stored. */
  type: string | null;
  kind: "code" | "llm" | null;
  /** What it found in one of the failed trials; empty if unknown. */
  evidence: string;
  ran: number;
  failed: number;
  systems: readonly { system: string; ran: number; failed: number }[];
}

/**
 * The workers of a run on a queue, as last reported by its coordinator. `live`: it still reports; `silent`: the run is
 * running but the coordinator stopped reporting; `over`: the run has ended, or continues without the queue.
 */
export type QueueView =
  | { phase: "live" | "silent" | "over"; state: QueueState }
  | { phase: "unreadable"; problem: string };

/** The most frequent errors of a run. */
export interface TopErrors {
  /** Finished trials, of which errors are a share. */
  trials: number;
  /** The most frequent first, at most fifty. */
  top: readonly TopError[];
  /** Number of errors beyond these. */
  leftOut: number;
}

export interface TopError {
  /** A code of a compiler or provider, a message without ids and numbers, or the category. */
  code: string;
  category: ErrorCategory;
  /** The message of its first trial; null if it has none. */
  message: string | null;
  count: number;
  /** Those with the most trials first. */
  systems: readonly { system: string; count: number }[];
}

export interface RunCharts {
  qualityCost: QualityCostChart;
  costSpeed: CostSpeedChart;
  radar: RadarChart;
  costRadar: CostRadarChart;
  passCurves: readonly PassCurve[];
  heatMaps: readonly HeatMap[];
  tokenCosts: readonly TokenCost[];
  latencies: readonly LatencySpread[];
}

/** Quality against the mean cost of an attempt (numbers.md §6): billed dollars, or output tokens if no price is known. */
export interface QualityCostChart {
  /** The unit of all costs. */
  costUnit: "usd" | "tokens";
  points: readonly QualityCostPoint[];
  /** Names of the systems on the step front and on its convex hull, by rising cost. */
  front: readonly string[];
  hull: readonly string[];
}

export interface QualityCostPoint {
  system: string;
  harness: string | null;
  /** In the chart's unit. Null if unknown; 0 is free and drawn in a separate column. */
  cost: number | null;
  quality: number | null;
  low: number | null;
  high: number | null;
  n: number;
  /** Systems that are at least as good and as cheap, and better in one of the two. */
  dominatedBy: readonly string[];
  /** Share of the resampled sets of tasks in which it is on the front; null if it could not be estimated. */
  membership: number | null;
}

/** Cost per pass against seconds per pass: totals of all trials, including failures, divided by the passes. */
export interface CostSpeedChart {
  /** Output tokens if no system has a cost per pass. */
  costUnit: "usd" | "tokens";
  points: readonly CostSpeedPoint[];
  front: readonly string[];
}

export interface CostSpeedPoint {
  system: string;
  harness: string | null;
  /** In the chart's unit. */
  costPerPass: number | null;
  secondsPerPass: number | null;
  passRate: number | null;
  dominatedBy: readonly string[];
  /** Why it is not in the chart; null if it is. */
  leftOut: string | null;
}

/** Median time to success, clipped so that one slow system does not flatten the others. */
export interface RadarChart {
  limitSeconds: number | null;
  spokes: readonly { system: string; seconds: number | null; isClipped: boolean }[];
}

/** Cost per success: dollars, or output tokens if no price is known. Clipped like the times. */
export interface CostRadarChart {
  unit: "usd" | "tokens";
  limit: number | null;
  spokes: readonly { system: string; cost: number | null; isClipped: boolean }[];
}

/** pass@k and pass^k for every k. */
export interface PassCurve {
  system: string;
  points: readonly PassCurveChartPoint[];
}

export interface PassCurveChartPoint {
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

/** Tokens and cost by token class. */
export interface TokenCost {
  system: string;
  /** Each token is in one class; empty when no usage was reported. */
  classes: readonly { name: TokenClass; tokens: number; costUsd: number | null }[];
  /** As billed, of the trials whose cost is known; may exceed the sum of the classes, because a provider may charge for more. */
  costUsd: number | null;
  /** Trials with output and without a known cost: with any, the bill is at least `costUsd`. */
  unknownCosts: number;
}

export type TokenClass = "input" | "cacheRead" | "cacheWrite" | "output" | "reasoning";

/** Durations of trials in seconds. Bins are the same for all systems. */
export interface LatencySpread {
  system: string;
  n: number;
  quantiles: Readonly<Record<"min" | "p25" | "p50" | "p75" | "p95" | "p99" | "max", number>> | null;
  bins: readonly { from: number; to: number; count: number }[];
}

/** The first line of a run's rows: the names that the indexes in `RowChunk` refer to. */
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

/** A chunk of rows in columns, small enough that reading it never blocks the page. */
export interface RowChunk {
  /** Index of the first row. */
  start: number;
  /** Indexes into `RowsHead.systems`, `datasets`, `outcomes`, `categories`. */
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

/** One trial with everything that is known about it. */
export interface TrialView {
  run: string;
  row: EvalRow;
  threshold: number;
  /** The fields of the example; null when the run did not store it. */
  example: readonly DisplayField[] | null;
  /** The fields of the output; empty when there is none. */
  output: readonly DisplayField[];
  evidence: Readonly<Record<string, string>>;
  grades: readonly Grade[];
  timeline: readonly TimelineStep[] | null;
  /** True if the system does not report its tool calls; else absent. */
  toolsUnseen?: true;
  /** Files changed by the agent. */
  changes: readonly FileDiff[] | null;
  /** Why some changes are missing; absent when all are here. */
  changesIncomplete?: string;
  /** Tokens and cost by class; empty when no usage was reported. */
  classes: TokenCost["classes"];
  /** The other trials of the same example, of all systems. */
  siblings: readonly (TrialKey & { outcome: Outcome; score: number | null })[];
}

/** The beginnings of the texts of an example, with one trial of each system: the first that failed, or the first. */
export interface ExampleExcerpts {
  dataset: string;
  exampleId: string | number;
  /** Null when it is not stored. */
  question: string | null;
  expected: string | null;
  responses: readonly { system: string; text: string | null }[];
}

/** The beginnings of the texts of one trial; null where nothing is stored. */
export interface TrialExcerpts {
  question: string | null;
  expected: string | null;
  response: string | null;
}

/** A field of an example or an output, as text. */
export interface DisplayField {
  name: string;
  text: string;
  /** Length of the whole text in characters; `text` is its beginning if it is longer. */
  length: number;
  /** `json` when the value is not a string. */
  kind: "text" | "json";
}

export interface TimelineStep {
  /** Milliseconds since the agent started; negative during set-up. */
  atMs: number;
  /** `pass` is the first passing state, `kill` the stop at a limit: both are added to what the system reported. */
  kind:
    | "user"
    | "says"
    | "thinks"
    | "call"
    | "result"
    | "tokens"
    | "turn"
    | "skill"
    | "error"
    | "system"
    | "other"
    | "pass"
    | "kill";
  /** A few words: the tool's name, the turn, the model. */
  title: string;
  text: string;
  /** Length of the whole text, which is cut if it is very long. */
  length: number;
  /** Pairs a tool call with its result. */
  callId: string | null;
  /** Set for the result of a tool call. */
  isSuccess: boolean | null;
  /** For a tool call that edits or writes a file: its lines, each with a leading `+`, `-` or space. */
  diff: readonly string[] | null;
  /** Cost up to this step; null if unknown. */
  costUsd: number | null;
  tokens: number | null;
  /** Cost and tokens of this step alone; null for a step that is not a model request, or if unknown. */
  stepCostUsd: number | null;
  stepTokens: number | null;
  /** How long a model request took; null if unknown. */
  durationMs: number | null;
  /** The tool of a call. */
  tool?: string;
  /** The sub-agent or side call that it belongs to; absent for the agent itself, or if unknown. */
  thread?: string;
  /** Of a model request: the tool calls of its answer; absent without any, or if unknown. */
  callIds?: readonly string[];
}

export interface FileDiff {
  path: string;
  change: "added" | "changed" | "removed";
  /** Unified diff lines; null when the contents were not stored. */
  diff: readonly string[] | null;
}

/** Two runs, or two systems of one run, side by side. */
export interface CompareView {
  a: RunCard;
  b: RunCard;
  comparison: RunComparison;
  /** For each of its comparisons, as `assay compare` prints it. */
  verdicts: readonly CompareVerdict[];
}

export interface CompareVerdict {
  lift: Lift;
  sentence: string;
}

/** Progress of a running run, and how it ended. */
export interface LiveProgress {
  status: RunStatus;
  done: number;
  planned: number;
  outcomes: Readonly<Record<Outcome, number>>;
  costUsd: number | null;
  /** Over about the last ten seconds; null when the run is not running. */
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
  /** The latest failed trials and errors, newest first, at most twenty. */
  failures: readonly (TrialKey & { outcome: Outcome; category: ErrorCategory; message: string })[];
}

/** The data inside of the HTML report, which replaces the server. */
export interface EmbeddedReport {
  schema: "assay.page/1";
  run: RunView;
  head: RowsHead;
  chunks: readonly RowChunk[];
  trials: readonly TrialView[];
  /** Each pair of systems, A before B. */
  comparisons: readonly CompareView[];
  /** Trials whose texts are left out to limit the size of the file. */
  trialsLeftOut: number;
  /** Absent in files of older versions. */
  labels?: LabelView;
}
