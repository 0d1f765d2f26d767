import * as z from "zod";
import type { GraderFactory, Verdict } from "../core/index.js";
import { canonicalJson } from "../core/index.js";
import { formatList, makeBuiltInGrader, quoteExcerpt, scoreWithin } from "./built-in-grader.js";
import { pattern, readConfig, wholeNumber } from "./config.js";
import { readPattern, testPattern } from "./pattern.js";
import { toArgumentObject } from "./tool-calls.js";
import { listToolCalls, type ObservedToolCall, requireObservedTrajectory } from "./trajectory.js";

const MAX_CYCLE = 10;
const DEFAULT_CYCLE = 4;
const schema = z.strictObject({
  max: wholeNumber.min(1, "must be at least 1: every call occurs once"),
  match: z
    .enum(["name-args", "name", "observation"], 'must be "name-args", "name" or "observation"')
    .default("name-args"),
  tools: z.array(pattern, "must be a list of patterns").min(1, "must not be empty").optional(),
  max_cycle_period: wholeNumber
    .min(1, "must be from 1 to 10")
    .max(MAX_CYCLE, "must be from 1 to 10")
    .default(DEFAULT_CYCLE),
});

type MaxRepeatSettings = z.output<typeof schema>;

/**
 * Detects an agent that loops: the same call again and again, or a few calls in a cycle. Calls of tools that are not
 * watched are part of no cycle, and interrupt one.
 */
export const maxRepeatGraders = {
  "max-repeat": (config) => {
    const settings = readConfig(schema, config);
    const tools = settings.tools?.map((tool) => readPattern(tool));
    const isWatched = ({ name }: ObservedToolCall) =>
      tools === undefined || tools.some((tool) => testPattern(tool, name));
    return makeBuiltInGrader({
      name: "max-repeat",
      folderUse: "none",
      grade: ({ output }) => {
        const calls = listToolCalls(requireObservedTrajectory(output));
        const keys = calls.map((call) => (isWatched(call) ? toCallKey(call, settings.match) : Symbol()));
        return gradeRepeats(findMostRepeated(keys, settings.max_cycle_period), settings, calls);
      },
    });
  },
} satisfies Record<string, GraderFactory>;

/** The key by which calls are equal. A call with an unknown result equals no other. */
function toCallKey(
  { name, arguments: given, result }: ObservedToolCall,
  match: MaxRepeatSettings["match"],
): string | symbol {
  if (match === "name") return name;
  if (match === "observation") return result === null ? Symbol() : canonicalJson([name, result]);
  return canonicalJson([name, toArgumentObject(given) ?? given]);
}

function gradeRepeats(
  { times, start, period }: Repeats,
  { max }: MaxRepeatSettings,
  calls: readonly ObservedToolCall[],
): Verdict {
  const cycle = calls.slice(start, start + period);
  const what = period === 1 ? cycle.map(formatToolCall).join("") : `the cycle ${formatList(cycle.map(formatToolCall))}`;
  const found = times > 1 ? `${what} occurred ${times} times in a row` : "no call was repeated in a row";
  return { passed: times <= max, score: scoreWithin(times, { max }), evidence: `${found}; the limit is ${max}` };
}

function formatToolCall({ name, arguments: given }: ObservedToolCall): string {
  return `${name} ${quoteExcerpt(typeof given === "string" ? given : (JSON.stringify(given) ?? ""))}`;
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
export function findMostRepeated(items: readonly unknown[], longestPeriod: number): Repeats {
  let best: Repeats = { times: items.length === 0 ? 0 : 1, start: 0, period: 1 };
  for (let period = 1; period <= Math.min(longestPeriod, items.length / 2); period++) {
    const found = countRepeats(items, period);
    if (found.times > best.times) best = found;
  }
  return best;
}

function countRepeats(items: readonly unknown[], period: number): Repeats {
  let [longest, start, same] = [0, 0, 0];
  for (let i = period; i < items.length; i++) {
    same = items[i] === items[i - period] ? same + 1 : 0;
    if (same <= longest) continue;
    longest = same;
    start = i - same - period + 1;
  }
  return { times: Math.floor(longest / period) + 1, start, period };
}
