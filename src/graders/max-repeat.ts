import * as z from "zod";
import { canonicalJson } from "../core/fingerprint.js";
import type { GraderFactory, Verdict } from "../core/grader.js";
import { pattern, readConfig, whole } from "./config.js";
import { listed, quoted } from "./excerpt.js";
import { ownGrader } from "./own-grader.js";
import { occursIn, readPattern } from "./pattern.js";
import { mostRepeated, type Repeats } from "./repeats.js";
import { objectOf } from "./tool-call-match.js";
import { observedTrajectory, type ToolCall, toolCallsOf } from "./trajectory.js";
import { scoreWithin } from "./within.js";

const LONGEST_CYCLE = 10;
const USUAL_CYCLE = 4;
const schema = z.strictObject({
  max: whole.min(1, "must be at least 1: every call comes once"),
  match: z
    .enum(["name-args", "name", "observation"], 'must be "name-args", "name" or "observation"')
    .default("name-args"),
  tools: z.array(pattern, "must be a list of patterns").min(1, "must not be empty").optional(),
  max_cycle_period: whole
    .min(1, "must be from 1 to 10")
    .max(LONGEST_CYCLE, "must be from 1 to 10")
    .default(USUAL_CYCLE),
});

type Settings = z.output<typeof schema>;

/**
 * A grader that finds an agent going round in circles: the same call again and again, or a few calls that take turns.
 * Calls of tools that are not watched belong to no circle, and end one that they come into.
 */
export const maxRepeatGraders = {
  "max-repeat": (config) => {
    const settings = readConfig(schema, config);
    const tools = settings.tools?.map((tool) => readPattern(tool));
    const isWatched = ({ name }: ToolCall) => tools === undefined || tools.some((tool) => occursIn(tool, name));
    return ownGrader({
      name: "max-repeat",
      folderUse: "none",
      grade: ({ output }) => {
        const calls = toolCallsOf(observedTrajectory(output));
        const keys = calls.map((call) => (isWatched(call) ? keyOf(call, settings.match) : Symbol()));
        return judged(mostRepeated(keys, settings.max_cycle_period), settings, calls);
      },
    });
  },
} satisfies Record<string, GraderFactory>;

/** What makes two calls the same. What nobody knows the result of has that of no other. */
function keyOf({ name, arguments: given, result }: ToolCall, match: Settings["match"]): string | symbol {
  if (match === "name") return name;
  if (match === "observation") return result === null ? Symbol() : canonicalJson([name, result]);
  return canonicalJson([name, objectOf(given) ?? given]);
}

function judged({ times, start, period }: Repeats, { max }: Settings, calls: readonly ToolCall[]): Verdict {
  const cycle = calls.slice(start, start + period);
  const what = period === 1 ? cycle.map(shown).join("") : `${listed(cycle.map(shown))} by turns`;
  const found = times > 1 ? `${what} came ${times} times in a row` : "no call came twice in a row";
  return { passed: times <= max, score: scoreWithin(times, { max }), evidence: `${found}, of at most ${max}` };
}

function shown({ name, arguments: given }: ToolCall): string {
  return `${name} ${quoted(typeof given === "string" ? given : (JSON.stringify(given) ?? ""))}`;
}
