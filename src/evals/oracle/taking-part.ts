import type { Example } from "../../core/example.js";
import type { Grader, GraderSpec } from "../../core/grader.js";
import type { Registry } from "../../core/registry.js";
import { gradersOf, type MadeGrader } from "../../graders/graders-of.js";

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
