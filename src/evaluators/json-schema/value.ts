import type { Output } from "../../core/index.js";
import { convertToText } from "../gold.js";
import { findJsonValues, type ParsedJson, parseJson } from "../json-text.js";
import { stripAllReasoning } from "../own-answer.js";

const FENCE = /```[\w-]{0,20}[ \t]*\r?\n([\s\S]*?)```/g;
/** The answer is among the last fences. */
const MAX_FENCES = 20;

/** The JSON value of a response: already parsed, the whole text, or (if lenient) the one in its fence or its prose. */
export function parseResponseValue({ response }: Output, isLenient: boolean): ParsedJson | null {
  if (typeof response === "object" && response !== null) return { value: response };
  const text = convertToText(response);
  const whole = parseJson(text);
  if (whole !== null || !isLenient) return whole;
  const answer = stripAllReasoning(text);
  return parseJson(answer) ?? parseFencedJson(answer) ?? parseProseJson(answer);
}

/** The last fenced JSON block; earlier ones are drafts and examples. */
function parseFencedJson(text: string): ParsedJson | null {
  const blocks: string[] = [];
  for (const [, block = ""] of text.matchAll(FENCE)) blocks.push(block);
  for (const block of blocks.slice(-MAX_FENCES).reverse()) {
    const parsed = parseJson(block);
    if (parsed !== null) return parsed;
  }
  return null;
}

/** The last object, else the last list, else a short list such as [1], which may be a citation mark. */
function parseProseJson(text: string): ParsedJson | null {
  let object: ParsedJson | null = null;
  let list: ParsedJson | null = null;
  let mark: ParsedJson | null = null;
  for (const value of findJsonValues(text)) {
    if (!Array.isArray(value)) object = { value };
    else if (value.length === 1 && typeof value[0] === "number") mark = { value };
    else list = { value };
  }
  return object ?? list ?? mark;
}
