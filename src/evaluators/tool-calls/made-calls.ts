import type { Output } from "../../core/system.js";
import { textOf } from "../gold.js";
import { parseJson } from "../json-text.js";
import { firstTurn } from "../own-answer/end-of-turn.js";
import { spokenPart } from "../own-answer/reasoning.js";
import { type Call, callsIn } from "./call.js";
import { findCallsInText, readCallValues } from "./calls-in-text.js";
import { pythonCalls } from "./python-calls.js";

/** Stands for an item of `tool_calls` that is not a call, so that it still counts as one too many. */
const UNREADABLE: Call = { name: "something that is not a call", args: null };

/**
 * Reads the calls that a system made. An output that lists them in `tool_calls`, also as an empty list, is taken at its
 * word; only without such a list is the text of the response searched.
 * @param toolNames the names of the tools that are expected or offered, as `plainName` writes them
 */
export function readMadeCalls(output: Output, toolNames: ReadonlySet<string>): Call[] {
  const listed = readListedCalls(output.tool_calls);
  if (listed !== null) return listed;
  const response: unknown = output.response;
  if (typeof response === "object" && response !== null) return readCallValues([response], toolNames);
  return findCallsInText(firstTurn(spokenPart(textOf(response))), toolNames);
}

function readListedCalls(given: unknown): Call[] | null {
  if (given === undefined || given === null || given === "") return null;
  if (typeof given === "object") return readEach(given);
  if (typeof given !== "string") return [];
  const parsed = parseJson(given);
  return parsed === null ? (pythonCalls(given) ?? [UNREADABLE]) : readEach(parsed.value);
}

function readEach(given: unknown): Call[] {
  const items: readonly unknown[] = Array.isArray(given) ? given : [given];
  return items.flatMap((item) => callsIn(item) ?? [UNREADABLE]);
}
