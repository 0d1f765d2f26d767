import { type Example, isConversation } from "../core/example.js";
import { contentId } from "../core/fingerprint.js";
import { describe } from "../core/shape.js";
import type { RawRow } from "./source-row.js";

export interface ToExampleOptions {
  /** Target field → column of the row. */
  map?: Readonly<Record<string, string>>;
  /** For text-only formats (CSV): an empty cell is no value, and lists may be written as JSON arrays. */
  textOnly?: boolean;
  /** Name of the dataset, for rows that do not name one. */
  dataset?: string;
}

/** An example and whether its id was computed from its content, or a problem of the row. */
export type Conversion = { readonly example: Example; readonly idFromContent: boolean } | { readonly problem: string };

/**
 * Converts a row to an example: renames columns, normalizes texts and answers, and computes a missing id from the content.
 * Unknown columns are kept. The row may be modified and become the example itself.
 * @example
 * convertRow({ prompt: "2 + 2?", answer: 4 }, { map: { question: "prompt" } });
 */
export function toExample(row: RawRow, options: ToExampleOptions = {}): Conversion {
  const idFromContent = isMissing(row[options.map?.id ?? "id"]);
  // Computed before anything changes: the row may become the example itself.
  const ownId = idFromContent ? contentId(row) : null;
  const fields = options.map === undefined ? (row as Record<string, unknown>) : renamed(row, options.map);
  let absent = false;
  if (options.textOnly === true || !isInShape(fields)) {
    for (const field in fields) {
      const coerced = coerce(field, fields[field], options);
      if (coerced instanceof Problem) return { problem: `${coerced.text} in "${field}"` };
      if (coerced === undefined) absent = true;
      fields[field] = coerced;
    }
  }
  if (Array.isArray(fields.answer)) absent = moveAnswers(fields) || absent;
  if (!isAsking(fields)) return { problem: nothingAsked(Object.keys(row)) };
  if (ownId !== null) fields.id = ownId;
  if (options.dataset !== undefined && fields.dataset === undefined) fields.dataset = options.dataset;
  return { example: (absent ? withoutAbsent(fields) : fields) as Example, idFromContent };
}

/** Adds new names beside the old ones; copies the row only if a new name would hide a column. */
function renamed(row: RawRow, map: Readonly<Record<string, string>>): Record<string, unknown> {
  let fields = row as Record<string, unknown>;
  for (const target in map) if (target in row) fields = { ...row };
  for (const target in map) fields[target] = row[map[target] ?? ""];
  return fields;
}

/** Fast path for large files: true for most rows, whose texts are strings and which have no lists. */
function isInShape({
  id,
  context,
  question,
  answer,
  answers,
  choices,
  turns,
  dataset,
}: Record<string, unknown>): boolean {
  return (
    isTextOrNothing(context) &&
    isTextOrNothing(question) &&
    isTextOrNothing(answer) &&
    isTextOrNothing(dataset) &&
    (typeof id === "string" || typeof id === "number" || id === undefined) &&
    answers === undefined &&
    choices === undefined &&
    turns === undefined
  );
}

function isTextOrNothing(value: unknown): boolean {
  return typeof value === "string" || value === undefined;
}

function isMissing(id: unknown): boolean {
  return id === undefined || id === null || id === "";
}

/** Converts a value for its field; undefined if there is none. */
function coerce(field: string, value: unknown, { textOnly = false }: ToExampleOptions): unknown {
  const coercion = COERCIONS.get(field);
  if (coercion === undefined) return value;
  if (value === undefined || value === null || (textOnly && value === "")) return undefined;
  return coercion(textOnly && LISTS.has(field) ? listed(value) : value);
}

/** Returned, not thrown: a file may have many bad rows, and each throw costs a stack trace. */
class Problem {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

const COERCIONS: ReadonlyMap<string, (value: unknown) => unknown> = new Map([
  ["id", toId],
  ["context", prose],
  ["question", prose],
  ["answer", (value: unknown) => (Array.isArray(value) ? texts(value) : text(value))],
  ["answers", (value: unknown) => texts(Array.isArray(value) ? value : [value])],
  ["choices", (value: unknown) => (Array.isArray(value) ? texts(value) : noList(value))],
  ["turns", toTurns],
  ["dataset", text],
]);

const LISTS = new Set(["answer", "answers", "choices", "turns"]);

/** Parses a list that a text-only format stores as JSON. */
function listed(value: unknown): unknown {
  if (typeof value !== "string" || !value.startsWith("[")) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value; // Text that only looks like a list.
  }
}

function toId(value: unknown): string | number | Problem {
  return typeof value === "string" || typeof value === "number" ? value : new Problem(`has ${describe(value)}`);
}

function noList(value: unknown): Problem {
  return new Problem(`has ${describe(value)} and not a list`);
}

function prose(value: unknown): string | Problem {
  if (typeof value === "string") return value;
  return typeof value === "number" ? String(value) : new Problem(`has ${describe(value)} and not text`);
}

function text(value: unknown): string | Problem {
  return typeof value === "boolean" ? String(value) : prose(value);
}

function texts(values: readonly unknown[]): string[] | Problem {
  const list: string[] = [];
  for (const value of values) {
    if (value === null) continue;
    const one = text(value);
    if (one instanceof Problem) return new Problem(`has a list with ${describe(value)}`);
    list.push(one);
  }
  return list;
}

function toTurns(value: unknown): unknown {
  if (!Array.isArray(value)) return noList(value);
  const turns: unknown[] = value.map((turn: unknown) =>
    typeof turn === "string" ? { role: "user", content: turn } : turn,
  );
  const good = isConversation(turns);
  return good ? turns : new Problem('has a turn without the strings "role" and "content"');
}

/** Moves several answers in `answer` to `answers`. Returns whether `answer` is gone. */
function moveAnswers(fields: Record<string, unknown>): boolean {
  const own = fields.answer as string[];
  const others = (fields.answers ?? []) as string[];
  fields.answers = [...new Set([...own, ...others])];
  fields.answer = undefined;
  return true;
}

function isAsking({ context, question, turns }: Record<string, unknown>): boolean {
  return Boolean(context) || Boolean(question) || (Array.isArray(turns) && turns.length > 0);
}

function nothingAsked(columns: readonly string[]): string {
  return `has neither a context nor a question (its columns: ${columns.join(", ") || "none"}; choose one with --map question=COLUMN)`;
}

function withoutAbsent(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
