import * as z from "zod";
import { canonicalJson } from "../core/fingerprint.js";
import type { GraderFactory, Verdict } from "../core/grader.js";
import { pattern, readConfig, whole } from "./config.js";
import { listed, quoted } from "./excerpt.js";
import { ownGrader } from "./own-grader.js";
import { occursIn, readPattern } from "./pattern.js";
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

/** The part of a list that comes most often in a row. */
export interface Repeats {
  /** How often it comes in a row: 1 when nothing is repeated, 0 for an empty list. */
  readonly times: number;
  /** Where the first of it begins. */
  readonly start: number;
  /** How many items it has: 1 for one that is repeated, 2 for two that take turns. */
  readonly period: number;
}

/**
 * What comes most often in a row in a list: an item, or a cycle of up to `longestPeriod` items. Of several that come
 * equally often it is the shortest, and the first of those.
 * @example
 * mostRepeated(["a", "b", "a", "b", "a", "b", "c"], 2); // { times: 3, start: 0, period: 2 }
 */
export function mostRepeated(items: readonly unknown[], longestPeriod: number): Repeats {
  let best: Repeats = { times: items.length === 0 ? 0 : 1, start: 0, period: 1 };
  for (let period = 1; period <= Math.min(longestPeriod, items.length / 2); period++) {
    const found = repeatsOf(items, period);
    if (found.times > best.times) best = found;
  }
  return best;
}

function repeatsOf(items: readonly unknown[], period: number): Repeats {
  let [longest, start, same] = [0, 0, 0];
  for (let i = period; i < items.length; i++) {
    same = items[i] === items[i - period] ? same + 1 : 0;
    if (same <= longest) continue;
    longest = same;
    start = i - same - period + 1;
  }
  return { times: Math.floor(longest / period) + 1, start, period };
}
