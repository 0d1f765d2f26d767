import * as z from "zod";
import type { GraderFactory, Verdict } from "../core/grader.js";
import type { Output } from "../core/system.js";
import type { AgentEvent } from "../core/trajectory.js";
import { filled, pattern, readConfig } from "./config.js";
import { listed } from "./excerpt.js";
import { GraderError } from "./grader-error.js";
import { ownGrader } from "./own-grader.js";
import { occursIn, readPattern } from "./pattern.js";
import { hidesTools, trajectoryOf } from "./trajectory.js";

const entry = z.union([filled, z.strictObject({ pattern })], "must be the name of a skill, or { pattern }");
const names = z.array(entry, "must be a list of names").default([]);
const schema = z
  .strictObject({ required: names, disallowed: names })
  .refine(
    ({ required, disallowed }) => required.length + disallowed.length > 0,
    "names no skill: give required or disallowed",
  )
  .superRefine(({ required, disallowed }, context) => {
    const both = required.find((one) => disallowed.some((other) => wantedOf(other) === wantedOf(one)));
    if (both !== undefined)
      context.addIssue({ code: "custom", message: `both requires and disallows ${wantedOf(both)}` });
  });

type Entry = z.output<typeof entry>;

/** Grades which skills the agent activated. The score is the share of entries that hold. */
export const skillInvocationGraders = {
  "skill-invocation": (config) => {
    const { required, disallowed } = readConfig(schema, config);
    const checks = [...required.map((one) => checkOf(one, true)), ...disallowed.map((one) => checkOf(one, false))];
    return ownGrader({
      name: "skill-invocation",
      folderUse: "none",
      grade: ({ output }) => judged(checks, activatedIn(output)),
    });
  },
} satisfies Record<string, GraderFactory>;

/** Returns what is wrong with the activated skills, or null. */
type Check = (activated: readonly string[]) => string | null;

function checkOf(given: Entry, isWanted: boolean): Check {
  const fits = fitting(given);
  const problem = `${wantedOf(given)} ${isWanted ? "was not activated" : "was activated"}`;
  return (activated) => (activated.some(fits) === isWanted ? null : problem);
}

function fitting(given: Entry): (name: string) => boolean {
  if (typeof given === "string") return (name) => name === given;
  const expression = readPattern(given.pattern);
  return (name) => occursIn(expression, name);
}

function wantedOf(given: Entry): string {
  return typeof given === "string" ? given : `/${given.pattern}/`;
}

function judged(checks: readonly Check[], activated: readonly string[]): Verdict {
  const problems = checks.map((check) => check(activated)).filter((problem) => problem !== null);
  const found = activated.length === 0 ? "no skill was activated" : `activated: ${listed(activated, 10)}`;
  return {
    passed: problems.length === 0,
    score: (checks.length - problems.length) / checks.length,
    evidence: [...problems, found].join("; "),
  };
}

/** If skills are not observable, a timeline without activations proves nothing. */
function activatedIn(output: Output): string[] {
  const { events } = trajectoryOf(output);
  if (hidesTools(output)) throw new GraderError("this agent does not show which skills it uses");
  const activations = (events as readonly AgentEvent[]).filter((event) => event.type === "skill_activation");
  return [...new Set(activations.map(({ name }) => name))];
}
