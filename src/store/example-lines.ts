import { messageOf } from "../core/errors.js";
import type { Example } from "../core/example.js";
import type { LineBuffer } from "./line-buffer.js";

/** Examples up to this many characters of JSON are kept as they are. */
const MOST_KEPT = 1 << 16;
/** In larger ones, texts longer than this and lists of more items keep their beginning and their end. */
const LONG_TEXT = 8000;
const LONG_LIST = 40;

const NOT_KEPT = /\n… \d+ characters are not kept with the run …\n/;

const KEY_START = '{"dataset":';
const ID_START = Buffer.from('{"id":');
const [QUOTE, BACKSLASH, OPEN, CLOSE, OPEN_LIST, CLOSE_LIST] = Buffer.from('"\\{}[]');
const END = Buffer.from("}\n");

/**
 * Makes lines of examples. Nearly every example comes from a file: its id is its first field, and the dataset was put
 * behind all others. Many of those become JSON together, which is several times faster than one by one, and the last
 * field of each is made the first where its bytes are copied. All others are copied as objects.
 */
export class ExampleLines {
  readonly #lines: LineBuffer;
  #dataset: string | null = null;
  /** The field of the dataset as it stands first in an example, and as it stands last. */
  #first = Buffer.alloc(0);
  #last = Buffer.alloc(0);

  constructor(lines: LineBuffer) {
    this.#lines = lines;
  }

  add(examples: readonly Example[]): void {
    const json = jsonOfAll(examples);
    const ends = json === null ? [] : elementEnds(json);
    const areTold = ends.length === examples.length;
    let start = 1;
    for (let i = 0; i < examples.length; i++) {
      const example = examples[i] as Example;
      const end = ends[i] ?? 0;
      const isAdded = json !== null && areTold && this.#addTurned(example.dataset ?? "", json, start, end);
      if (!isAdded) this.#lines.add(exampleLine(example));
      start = end + 1;
    }
  }

  /**
   * Adds what stands from `start` to `end`, with the last field first; false when the field is not there. Only a field
   * of the example itself can end its JSON like this: one of an inner object has a brace more behind it, and in a text
   * the quotes would be escaped.
   */
  #addTurned(dataset: string, json: Buffer, start: number, end: number): boolean {
    if (dataset !== this.#dataset) this.#expect(dataset);
    const middle = end - this.#last.length;
    const isTurnable = middle > start && isAt(json, start, ID_START) && isAt(json, middle, this.#last);
    if (!isTurnable || end - start > MOST_KEPT) return false;
    this.#lines.addPart(this.#first);
    this.#lines.addPart(json, start + 1, middle);
    this.#lines.addPart(END);
    return true;
  }

  #expect(dataset: string): void {
    this.#dataset = dataset;
    this.#first = Buffer.from(`{"dataset":"${dataset}",`);
    this.#last = Buffer.from(`,"dataset":"${dataset}"}`);
  }
}

/** Null when JSON cannot hold one of them, or no text all of them. */
function jsonOfAll(examples: readonly Example[]): Buffer | null {
  try {
    return Buffer.from(JSON.stringify(examples));
  } catch {
    return null;
  }
}

/** Where each object in a list of objects ends. */
function elementEnds(json: Buffer): number[] {
  const ends: number[] = [];
  let depth = 0;
  for (let i = 0; i < json.length; i++) {
    const byte = json[i];
    if (byte === QUOTE) i = closingQuote(json, i);
    else if (byte === OPEN || byte === OPEN_LIST) depth += 1;
    else if (byte === CLOSE || byte === CLOSE_LIST) {
      depth -= 1;
      if (depth === 1) ends.push(i + 1);
    }
  }
  return ends;
}

function closingQuote(json: Buffer, opening: number): number {
  let i = opening + 1;
  while (json[i] !== QUOTE) i += json[i] === BACKSLASH ? 2 : 1;
  return i;
}

function isAt(bytes: Buffer, start: number, part: Buffer): boolean {
  for (let i = 0; i < part.length; i++) if (bytes[start + i] !== part[i]) return false;
  return true;
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
