import type { DatasetGate, Effort, Environment, GraderSpec } from "../../core/index.js";

/**
 * An eval file, read and checked: paths are absolute, durations in milliseconds, defaults filled in. `Stimulus.graders`
 * includes the checks from constraints, rubrics and triggers.
 */
export interface EvalSpec {
  /** The file it was read from. */
  readonly file: string;
  readonly name: string;
  readonly description: string | null;
  /** `capability`: can the agent do it at all; `regression`: can it still do it every time. */
  readonly type: "capability" | "regression";
  /** The skill under test; null when there is none. */
  readonly skill: SkillUnderTest | null;
  readonly defaults: SpecDefaults;
  readonly stimuli: readonly Stimulus[];
  readonly gates: readonly DatasetGate[];
  /** Notes for the user: renamed or ignored keys of other harnesses, and checks that are not made. */
  readonly notes: readonly string[];
}

/** The skill that an eval tests, and its folder. */
export interface SkillUnderTest {
  readonly dir: string;
  readonly name: string;
}

/** Defaults for running an eval; flags of the command override them. */
export interface SpecDefaults {
  /** Trials of each test case. */
  readonly runs: number;
  readonly timeoutMs: number | null;
  readonly executor: string | null;
  readonly models: readonly string[];
  /** Empty for the model's own. */
  readonly efforts: readonly Effort[];
  readonly judgeModel: string | null;
  /** In dollars, for each trial. */
  readonly maxCostUsd: number | null;
}

/** Limits of one test case, where they differ from the defaults; null where they do not. */
export interface StimulusLimits {
  readonly runs: number | null;
  readonly timeoutMs: number | null;
  readonly maxCostUsd: number | null;
}

/** A test case: one task for an agent. */
export interface Stimulus {
  readonly name: string;
  readonly prompt: string;
  /** Earlier turns of the conversation; empty for a single prompt. */
  readonly turns: readonly { readonly role: string; readonly content: string }[];
  readonly tags: Readonly<Record<string, string>>;
  readonly rubric: readonly string[];
  /** The environment of the file merged with that of the test case: `src` and skills are absolute paths. */
  readonly environment: Environment;
  readonly graders: readonly GraderSpec[];
  /** Minimum weighted score; null when all graders must pass. */
  readonly threshold: number | null;
  /** A git patch that solves the task; null when there is none. */
  readonly goldenPatch: { readonly file: string; readonly text: string } | null;
  /** What this test case overrides of the defaults. */
  readonly limits: StimulusLimits;
  /** For trigger tests: whether the skill should be activated. */
  readonly trigger: "should" | "should_not" | null;
  /** Line in the file. */
  readonly line: number;
  readonly column: number;
}
