import type { GraderSpec } from "../../../core/grader.js";
import { readGlob } from "../../../graders/glob.js";
import { numberOf, partsOf, patternFits, textOf } from "./config-values.js";

/** What is known of a grader before anything is run: that it passes or fails whatever is done, and why. */
export interface Fate {
  readonly passes: boolean;
  /** Goes on after the name of the grader. */
  readonly why: string;
}

/** Whether a file is there before the agent starts. */
export interface Given {
  readonly paths: ReadonlySet<string>;
}

/** A pattern that occurs in all of these occurs in any answer, as `.*` does. */
const ANYTHING = ["", "a", "Z 9", "%", "\n", "\n\n", "\u4e2d", "- x_1\n<y>"];

/** What is known of a grader beforehand; null when it depends on the work. */
export function fateOf(spec: GraderSpec, given: Given): Fate | null {
  if (spec.type === "all-of" || spec.type === "any-of") return fateOfSeveral(spec, given);
  if (spec.type === "not") return fateOfNot(spec, given);
  return fateOfPattern(spec) ?? fateOfFile(spec, given) ?? fateOfCount(spec);
}

function fateOfPattern(spec: GraderSpec): Fate | null {
  const isWanted = spec.type === "output-matches";
  if (!isWanted && spec.type !== "output-not-matches") return null;
  if (!ANYTHING.every((text) => patternFits(spec, text))) return null;
  return { passes: isWanted, why: `the pattern ${textOf(spec, "pattern") ?? ""} matches any answer, an empty one too` };
}

function fateOfFile(spec: GraderSpec, { paths }: Given): Fate | null {
  const path = textOf(spec, "path");
  if (spec.type !== "file-exists" || path === null) return null;
  const glob = readGlob(path);
  const there = [...paths].find((one) => glob.matches(one));
  return there === undefined ? null : { passes: true, why: `${there} is there before the agent starts` };
}

/** An agent that works takes a turn and tokens. */
function fateOfCount(spec: GraderSpec): Fate | null {
  const max = numberOf(spec, "max");
  const isUsed = ["turn-count", "token-budget", "step-count"].includes(spec.type);
  if (isUsed && max === 0) return { passes: false, why: "its maximum is 0, and an agent that works uses some" };
  const isCount = ["turn-count", "tool-call-count", "step-count", "error-count"].includes(spec.type);
  if (!isCount || max !== null || numberOf(spec, "min") !== 0) return null;
  return { passes: true, why: "its minimum is 0, and it has no maximum" };
}

function fateOfSeveral(spec: GraderSpec, given: Given): Fate | null {
  const fates = partsOf(spec).map((part) => fateOf(part, given));
  // One that passes decides any-of, one that fails all-of.
  const deciding = spec.type === "any-of";
  const decided = fates.find((fate) => fate?.passes === deciding);
  if (decided !== undefined && decided !== null) return decided;
  const isSettled = fates.length > 0 && fates.every((fate) => fate !== null);
  return isSettled ? { passes: !deciding, why: fates.map((fate) => fate?.why ?? "").join("; ") } : null;
}

function fateOfNot(spec: GraderSpec, given: Given): Fate | null {
  const [part] = partsOf(spec);
  const fate = part === undefined ? null : fateOf(part, given);
  return fate === null ? null : { passes: !fate.passes, why: fate.why };
}
