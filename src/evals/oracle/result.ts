import type { Example } from "../../core/example.js";
import type { Grader, GraderSpec } from "../../core/grader.js";
import type { Registry } from "../../core/registry.js";
import { gradersOf, type MadeGrader } from "../../graders/graders-of.js";
import type { Omission } from "./omissions.js";

/** What the graders say of one state. */
export interface StateVerdict {
  /** `error`: they could not tell, or the state could not be made; `reason` says why. */
  readonly outcome: "pass" | "fail" | "error";
  readonly reason: string;
  /** What each grader found, by its name. */
  readonly evidence: Readonly<Record<string, string>>;
}

/** An omission, and what the graders said of the state that it leaves. */
export interface TriedOmission extends Omission {
  /** `survived`: the graders pass the state, so that they do not notice the line. */
  readonly outcome: "caught" | "survived" | "error";
  readonly reason: string;
  readonly evidence: Readonly<Record<string, string>>;
}

/** What came of leaving out the lines of a golden patch one by one. */
export interface OmissionSummary {
  /** Lines that the patch adds or removes. */
  readonly found: number;
  readonly tried: number;
  readonly caught: number;
  /** Those that look harmless are in `harmless`, not here. */
  readonly survived: number;
  readonly harmless: number;
  /** Could not be tried. */
  readonly failed: number;
  /** All that was not caught, in the order of the patch. */
  readonly uncaught: readonly TriedOmission[];
}

/** Which stimulus it is, and where it stands. */
export interface StimulusPlace {
  readonly eval: string;
  readonly stimulus: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** A stimulus whose graders were held against its golden patch. */
export interface CheckedStimulus extends StimulusPlace {
  readonly status: "sound" | "unsound";
  readonly patchFile: string;
  /** Must fail. */
  readonly untouched: StateVerdict;
  /** Must pass. */
  readonly golden: StateVerdict;
  /** Null when they were not tried, as the golden state does not pass or the untouched one does. */
  readonly omissions: OmissionSummary | null;
  readonly leftOut: readonly LeftOut[];
  readonly notes: readonly string[];
}

/** A stimulus that could not be checked. */
export interface UncheckedStimulus extends StimulusPlace {
  readonly status: "unchecked";
  /** `no-patch`: it has no golden patch; `no-grader`: none of its graders can tell without an agent. */
  readonly cause: "no-patch" | "no-grader" | "error" | "interrupted";
  readonly why: string;
  readonly leftOut: readonly LeftOut[];
}

/** What the oracle found of one stimulus, or why it could not be checked. */
export type StimulusCheck = CheckedStimulus | UncheckedStimulus;

/** True for a line whose omission nobody notices, though it looks as if it mattered. */
export function isSurvivor({ outcome, looksHarmless }: TriedOmission): boolean {
  return outcome === "survived" && !looksHarmless;
}

/** How far the oracle is. */
export interface OracleProgress {
  /** States that were graded, of those known to be graded so far: more come up on the way. */
  readonly done: number;
  readonly planned: number;
  readonly survived: number;
  /** Stimuli that are finished, of all. */
  readonly finished: number;
  readonly stimuli: number;
}

/** Counts what is done, and tells. */
export class Tally {
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
    this.#say();
  }

  tried(isSurvivor: boolean): void {
    this.#done += 1;
    if (isSurvivor) this.#survived += 1;
    this.#say();
  }

  finish(): void {
    this.#finished += 1;
    this.#say();
  }

  #say(): void {
    this.#tell?.({
      done: this.#done,
      planned: this.#planned,
      survived: this.#survived,
      finished: this.#finished,
      stimuli: this.#stimuli,
    });
  }
}

/** Those graders of an example that can tell from the state of a folder alone. */
export interface TakingPart {
  /** The example with these graders and no others; null when none of them decides anything. */
  readonly example: Example | null;
  /** What cannot be asked without an agent, and why. */
  readonly leftOut: readonly LeftOut[];
}

/** A grader that has nothing to look at when no agent is started. */
export interface LeftOut {
  readonly grader: string;
  readonly why: string;
}

/** Tells the graders that look at the workspace from those that look at what an agent said and did. */
export function takingPart(example: Example, registry: Registry): TakingPart {
  const { graders } = gradersOf(example, registry);
  const left = graders.filter(({ grader }) => whyNot(grader) === null);
  const leftOut = graders.flatMap(({ grader, field }) => {
    const why = whyNot(grader);
    return why === null ? [] : [{ grader: field, why }];
  });
  const decides = left.some(({ weight, required }) => weight > 0 || required);
  return { example: decides ? { ...example, graders: specsOf(left) } : null, leftOut };
}

function whyNot({ kind = "code", seesWorkspaceOnly = false }: Grader): string | null {
  if (kind === "llm") return "it asks a model";
  return seesWorkspaceOnly ? null : "it does not look at the workspace alone";
}

/**
 * By their fields, so that they are called as in a run. Where none of those left counts for the score, the required ones
 * do: they decide alone either way, and a list of graders in which nothing counts is refused.
 */
function specsOf(left: readonly MadeGrader[]): GraderSpec[] {
  const isUncounted = left.every(({ weight }) => weight === 0);
  return left.map(({ spec, field, weight, required }) => ({
    ...spec,
    name: field,
    weight: isUncounted && required ? 1 : weight,
  }));
}

/**
 * Waits for all of them, also when one fails, so that nothing goes on behind the caller's back; then throws what the
 * first one threw.
 */
export async function allEnded<T>(work: readonly Promise<T>[]): Promise<T[]> {
  const ends = await Promise.allSettled(work);
  return ends.map((end) => {
    if (end.status === "rejected") throw end.reason;
    return end.value;
  });
}

/** The commands that checking an example runs: those of its environment and those of its graders, also inside others. */
export function commandsOf({ environment, graders }: Example): string[] {
  const { commands = [] } = (environment ?? {}) as { commands?: readonly string[] };
  return [...commands, ...commandsIn(graders)];
}

function commandsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(commandsIn);
  if (typeof value !== "object" || value === null) return [];
  const { command, args } = value as { command?: unknown; args?: unknown };
  const words = Array.isArray(args) ? args.map(String) : [];
  const own = typeof command === "string" ? [[command, ...words].join(" ")] : [];
  return [...own, ...Object.values(value).flatMap(commandsIn)];
}
