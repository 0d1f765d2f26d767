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
  max: whole.min(1, "must be at least 1: every call occurs once"),
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
 * Detects an agent that loops: the same call again and again, or a few calls in a cycle. Calls of tools that are not
 * watched are part of no cycle, and interrupt one.
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

/** The key by which calls are equal. A call with an unknown result equals no other. */
function keyOf({ name, arguments: given, result }: ToolCall, match: Settings["match"]): string | symbol {
  if (match === "name") return name;
  if (match === "observation") return result === null ? Symbol() : canonicalJson([name, result]);
  return canonicalJson([name, objectOf(given) ?? given]);
}

function judged({ times, start, period }: Repeats, { max }: Settings, calls: readonly ToolCall[]): Verdict {
  const cycle = calls.slice(start, start + period);
  const what = period === 1 ? cycle.map(shown).join("") : `the cycle ${listed(cycle.map(shown))}`;
  const found = times > 1 ? `${what} occurred ${times} times in a row` : "no call was repeated in a row";
  return { passed: times <= max, score: scoreWithin(times, { max }), evidence: `${found}; the limit is ${max}` };
}

function shown({ name, arguments: given }: ToolCall): string {
  return `${name} ${quoted(typeof given === "string" ? given : (JSON.stringify(given) ?? ""))}`;
}

/** The part of a list that repeats most often in a row. */
export interface Repeats {
  /** How often it occurs in a row: 1 if nothing repeats, 0 for an empty list. */
  readonly times: number;
  /** Index of its first occurrence. */
  readonly start: number;
  /** Its number of items: 1 for a repeated item, 2 for two alternating ones. */
  readonly period: number;
}

/**
 * Finds what repeats most often in a row: an item, or a cycle of up to `longestPeriod` items. Among equals it is the
 * shortest, then the first.
 * @example
 * findMostRepeated(["a", "b", "a", "b", "a", "b", "c"], 2); // { times: 3, start: 0, period: 2 }
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
