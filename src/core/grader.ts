import type { ScoreMeter, TrialStats } from "./evaluator.js";
import type { Example } from "./example.js";
import type { TrialKey } from "./row.js";
import type { Output } from "./system.js";

/** A grader in an example: `{ type: "file-exists", config: { path: "add.js" } }`. */
export interface GraderSpec {
  readonly type: string;
  readonly config?: Readonly<Record<string, unknown>>;
  /** Distinguishes several graders of one type. */
  readonly name?: string;
  /** The trial passes only if this grader passes. */
  readonly required?: boolean;
  /** Weight in the trial's score. Default: 1; 0 only reports it. */
  readonly weight?: number;
  /** Judges the answer, the trajectory and the workspace as they were after this turn of the user, from 1. Default: at the end. */
  readonly after_turn?: number;
}

/** The result of one grader for one trial. */
export interface Grade {
  readonly name: string;
  readonly type: string;
  readonly kind: "code" | "llm";
  readonly passed: boolean;
  /** From 0 to 1. */
  readonly score: number;
  /** What was found, for people. */
  readonly evidence: string;
  /** Grades that this one combines. */
  readonly details?: readonly Grade[];
  /** `error`: it could not decide, and `evidence` says why. */
  readonly status: "ok" | "error";
}

/** What a grader returns; name, type and kind are added. */
export type Verdict = Pick<Grade, "passed" | "evidence"> & Partial<Pick<Grade, "score" | "details" | "status">>;

/** What a grader receives. */
export interface Graded {
  readonly example: Example;
  readonly output: Output;
  /** The folder the work was done in, to inspect or to run programs in; null without one. */
  readonly workspace: string | null;
  /** Environment variables for programs run there. */
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly meter?: ScoreMeter;
  /** The trial that is graded. Absent if it is not part of a run. */
  readonly trial?: TrialKey;
  /** Measurements taken outside the system; absent if not measured. */
  readonly figures?: TrialStats;
}

/**
 * Turns the trajectory and workspace of a trial into a verdict.
 * @example
 * const tidy: Grader = { name: "tidy", grade: ({ workspace }) => ({ passed: workspace !== null, evidence: "there is one" }) };
 */
export interface Grader {
  /** The type that examples refer to. */
  readonly name: string;
  /** Default: code. */
  readonly kind?: "code" | "llm";
  /** True if it reads only the workspace and is deterministic, so that running trials can be graded. */
  readonly seesWorkspaceOnly?: boolean;
  grade(graded: Graded): Verdict | Promise<Verdict>;
  /** Called once before the run. Throw to end the run before anything is spent, for example if a key is missing. */
  prepare?(): void | Promise<void>;
  /** Releases resources. */
  close?(): Promise<void>;
}

/** Creates a grader from the `config` of an example; throws if the config is invalid. */
export type GraderFactory = (config: Readonly<Record<string, unknown>>) => Grader;
