import type { DatasetGate } from "../../core/dataset.js";
import type { Environment } from "../../core/environment.js";
import type { GraderSpec } from "../../core/grader.js";

/**
 * An eval file, read and checked: paths are absolute, durations milliseconds, defaults filled in. What stands here is what
 * is run; `Stimulus.graders` holds every check of it, those that constraints, rubrics and triggers stand for included.
 */
export interface EvalSpec {
  /** The file it was read from. */
  readonly file: string;
  readonly name: string;
  readonly description: string | null;
  /** Whether it asks what can be done at all, or whether what could be done still can. */
  readonly type: "capability" | "regression";
  /** The folder of the skill under test; null when there is none. */
  readonly skill: SkillUnderTest | null;
  readonly defaults: SpecDefaults;
  readonly stimuli: readonly Stimulus[];
  readonly gates: readonly DatasetGate[];
  /** What the reader should know: keys of other harnesses that were renamed or ignored, checks that nobody can make. */
  readonly notes: readonly string[];
}

/** The skill that an eval is about, and its folder. */
export interface SkillUnderTest {
  readonly dir: string;
  readonly name: string;
}

/** How an eval is run where the command does not say. */
export interface SpecDefaults {
  /** Trials of each stimulus. */
  readonly runs: number;
  readonly timeoutMs: number | null;
  readonly executor: string | null;
  readonly models: readonly string[];
  readonly judgeModel: string | null;
  /** Dollars for each trial. */
  readonly maxCostUsd: number | null;
}

/** One thing that is asked of an agent. */
export interface Stimulus {
  readonly name: string;
  readonly prompt: string;
  /** What was said before, for stimuli of several turns; empty otherwise. */
  readonly turns: readonly { readonly role: string; readonly content: string }[];
  readonly tags: Readonly<Record<string, string>>;
  readonly rubric: readonly string[];
  /** The shared one with the stimulus' own, as it was given: `src` and skills are absolute paths. */
  readonly environment: Environment;
  readonly graders: readonly GraderSpec[];
  /** What the weighted score must reach; null when all graders have to pass. */
  readonly threshold: number | null;
  /** A patch in the format of git that solves it; null when there is none. */
  readonly goldenPatch: { readonly file: string; readonly text: string } | null;
  /** For trigger tests: whether the skill should be activated. */
  readonly trigger: "should" | "should_not" | null;
  /** Where it stands in the file. */
  readonly line: number;
  readonly column: number;
}
