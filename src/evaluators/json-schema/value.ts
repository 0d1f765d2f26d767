import type { Output } from "../../core/system.js";
import { textOf } from "../gold.js";
import { jsonValuesIn, type Parsed, parseJson } from "../json-text.js";
import { withoutThinking } from "../thinking.js";

const FENCE = /```[\w-]{0,20}[ \t]*\r?\n([\s\S]*?)```/g;

/** The JSON value of a response: parsed already, the whole text, or (leniently) the one in its fence or its prose. */
export function responseValue({ response }: Output, isLenient: boolean): Parsed | null {
  if (typeof response === "object" && response !== null) return { value: response };
  const text = textOf(response);
  const whole = parseJson(text);
  if (whole !== null || !isLenient) return whole;
  const answer = withoutThinking(text);
  return parseJson(answer) ?? fenced(answer) ?? inProse(answer);
}

/** The last fenced block that is JSON: what comes before it are drafts and examples. */
function fenced(text: string): Parsed | null {
  let last: Parsed | null = null;
  for (const [, block] of text.matchAll(FENCE)) last = parseJson(block ?? "") ?? last;
  return last;
}

/** An object before a list: prose is full of things in square brackets. */
function inProse(text: string): Parsed | null {
  let list: Parsed | null = null;
  for (const value of jsonValuesIn(text)) {
    if (!Array.isArray(value)) return { value };
    list ??= { value };
  }
  return list;
}
