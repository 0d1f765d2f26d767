import type { GraderSpec } from "../../core/grader.js";
import type { RawConstraints } from "./spec-schema.js";

type Config = Readonly<Record<string, unknown>>;
type Check = readonly [type: string, config: Config];

/** What each constraint is checked by; null when it checks nothing. */
const CHECKS: { readonly [K in keyof RawConstraints]-?: (value: NonNullable<RawConstraints[K]>) => Check | null } = {
  max_turns: (max) => ["turn-count", { max }],
  max_tokens: (max) => ["token-budget", { max }],
  max_tool_calls: (max) => ["tool-call-count", { max }],
  max_duration: (max) => ["wall-time", { max: max.replaceAll(/\s/g, "") }],
  expect_tools: (required) => listed("tool-calls", { required }),
  reject_tools: (disallowed) => listed("tool-calls", { disallowed }),
  expect_skills: (required) => listed("skill-invocation", { required }),
  reject_skills: (disallowed) => listed("skill-invocation", { disallowed }),
};

function listed(type: string, config: Readonly<Record<string, readonly string[]>>): Check | null {
  return Object.values(config).every((names) => names.length === 0) ? null : [type, config];
}

/** A constraint as a grader, and the key that it stands for. */
export interface ConstraintGrader {
  readonly key: string;
  readonly spec: GraderSpec;
}

/**
 * The graders that constraints stand for. Each is required and counts nothing, so that it decides and does not dilute the
 * score; where nothing else counts, they do.
 */
export function constraintGraders(constraints: RawConstraints, doOthersCount: boolean): ConstraintGrader[] {
  const weight = doOthersCount ? 0 : 1;
  return Object.entries(constraints).flatMap(([key, value]) => {
    const check =
      value === undefined ? null : (CHECKS[key as keyof RawConstraints] as (given: unknown) => Check | null)(value);
    if (check === null) return [];
    const [type, config] = check;
    return [{ key, spec: { type, config, name: `constraint:${key}`, required: true, weight } }];
  });
}
