import type { Example } from "./example.js";
import type { Grade } from "./grader.js";
import type { TrialKey } from "./row.js";
import type { Output, Usage } from "./system.js";

/** Scores by field, each in [0, 1]; a value outside is stored as a measure, with a note. */
export type Scores = Record<string, number>;

/** Numbers by field with any range. They are averaged and reported, but never decide pass or fail. */
export type MeasureValues = Record<string, number>;

/** Scores with details: measures, evidence for people, and the reason for each field that could not be scored. */
export interface ScoredWithEvidence {
  scores: Scores;
  measures?: MeasureValues;
  evidence?: Record<string, string>;
  unscored?: Record<string, string>;
  /** The grade of each grader, where graders decide. */
  grades?: readonly Grade[];
}

/** The return value of an evaluator: scores, or scores with details. */
export type Scored = Scores | ScoredWithEvidence;

/** Cost and usage of scoring. A cost of null is unknown. */
export interface ScoringCost {
  costUsd: number | null;
  usage?: Usage;
}

/** Records the cost of scoring, such as judge calls; reported separately from the cost of the system. */
export interface ScoreMeter {
  add(spent: ScoringCost): void;
}

/** Measurements taken outside the system, for outputs that do not report them. */
export interface TrialStats {
  /** Milliseconds of the system's work; null if not measured. */
  readonly durationMs: number | null;
  /** Null if the price is unknown. */
  readonly costUsd: number | null;
  /** True if usage or cost is known to be incomplete. */
  readonly partial: boolean;
}

/** What an evaluator knows about the trial it scores. */
export interface ScoreContext {
  signal: AbortSignal;
  /** The trial that is scored. Absent if it is not part of a run. */
  trial?: TrialKey;
  /** Absent while the trial is still running. */
  figures?: TrialStats;
  /** Absent if the caller does not track the cost of scoring. */
  meter?: ScoreMeter;
}

/** What is known about an output before it exists. */
interface ScoringEstimateInput {
  /** Counts the tokens of a text. */
  readonly count: (text: string) => number;
  /** Maximum output tokens; null if unlimited. */
  readonly answerTokens: number | null;
}

/**
 * Turns an output into scores.
 * @example
 * const brief: Evaluator = { name: "brief", score: (_, output) => ({ brief: (output.response ?? "").length < 80 ? 1 : 0 }) };
 * @example
 * const length: Evaluator = { name: "length", score: (_, output) => ({ scores: {}, measures: { characters: (output.response ?? "").length } }) };
 */
export interface Evaluator {
  readonly name: string;
  score(original: Example, processed: Output, context?: ScoreContext): Scored | Promise<Scored>;
  /** Every field it may emit, checked before a run starts. A field that is emitted only sometimes must be declared. */
  readonly fields?: readonly string[];
  /** Fields that can decide pass or fail, best first. By default the first one present on a row decides. */
  readonly primaryFields?: readonly string[];
  /** True if scoring costs money, so that the run's budget reserves some for it. */
  readonly isPaid?: boolean;
  /** Estimates the cost of scoring an output that does not exist yet; null where unknown. */
  estimate?(example: Example, forecast: ScoringEstimateInput): { low: number | null; high: number | null };
  /** Called for each example before the run. Throw to end the run, for example if an example configures a grader wrongly. */
  checkExample?(example: Example): void;
  /** True if a running trial of the example can be scored: only the workspace decides, scoring is deterministic and free. */
  canWatch?(example: Example): boolean;
  /** Identifies the evaluator in the manifest; see `computeFingerprint` for the default. */
  fingerprint?(): unknown;
  /** Called once before the run. Throw to end the run before anything is spent, for example if a sandbox or key is missing. */
  prepare?(): void | Promise<void>;
  /** Releases resources. The creator of an evaluator closes it; `evaluate()` does not. */
  close?(): Promise<void>;
}
