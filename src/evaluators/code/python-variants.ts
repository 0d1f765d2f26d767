import { withTyping } from "./python-typing.js";
import type { CodeTask } from "./task.js";
import { type Answer, fromFirstCode, uncutFirst, type Variant } from "./variants.js";

const BEGINS =
  /^(?:from[ \t]+[\w.]+[ \t]+import\b|import[ \t]+\w|def[ \t]+\w|async[ \t]+def\b|class[ \t]+\w+[ \t]*[(:]|@\w)/;
const INDENT = "    ";

/** A whole function replaces the prompt's, whose imports and helpers it may use; a body goes on from the prompt. */
export function pythonVariants(answer: Answer, { prompt, entryPoint }: CodeTask): Variant[] {
  const { isFenced, isWhole } = answer;
  const code = isWhole ? withTyping(answer.code) : answer.code;
  if (!isWhole) {
    const texts = bodies(code).map((body) => afterPrompt(prompt, body));
    return uncutFirst(texts, isFenced ? [] : texts);
  }
  const withPrompt = (text: string) => (prompt === "" ? [text] : [`${prompt}\n\n${text}`, text]);
  if (isFenced) return uncutFirst(withPrompt(code), []);
  // The reading that begins with the function itself comes first: a cut before it would leave the prompt alone.
  const readings = [fromFirstCode(code, entryLine(entryPoint)), fromFirstCode(code, BEGINS), code];
  return uncutFirst(readings.toReversed().flatMap(withPrompt), readings.flatMap(withPrompt));
}

function entryLine(entryPoint: string): RegExp {
  return new RegExp(`^(?:async[ \\t]+)?(?:def|class)[ \\t]+${entryPoint.replace(/\W/g, "") || "\\w"}\\b`);
}

/** How a body may have been indented, most likely first. */
function bodies(code: string): string[] {
  const first = code.split("\n").find((line) => line.trim() !== "") ?? "";
  const whole = indented(code);
  if (/^[ \t]/.test(first)) return [code, indented(dedented(withSpaces(code))), fromIndented(code)];
  // An answer that was trimmed has lost the indent of its first line only.
  return [INDENT + code.trimStart(), whole, indented(withSpaces(code)), fromIndented(code), code];
}

function afterPrompt(prompt: string, body: string): string {
  return prompt.endsWith("\n") || body.startsWith("\n") ? prompt + body : `${prompt}\n${body}`;
}

function indented(code: string): string {
  return mapLines(code, (line) => (line.trim() === "" ? line : INDENT + line));
}

function withSpaces(code: string): string {
  return mapLines(code, (line) => line.replace(/^[ \t]+/, (space) => space.replaceAll("\t", INDENT)));
}

function dedented(code: string): string {
  const filled = code.split("\n").filter((line) => line.trim() !== "");
  const least = filled.reduce((least, line) => Math.min(least, line.length - line.trimStart().length), 1000);
  return mapLines(code, (line) => line.slice(Math.min(least, line.length - line.trimStart().length)));
}

/** Without the prose before a body. */
function fromIndented(code: string): string {
  return fromFirstCode(code, /^[ \t]+\S/);
}

function mapLines(code: string, change: (line: string) => string): string {
  return code.split("\n").map(change).join("\n");
}
