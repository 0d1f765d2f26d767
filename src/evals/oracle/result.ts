import type { Example, Grader, GraderSpec, Registry } from "../../core/index.js";
import { type ExampleGrader, makeExampleGraders } from "../../graders/index.js";
import type { Omission } from "./omissions.js";

/** The verdict of the graders on one state. */
export interface StateVerdict {
  /** `error`: the graders could not decide, or the state could not be created; `reason` says why. */
  readonly outcome: "pass" | "fail" | "error";
  readonly reason: string;
  /** What each grader found, by its name. */
  readonly evidence: Readonly<Record<string, string>>;
}

/** An omission, and the verdict on the state without it. */
export interface TriedOmission extends Omission {
  /** `survived`: the graders pass the state, so they do not notice the missing line. */
  readonly outcome: "caught" | "survived" | "error";
  readonly reason: string;
  readonly evidence: Readonly<Record<string, string>>;
}

/** The results of leaving out the lines of a golden patch one by one. */
export interface OmissionSummary {
  /** Lines that the patch adds or removes. */
  readonly found: number;
  readonly tried: number;
  readonly caught: number;
  /** Without those that look harmless, which are in `harmless`. */
  readonly survived: number;
  readonly harmless: number;
  /** Could not be tried. */
  readonly failed: number;
  /** Everything that was not caught, in the order of the patch. */
  readonly uncaught: readonly TriedOmission[];
}

/** Identifies and locates a test case. */
export interface StimulusPlace {
  readonly eval: string;
  readonly stimulus: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** A test case whose graders were checked with its golden patch. */
export interface CheckedStimulus extends StimulusPlace {
  readonly status: "sound" | "unsound";
  /** The golden patch, or the script that solves the task. */
  readonly patchFile: string;
  /** Must fail. */
  readonly untouched: StateVerdict;
  /** Must pass. */
  readonly golden: StateVerdict;
  /** Null when they were not tried: the golden state fails, the untouched one passes, or a script solves the task. */
  readonly omissions: OmissionSummary | null;
  readonly leftOut: readonly LeftOut[];
  readonly notes: readonly string[];
}

/** A test case that could not be checked. */
export interface UncheckedStimulus extends StimulusPlace {
  readonly status: "unchecked";
  /** `no-patch`: there is no patch or script that solves it; `no-grader`: no grader can judge without an agent. */
  readonly cause: "no-patch" | "no-grader" | "error" | "interrupted";
  readonly why: string;
  readonly leftOut: readonly LeftOut[];
}

/** The result for one test case, or why it could not be checked. */
export type StimulusCheck = CheckedStimulus | UncheckedStimulus;

/** True for a relevant line whose omission no grader notices. */
export function isSurvivor({ outcome, looksHarmless }: TriedOmission): boolean {
  return outcome === "survived" && !looksHarmless;
}

/** How far the oracle is. */
export interface OracleProgress {
  /** Graded states, out of those planned so far; more are planned on the way. */
  readonly done: number;
  readonly planned: number;
  readonly survived: number;
  /** Finished test cases, out of all. */
  readonly finished: number;
  readonly stimuli: number;
}

/** Counts finished work and reports progress. */
export class OracleProgressTracker {
  readonly #stimuli: number;
  readonly #tell: ((progress: OracleProgress) => void) | undefined;
  #done = 0;
  #planned = 0;
  #survived = 0;
  #finished = 0;

  constructor(stimuli: number, tell: ((progress: OracleProgress) => void) | undefined) {
    this.#stimuli = stimuli;
    this.#tell = tell;
  }

  plan(count: number): void {
    this.#planned += count;
    this.#report();
  }

  countGraded(isSurvivor: boolean): void {
    this.#done += 1;
    if (isSurvivor) this.#survived += 1;
    this.#report();
  }

  finish(): void {
    this.#finished += 1;
    this.#report();
  }

  #report(): void {
    this.#tell?.({
      done: this.#done,
      planned: this.#planned,
      survived: this.#survived,
      finished: this.#finished,
      stimuli: this.#stimuli,
    });
  }
}

/** The graders of an example that can judge a folder without an agent. */
export interface ApplicableGraders {
  /** The example with only these graders; null when none of them decides anything. */
  readonly example: Example | null;
  /** Graders that need an agent, and why. */
  readonly leftOut: readonly LeftOut[];
}

/** A grader that has nothing to check when no agent is started. */
export interface LeftOut {
  readonly grader: string;
  readonly why: string;
}

/** Separates graders of the workspace from graders of what an agent said and did. */
export function selectApplicableGraders(example: Example, registry: Registry): ApplicableGraders {
  const { graders } = makeExampleGraders(example, registry);
  const left = graders.filter((one) => explainExclusionFromOracle(one) === null);
  const leftOut = graders.flatMap((one) => {
    const why = explainExclusionFromOracle(one);
    return why === null ? [] : [{ grader: one.field, why }];
  });
  const decides = left.some(({ weight, required }) => weight > 0 || required);
  return { example: decides ? { ...example, graders: restoreGraderSpecs(left) } : null, leftOut };
}

function explainExclusionFromOracle({ grader, spec }: ExampleGrader): string | null {
  const { kind = "code", seesWorkspaceOnly = false }: Grader = grader;
  if (spec.after_turn !== undefined) return "judges a turn, but a golden patch has none";
  if (kind === "llm") return "needs a model";
  return seesWorkspaceOnly ? null : "needs the agent's trajectory";
}

/**
 * Graders keep the names they have in a run. If none of those left has a weight, the required ones get one: they decide
 * either way, and a list of graders without any weight is rejected.
 */
function restoreGraderSpecs(left: readonly ExampleGrader[]): GraderSpec[] {
  const isUncounted = left.every(({ weight }) => weight === 0);
  return left.map(({ spec, field, weight, required }) => ({
    ...spec,
    name: field,
    weight: isUncounted && required ? 1 : weight,
  }));
}

/** Waits for all promises, even when one fails, so that no work continues in the background; then throws the first error. */
export async function waitForAll<T>(work: readonly Promise<T>[]): Promise<T[]> {
  const ends = await Promise.allSettled(work);
  return ends.map((end) => {
    if (end.status === "rejected") throw end.reason;
    return end.value;
  });
}

/** Lists the commands that checking an example runs: those of its environment and of its graders, including nested ones. */
export function listCommands({ environment, graders }: Example): string[] {
  const { commands = [] } = (environment ?? {}) as { commands?: readonly string[] };
  return [...commands, ...collectCommands(graders)];
}

function collectCommands(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(collectCommands);
  if (typeof value !== "object" || value === null) return [];
  const { command, args } = value as { command?: unknown; args?: unknown };
  const words = Array.isArray(args) ? args.map(String) : [];
  const own = typeof command === "string" ? [[command, ...words].join(" ")] : [];
  return [...own, ...Object.values(value).flatMap(collectCommands)];
}
