import * as z from "zod";
import type { AgentEvent, GraderFactory, Output, Verdict } from "../core/index.js";
import { formatList, makeBuiltInGrader } from "./built-in-grader.js";
import { nonEmptyText, pattern, readConfig } from "./config.js";
import { GraderError } from "./grader-error.js";
import { readPattern, testPattern } from "./pattern.js";
import { hasHiddenTools, requireTrajectory } from "./trajectory.js";

const skillEntrySchema = z.union(
  [nonEmptyText, z.strictObject({ pattern })],
  "must be the name of a skill, or { pattern }",
);
const skillListSchema = z.array(skillEntrySchema, "must be a list of names").default([]);
const schema = z
  .strictObject({ required: skillListSchema, disallowed: skillListSchema })
  .refine(
    ({ required, disallowed }) => required.length + disallowed.length > 0,
    "names no skill: give required or disallowed",
  )
  .superRefine(({ required, disallowed }, context) => {
    const both = required.find((one) => disallowed.some((other) => formatSkillEntry(other) === formatSkillEntry(one)));
    if (both !== undefined)
      context.addIssue({ code: "custom", message: `both requires and disallows ${formatSkillEntry(both)}` });
  });

type SkillMatchEntry = z.output<typeof skillEntrySchema>;

/** Grades which skills the agent activated. The score is the share of entries that hold. */
export const skillInvocationGraders = {
  "skill-invocation": (config) => {
    const { required, disallowed } = readConfig(schema, config);
    const checks = [
      ...required.map((one) => createSkillCheck(one, true)),
      ...disallowed.map((one) => createSkillCheck(one, false)),
    ];
    return makeBuiltInGrader({
      name: "skill-invocation",
      folderUse: "none",
      grade: ({ output }) => gradeSkills(checks, listActivatedSkills(output)),
    });
  },
} satisfies Record<string, GraderFactory>;

/** Returns what is wrong with the activated skills, or null. */
type SkillCheck = (activated: readonly string[]) => string | null;

function createSkillCheck(given: SkillMatchEntry, isWanted: boolean): SkillCheck {
  const fits = createSkillMatcher(given);
  const problem = `${formatSkillEntry(given)} ${isWanted ? "was not activated" : "was activated"}`;
  return (activated) => (activated.some(fits) === isWanted ? null : problem);
}

function createSkillMatcher(given: SkillMatchEntry): (name: string) => boolean {
  if (typeof given === "string") return (name) => name === given;
  const expression = readPattern(given.pattern);
  return (name) => testPattern(expression, name);
}

function formatSkillEntry(given: SkillMatchEntry): string {
  return typeof given === "string" ? given : `/${given.pattern}/`;
}

function gradeSkills(checks: readonly SkillCheck[], activated: readonly string[]): Verdict {
  const problems = checks.map((check) => check(activated)).filter((problem) => problem !== null);
  const found = activated.length === 0 ? "no skill was activated" : `activated: ${formatList(activated, 10)}`;
  return {
    passed: problems.length === 0,
    score: (checks.length - problems.length) / checks.length,
    evidence: [...problems, found].join("; "),
  };
}

/** If skills are not observable, a timeline without activations proves nothing. */
function listActivatedSkills(output: Output): string[] {
  const { events } = requireTrajectory(output);
  if (hasHiddenTools(output)) throw new GraderError("this agent does not show which skills it uses");
  const activations = (events as readonly AgentEvent[]).filter((event) => event.type === "skill_activation");
  return [...new Set(activations.map(({ name }) => name))];
}
