import type { ScoreMeter, TrialFigures } from "./evaluator.js";
import type { Example } from "./example.js";
import type { Output } from "./system.js";

/** How a grader is named and set in an example: `{ type: "file-exists", config: { path: "add.js" } }`. */
export interface GraderSpec {
  readonly type: string;
  readonly config?: Readonly<Record<string, unknown>>;
  /** Its own, where an example has several of one type. */
  readonly name?: string;
  /** The trial passes only when this one does. */
  readonly required?: boolean;
  /** In the trial's score; 1 unless told, 0 to report it only. */
  readonly weight?: number;
}

/** What a grader says of one trial. */
export interface Grade {
  readonly name: string;
  readonly type: string;
  readonly kind: "code" | "llm";
  readonly passed: boolean;
  /** From 0 to 1. */
  readonly score: number;
  /** For people: what was found. */
  readonly evidence: string;
  /** The parts of it, where it is made of several. */
  readonly details?: readonly Grade[];
  /** `error`: it could not tell, and `evidence` says why. */
  readonly status: "ok" | "error";
}

/** What a grader itself answers; name, type and kind are known. */
export type Verdict = Pick<Grade, "passed" | "evidence"> & Partial<Pick<Grade, "score" | "details" | "status">>;

/** What is graded. */
export interface Graded {
  readonly example: Example;
  readonly output: Output;
  /** The folder the work was done in, to look at and to run programs in; null when there is none. */
  readonly workspace: string | null;
  /** Variables for programs that are run in it. */
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly meter?: ScoreMeter;
  /** What was measured of the trial from outside; absent where nobody measured. */
  readonly figures?: TrialFigures;
}

/**
 * Turns the work of a trial, its trajectory and its workspace, into a verdict.
 * @example
 * const tidy: Grader = { name: "tidy", grade: ({ workspace }) => ({ passed: workspace !== null, evidence: "there is one" }) };
 */
export interface Grader {
  /** Its type, as examples name it. */
  readonly name: string;
  /** Code unless told. */
  readonly kind?: "code" | "llm";
  /**
   * True when it looks at the workspace alone and says the same of the same state, so that work can be graded while it is
   * going on.
   */
  readonly seesWorkspaceOnly?: boolean;
  grade(graded: Graded): Verdict | Promise<Verdict>;
  /** Called once before anything is run. What it throws ends the run before a cent is spent: a key that is missing. */
  prepare?(): void | Promise<void>;
  /** Gives back what the grader holds. */
  close?(): Promise<void>;
}

/** Makes a grader from the `config` of an example, or says what is wrong with it. */
export type GraderFactory = (config: Readonly<Record<string, unknown>>) => Grader;
