import type { Omission } from "./omissions.js";
import type { LeftOut } from "./taking-part.js";

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

export type StimulusCheck = CheckedStimulus | UncheckedStimulus;

/** True for a line whose omission nobody notices, though it looks as if it mattered. */
export function isSurvivor({ outcome, looksHarmless }: TriedOmission): boolean {
  return outcome === "survived" && !looksHarmless;
}
