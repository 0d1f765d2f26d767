import { messageOf } from "../core/errors.js";
import type { Example } from "../core/example.js";

/** Examples up to this many characters of JSON are kept as they are. */
const MOST_KEPT = 1 << 16;
/** In larger ones, texts longer than this and lists of more items keep their beginning and their end. */
const LONG_TEXT = 8000;
const LONG_LIST = 40;

const NOT_KEPT = /\n… \d+ characters are not kept with the run …\n/;

/** What tells an example from all others, as the first fields of its line: one is found without parsing the others. */
export function encodeExampleKey(dataset: string, id: string | number): string {
  return `"dataset":${JSON.stringify(dataset)},"id":${JSON.stringify(id)}`;
}

/**
 * An example as one line. Its key is put in front by hand: in an object, fields that are called by a number would stand
 * before it.
 */
export function encodeExample({ dataset = "", id, ...rest }: Example): string {
  const json = jsonOf(rest);
  const fields = json.length <= MOST_KEPT ? json : JSON.stringify(shortened(JSON.parse(json)));
  const key = encodeExampleKey(dataset, id);
  return fields === "{}" ? `{${key}}` : `{${key},${fields.slice(1)}`;
}

function jsonOf(fields: Readonly<Record<string, unknown>>): string {
  try {
    return JSON.stringify(fields);
  } catch (error) {
    return JSON.stringify({ notRecorded: `the example cannot be written as JSON: ${messageOf(error)}` });
  }
}

function shortened(value: unknown): unknown {
  if (typeof value === "string") return shortText(value);
  if (Array.isArray(value)) return shortList(value).map(shortened);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shortened(inner)]));
}

function shortText(text: string): string {
  if (text.length <= LONG_TEXT) return text;
  const half = LONG_TEXT / 2;
  const left = text.length - LONG_TEXT;
  return `${text.slice(0, half)}\n… ${left} characters are not kept with the run …\n${text.slice(-half)}`;
}

/** Whether a text of a stored example is not all of it. */
export function isShortened(text: string): boolean {
  return NOT_KEPT.test(text);
}

function shortList(list: readonly unknown[]): readonly unknown[] {
  if (list.length <= LONG_LIST) return list;
  const half = LONG_LIST / 2;
  return [...list.slice(0, half), ...list.slice(-half)];
}
