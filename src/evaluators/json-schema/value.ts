import type { Output } from "../../core/system.js";
import { textOf } from "../gold.js";
import { jsonValuesIn, type Parsed, parseJson } from "../json-text.js";
import { spokenPart } from "../own-answer/reasoning.js";

const FENCE = /```[\w-]{0,20}[ \t]*\r?\n([\s\S]*?)```/g;
/** The answer is among the last fences. */
const MOST_FENCES = 20;

/** The JSON value of a response: already parsed, the whole text, or (if lenient) the one in its fence or its prose. */
export function responseValue({ response }: Output, isLenient: boolean): Parsed | null {
  if (typeof response === "object" && response !== null) return { value: response };
  const text = textOf(response);
  const whole = parseJson(text);
  if (whole !== null || !isLenient) return whole;
  const answer = spokenPart(text);
  return parseJson(answer) ?? fenced(answer) ?? inProse(answer);
}

/** The last fenced JSON block; earlier ones are drafts and examples. */
function fenced(text: string): Parsed | null {
  const blocks: string[] = [];
  for (const [, block = ""] of text.matchAll(FENCE)) blocks.push(block);
  for (const block of blocks.slice(-MOST_FENCES).reverse()) {
    const parsed = parseJson(block);
    if (parsed !== null) return parsed;
  }
  return null;
}

/** The last object, else the last list, else a short list such as [1], which may be a citation mark. */
function inProse(text: string): Parsed | null {
  let object: Parsed | null = null;
  let list: Parsed | null = null;
  let mark: Parsed | null = null;
  for (const value of jsonValuesIn(text)) {
    if (!Array.isArray(value)) object = { value };
    else if (value.length === 1 && typeof value[0] === "number") mark = { value };
    else list = { value };
  }
  return object ?? list ?? mark;
}
