import type { Output } from "../../core/index.js";
import { convertToText } from "../gold.js";
import { findJsonValues, parseJson, parseJsonFrom } from "../json-text.js";
import { extractFirstTurn, stripAllReasoning } from "../own-answer.js";
import { type Call, canonicalizeToolName, hasArguments, parseCallArguments, parseCalls, toCallFields } from "./call.js";
import { parsePythonCalls, parsePythonLiteral } from "./python-calls.js";

/** Stands for an item of `tool_calls` that is not a call, so that it counts as an extra call. */
const UNREADABLE: Call = { name: "something that is not a call", args: null };

/**
 * Reads the calls that a system made. A `tool_calls` list in the output, even an empty one, is authoritative;
 * only without it is the response text searched.
 * @param toolNames the names of the expected or available tools, as `canonicalizeToolName` writes them
 */
export function readMadeCalls(output: Output, toolNames: ReadonlySet<string>): Call[] {
  const listed = readListedCalls(output.tool_calls);
  if (listed !== null) return listed;
  const response: unknown = output.response;
  if (typeof response === "object" && response !== null) return readCallValues([response], toolNames);
  return findCallsInText(extractFirstTurn(stripAllReasoning(convertToText(response))), toolNames);
}

function readListedCalls(given: unknown): Call[] | null {
  if (given === undefined || given === null || given === "") return null;
  if (typeof given === "object") return readEach(given);
  if (typeof given !== "string") return [];
  const parsed = parseJson(given);
  return parsed === null ? (parsePythonCalls(given) ?? [UNREADABLE]) : readEach(parsed.value);
}

function readEach(given: unknown): Call[] {
  const items: readonly unknown[] = Array.isArray(given) ? given : [given];
  return items.flatMap((item) => parseCalls(item) ?? [UNREADABLE]);
}

const FENCE = /```[\w-]{0,20}[ \t]*\r?\n([\s\S]*?)```/g;
const FUNCTION_TAG = /<(function|invoke)(?:=| name=)["']?([\w.-]{1,200})["']?>/g;
const PARAMETER = /<parameter(?:=| name=)["']?([\w.-]{1,200})["']?>([\s\S]*?)<\/parameter>/g;
/** GLM's format for arguments. */
const ARGUMENT = /<arg_key>([\s\S]*?)<\/arg_key>\s*<arg_value>([\s\S]*?)<\/arg_value>/g;
/** Mistral's newer format: the name, then its arguments. */
const NAMED_MARK = /\[TOOL_CALLS\]\s*([A-Za-z_][\w.-]{0,199})(?:\[CALL_ID\]\w{1,50})?(?:\[ARGS\])?\s*(?=\{)/g;
/** May come before and around a call in a list. */
const LIST_MARK = /^\s*(?:[-*•]|\d{1,2}[.)])\s+/;
const EMPHASIS = /^(\*{1,3}|`)(.*)\1$/;
const CALL_TAG = "<tool_call>";
const CALL_END = "</tool_call>";
const MARKS = /<\|python_tag\|>|\[TOOL_CALLS\]|<\/?tool_calls?>/g;
/** Characters that Markdown escapes, as in `my\_tool`; in JSON the backslash is escaped as well. */
const ESCAPED = /\\{1,2}([_*[\]])/g;
/** "get_weather" on its own line, also as "Action: get_weather". */
const NAME_LINE =
  /^[ \t]*(?:(?:action|tool|function|name)[ \t]*:[ \t]*)?(?!```)[`*"']{0,3}([A-Za-z_][\w.-]{0,199})[`*"']{0,3}[ \t]*:?[ \t]*\r?\n\s{0,20}(?:(?:action input|arguments|parameters|args|input)[ \t]*:\s{0,20})?(?=\{)/gim;
/** Introduces a call that is shown and not made. */
const EXAMPLE =
  /\b(?:for (?:example|instance)|e\.g\.|example|hypothetical(?:ly)?|something like|(?:would|could|might|should) (?:be|look|call|have been)|you (?:can|could|would|might|need|should)|if you|if i (?:had|were)|placeholder|template|syntax)\b/i;

/** Finds calls in tags, as JSON, or in Python's syntax, except those shown as an example. */
function findCallsInText(text: string, toolNames: ReadonlySet<string>): Call[] {
  const calls = findCalls(text, toolNames);
  const isRead = calls.length > 0 && !calls.some(({ name }) => name.includes("\\"));
  const unescaped = text.replace(ESCAPED, "$1");
  return isRead || unescaped === text ? calls : findCalls(unescaped, toolNames);
}

function findCalls(text: string, toolNames: ReadonlySet<string>): Call[] {
  const tagged = readFunctionTags(text) ?? readCallTags(text, toolNames) ?? readNamedMarks(text);
  if (tagged !== null) return tagged;
  const plain = dropExamples(text.replace(MARKS, " "));
  const fences = Array.from(plain.matchAll(FENCE), ([, block = ""]) => block);
  const inJson = readCallValues(findJsonValues(plain), toolNames);
  if (inJson.length > 0) return inJson;
  for (const parts of [[plain], fences, [stripListMarks(plain)], findBracketedLines(plain)]) {
    const calls = parts.flatMap((part) => readCallText(part, toolNames));
    if (calls.length > 0) return calls;
  }
  const inLines = readCallLines(stripListMarks(plain), toolNames);
  return inLines.length > 0 ? inLines : readNameLines(plain, toolNames);
}

/** Calls of known tools on their own lines among prose. */
function readCallLines(text: string, toolNames: ReadonlySet<string>): Call[] {
  const calls = text.split("\n").flatMap((line) => (line.endsWith(")") ? readCallText(line, toolNames) : []));
  return calls.filter(({ name }) => toolNames.has(canonicalizeToolName(name)));
}

/** Reads a text that is nothing but calls. */
function readCallText(text: string, toolNames: ReadonlySet<string>): Call[] {
  const bare = text.trim().replace(/^`([^`]*)`$/, "$1");
  return parsePythonCalls(bare) ?? readCallValues([parsePythonLiteral(bare)?.value], toolNames);
}

/** Removes list marks and bold type around lines. */
function stripListMarks(text: string): string {
  return text
    .split("\n")
    .map((line) => line.replace(LIST_MARK, "").trim().replace(EMPHASIS, "$2"))
    .join("\n");
}

/** Llama's format, <function=name>{…}</function>, and that of others, with a tag for each argument. Each end is searched once, so that reading stays linear. */
function readFunctionTags(text: string): Call[] | null {
  const tag = new RegExp(FUNCTION_TAG);
  const calls: Call[] = [];
  for (let match = tag.exec(text); match !== null; match = tag.exec(text)) {
    const end = text.indexOf(`</${match[1]}>`, tag.lastIndex);
    if (end === -1) break;
    const inner = text.slice(tag.lastIndex, end).trim();
    calls.push({ name: match[2] ?? "", args: readTaggedArguments(inner, PARAMETER) ?? parseCallArguments(inner) });
    tag.lastIndex = end;
  }
  return calls.length > 0 ? calls : null;
}

/** Arguments with a tag each; what is not JSON is a text. Null if there are none. */
function readTaggedArguments(text: string, pattern: RegExp): Call["args"] {
  const found = [...text.matchAll(pattern)].map(([, name = "", value = ""]) => {
    const written = value.trim();
    return [name.trim(), parseJson(written)?.value ?? written] as const;
  });
  return found.length === 0 ? null : Object.fromEntries(found);
}

function readNamedMarks(text: string): Call[] | null {
  const calls = [...text.matchAll(NAMED_MARK)].map((match): Call => {
    const read = parseJsonFrom(text, match.index + match[0].length);
    return { name: match[1] ?? "", args: read === null ? null : toCallFields(read.value) };
  });
  return calls.length > 0 ? calls : null;
}

/** The format of Hermes and Qwen: a <tool_call> for each, with JSON, Python, or a name and JSON. */
function readCallTags(text: string, toolNames: ReadonlySet<string>): Call[] | null {
  const blocks = text
    .split(CALL_TAG)
    .slice(1)
    .map((block) => block.split(CALL_END, 1)[0] ?? "");
  const calls = blocks.flatMap((block) => readCallBlock(block, toolNames));
  return calls.length > 0 ? calls : null;
}

function readCallBlock(block: string, toolNames: ReadonlySet<string>): Call[] {
  const args = readTaggedArguments(block, ARGUMENT);
  if (args !== null) return [{ name: (block.split("<", 1)[0] ?? "").trim(), args }];
  const inJson = readCallValues(findJsonValues(block), toolNames);
  if (inJson.length > 0) return inJson;
  const calls = readCallText(block, toolNames);
  return calls.length > 0 ? calls : readNameLines(block, toolNames);
}

/**
 * Reads the calls among values: objects that are calls, `{ name: { …arguments } }` with the name of a tool, and
 * lists of nothing but calls as texts, `["f(x=1)"]`. An object that only has a name is not a call.
 */
function readCallValues(values: Iterable<unknown>, toolNames: ReadonlySet<string>): Call[] {
  const calls: Call[] = [];
  for (const value of values) {
    const items: readonly unknown[] = Array.isArray(value) ? value : [value];
    const quoted = Array.isArray(value) ? readQuotedCalls(items) : null;
    calls.push(...(quoted ?? items.flatMap((item) => readCallObject(item, toolNames))));
  }
  return calls;
}

function readQuotedCalls(items: readonly unknown[]): Call[] | null {
  const read = items.map((item) => (typeof item === "string" ? parsePythonCalls(item) : null));
  return read.length > 0 && read.every((calls) => calls !== null) ? read.flat() : null;
}

function readCallObject(item: unknown, toolNames: ReadonlySet<string>): Call[] {
  const fields = toCallFields(item);
  if (fields === null) return [];
  return (hasArguments(fields) ? parseCalls(fields) : null) ?? readNamedCalls(fields, toolNames);
}

/** BFCL's format, { name: { …arguments } }, recognizable only by the name of a tool. */
function readNamedCalls(fields: Readonly<Record<string, unknown>>, toolNames: ReadonlySet<string>): Call[] {
  const entries = Object.entries(fields);
  const isCall =
    entries.length > 0 &&
    entries.every(([name, args]) => toolNames.has(canonicalizeToolName(name)) && toCallFields(args) !== null);
  return isCall ? entries.map(([name, args]) => ({ name, args: parseCallArguments(args) })) : [];
}

/** A name on one line and a JSON object on the next, if the name is that of a tool, or there is nothing else. */
function readNameLines(text: string, toolNames: ReadonlySet<string>): Call[] {
  const calls: Call[] = [];
  let rest = "";
  let at = 0;
  for (const match of text.matchAll(NAME_LINE)) {
    const start = match.index + match[0].length;
    const read = match.index < at ? null : parseJsonFrom(text, start);
    if (read === null) continue;
    rest += text.slice(at, match.index);
    at = read.end;
    calls.push({ name: match[1] ?? "", args: toCallFields(read.value) });
  }
  const isAlone = (rest + text.slice(at)).replace(/```[\w-]{0,20}/g, "").trim() === "";
  return isAlone ? calls : calls.filter(({ name }) => toolNames.has(canonicalizeToolName(name)));
}

function findBracketedLines(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line.startsWith("[") && line.endsWith("]"));
}

/** Removes fences, lines and blocks that the words before them call an example. */
function dropExamples(text: string): string {
  const withoutFences = text.replace(FENCE, (fence: string, _inner: string, at: number) =>
    EXAMPLE.test(findIntroduction(text.slice(Math.max(0, at - MAX_INTRODUCTION), at))) ? "" : fence,
  );
  const kept: string[] = [];
  let isInFence = false;
  let block: "other" | "introduced" | "example" = "other";
  for (const line of withoutFences.split("\n")) {
    const isBlank = line.trim() === "";
    if (line.startsWith("```")) isInFence = !isInFence;
    if (isBlank && block === "example") block = "other";
    if (!isBlank && block === "introduced") block = "example";
    const words = line.slice(0, MAX_INTRODUCTION).split(/[[{`"=]|\w\(/, 1)[0] ?? "";
    const isExample = !isInFence && (block === "example" || EXAMPLE.test(words));
    kept.push(isExample ? "" : line);
    if (isExample && /:\s*$/.test(line)) block = "introduced";
  }
  return kept.join("\n");
}

const MAX_INTRODUCTION = 300;

/** The last sentence before a position. */
function findIntroduction(before: string): string {
  const text = before.trimEnd();
  return text.slice(Math.max(text.lastIndexOf("\n"), text.slice(0, -1).lastIndexOf(". ")) + 1);
}
