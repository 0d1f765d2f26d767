import { messageOf } from "../core/errors.js";
import type { Example } from "../core/example.js";

/** Examples up to this many characters of JSON are kept as they are. */
const MOST_KEPT = 1 << 16;
/** In larger ones, texts longer than this and lists of more items keep their beginning and their end. */
const LONG_TEXT = 8000;
const LONG_LIST = 40;

const NOT_KEPT = /\n… \d+ characters are not kept with the run …\n/;

const KEY_START = '{"dataset":';
const LIST_START = '[{"id":';

/**
 * The lines of examples, with a line feed between them. Nearly every example comes from a file: its id is its first
 * field, and the dataset was put behind all others. Many of those become JSON together, which is several times faster
 * than one by one, and what stands between two of them is replaced. All others are copied as objects.
 */
export function exampleLines(examples: readonly Example[]): string {
  return linesTogether(examples) ?? examples.map(exampleLine).join("\n");
}

/** Null when the examples are not all of that kind, or one is too long to be kept as it is. */
function linesTogether(examples: readonly Example[]): string | null {
  const dataset = examples[0]?.dataset;
  if (dataset === undefined || !examples.every((example) => isFromFile(example, dataset))) return null;
  const json = jsonOfAll(examples);
  if (json === null) return null;
  const field = `"dataset":${JSON.stringify(dataset)}`;
  const end = `,${field}}`;
  // Between examples this text always stands. Where an inner list has it as well, there are too many parts.
  const parts = json.slice(LIST_START.length, -end.length - 1).split(`${end},{"id":`);
  const start = `{${field},"id":`;
  const isLong = (part: string) => start.length + part.length >= MOST_KEPT;
  if (parts.length !== examples.length || parts.some(isLong)) return null;
  return `${start}${parts.join(`}\n${start}`)}}`;
}

function isFromFile(example: Example, dataset: string): boolean {
  let [first, last] = ["", ""];
  for (const name in example) {
    if (first === "") first = name;
    last = name;
  }
  const isInOrder = first === "id" && last === "dataset" && example.dataset === dataset;
  return isInOrder && (typeof example.id === "string" || typeof example.id === "number") && !("toJSON" in example);
}

/** Null when JSON cannot hold one of them, or no text all of them. */
function jsonOfAll(examples: readonly Example[]): string | null {
  try {
    return JSON.stringify(examples);
  } catch {
    return null;
  }
}

/** What tells an example from all others, as the first fields of its line: one is found without parsing the others. */
export function encodeExampleKey(dataset: string, id: string | number): string {
  return `"dataset":${JSON.stringify(dataset)},"id":${JSON.stringify(id)}`;
}

function exampleLine(example: Example): string {
  const { dataset = "", id } = example;
  const line = jsonOf({ dataset, id, ...(example as Partial<Example>) });
  // Fields that are called by a number stand before all others in an object, whatever the order they were given in.
  const isKeyed = line.startsWith(KEY_START);
  if (isKeyed && line.length <= MOST_KEPT) return line;
  const key = encodeExampleKey(dataset, id);
  return keyedLine(key, isKeyed ? `{${line.slice(`{${key},`.length)}` : bareFields(example));
}

function bareFields({ dataset: _, id: __, ...rest }: Example): string {
  return jsonOf(rest);
}

function keyedLine(key: string, fields: string): string {
  const kept = fields.length <= MOST_KEPT ? fields : JSON.stringify(shortened(JSON.parse(fields)));
  return kept === "{}" ? `{${key}}` : `{${key},${kept.slice(1)}`;
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
