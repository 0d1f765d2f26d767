import type { Example } from "./example.js";
import type { Grade } from "./grader.js";
import type { Output, Usage } from "./system.js";

/** Scores by field, each in [0, 1]; one that is not is kept as a measure, with a note. */
export type Scores = Record<string, number>;

/** Figures by field that may lie anywhere. They are averaged and reported, and never decide pass or fail. */
export type Measured = Record<string, number>;

/** Scores with what else there is: measures, text shown to people, fields that could not be decided, each with its reason. */
export interface ScoredWithEvidence {
  scores: Scores;
  measures?: Measured;
  evidence?: Record<string, string>;
  unscored?: Record<string, string>;
  /** What each grader said, where graders decide. */
  grades?: readonly Grade[];
}

/** What an evaluator returns: scores alone, or scores with evidence. */
export type Scored = Scores | ScoredWithEvidence;

/** What scoring itself has used. A cost of null is one that nobody knows. */
export interface ScoringCost {
  costUsd: number | null;
  usage?: Usage;
}

/** Takes what scoring costs, such as the calls of a judge: it is reported apart from what the system costs. */
export interface ScoreMeter {
  add(spent: ScoringCost): void;
}

/** What was measured from outside a system, for outputs that do not say it themselves. */
export interface TrialFigures {
  /** Milliseconds that the system's work took; null when nobody measured it. */
  readonly durationMs: number | null;
  /** Null when nobody knows a price. */
  readonly costUsd: number | null;
  /** True when usage or cost is known to be incomplete. */
  readonly partial: boolean;
}

/** What an evaluator is told about the trial it scores. */
export interface ScoreContext {
  signal: AbortSignal;
  /** Absent while the work is going on. */
  figures?: TrialFigures;
  /** Absent where nobody asks what scoring costs. */
  meter?: ScoreMeter;
}

/** What is known of an output that is still to come. */
interface ScoringForecast {
  /** Tokens of a text. */
  readonly count: (text: string) => number;
  /** The most tokens that it may have; null when there is no limit. */
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
  /** Every field it may emit. Declared fields are checked before a run starts; an evaluator that emits a field only sometimes must declare it. */
  readonly fields?: readonly string[];
  /** Fields fit to decide pass or fail, best first; the first one present on a row is used when nothing else is asked for. */
  readonly primaryFields?: readonly string[];
  /** True when scoring costs money, so that the budget of a run has to set some aside for it. */
  readonly isPaid?: boolean;
  /** What scoring an output to an example costs, before there is one; nulls when nobody knows. */
  estimate?(example: Example, forecast: ScoringForecast): { low: number | null; high: number | null };
  /** Called for each example before anything is run. What it throws ends the run: graders that the example gets wrong. */
  checkExample?(example: Example): void;
  /**
   * True when work on the example can be scored while it is going on: what lies in the workspace decides, the same state
   * scores the same, and scoring costs nothing.
   */
  canWatch?(example: Example): boolean;
  /** What identifies the evaluator in the manifest; see `fingerprintOf` for the default. */
  fingerprint?(): unknown;
  /** Called once before anything is run. What it throws ends the run before a cent is spent: a sandbox or a key that is missing. */
  prepare?(): void | Promise<void>;
  /** Gives back what the evaluator holds. Whoever creates an evaluator closes it; `evaluate()` does not. */
  close?(): Promise<void>;
}
