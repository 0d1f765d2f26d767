import type { Output } from "../../core/system.js";
import { textOf } from "../gold.js";
import { jsonValuesIn, parseJson } from "../json-text.js";
import { spokenPart } from "../own-answer/reasoning.js";
import { argumentsOf, type Call, callsIn, fieldsOf, hasArguments } from "./call.js";
import { pythonCalls, pythonLiteral } from "./python-calls.js";

const FENCE = /```[\w-]{0,20}[ \t]*\r?\n([\s\S]*?)```/g;
const TAG = /<function=([\w.-]{1,200})>/g;
const TAG_END = "</function>";
const MARKS = /<\|python_tag\|>|\[TOOL_CALLS\]|<\/?tool_calls?>/g;

/** The calls that a system made: those in `tool_calls`, else those in the text of its response. */
export function actualCalls(output: Output, expectedNames: ReadonlySet<string>): Call[] {
  const given = typeof output.tool_calls === "string" ? parseJson(output.tool_calls)?.value : output.tool_calls;
  const structured = given === undefined || given === null ? null : callsIn(given);
  if (structured !== null && structured.length > 0) return structured;
  const response: unknown = output.response;
  if (typeof response === "object" && response !== null) return jsonCalls([response], expectedNames);
  return callsInText(spokenPart(textOf(response)), expectedNames);
}

function callsInText(text: string, expectedNames: ReadonlySet<string>): Call[] {
  const tagged = taggedCalls(text);
  if (tagged.length > 0) return tagged;
  const plain = text.replace(MARKS, " ");
  const inJson = jsonCalls(jsonValuesIn(plain), expectedNames);
  return inJson.length > 0 ? inJson : inPython(plain, expectedNames);
}

/** Llama's way: <function=name>{…}</function>. Each end is looked for once, so that no text is read over and over. */
function taggedCalls(text: string): Call[] {
  const tag = new RegExp(TAG);
  const calls: Call[] = [];
  for (let match = tag.exec(text); match !== null; match = tag.exec(text)) {
    const end = text.indexOf(TAG_END, tag.lastIndex);
    if (end === -1) break;
    calls.push({ name: match[1] ?? "", args: argumentsOf(text.slice(tag.lastIndex, end).trim()) });
    tag.lastIndex = end;
  }
  return calls;
}

/** Only what is meant as a call: an object that merely has a name is none. */
function jsonCalls(values: Iterable<unknown>, expectedNames: ReadonlySet<string>): Call[] {
  const calls: Call[] = [];
  for (const value of values) {
    for (const item of Array.isArray(value) ? value : [value]) {
      const fields = fieldsOf(item);
      if (fields === null) continue;
      calls.push(...((hasArguments(fields) ? callsIn(fields) : null) ?? namedCalls(fields, expectedNames)));
    }
  }
  return calls;
}

/** The way of BFCL, { name: { …arguments } }, which only an expected name can tell from any other object. */
function namedCalls(fields: Readonly<Record<string, unknown>>, expectedNames: ReadonlySet<string>): Call[] {
  const entries = Object.entries(fields);
  const isCall =
    entries.length > 0 && entries.every(([name, args]) => expectedNames.has(name) && fieldsOf(args) !== null);
  return isCall ? entries.map(([name, args]) => ({ name, args: argumentsOf(args) })) : [];
}

/** The whole text, a fence, or a line in square brackets: elsewhere, what looks like a call is prose. */
function inPython(text: string, expectedNames: ReadonlySet<string>): Call[] {
  const fences = Array.from(text.matchAll(FENCE), ([, block = ""]) => block);
  for (const part of [text, ...fences, ...bracketedLines(text)]) {
    const calls = pythonCalls(part) ?? jsonCalls([pythonLiteral(part)?.value], expectedNames);
    if (calls.length > 0) return calls;
  }
  return [];
}

function bracketedLines(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line.startsWith("[") && line.endsWith("]"));
}
