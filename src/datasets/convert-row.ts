import { describeValue, type Example, hashContent, isConversation } from "../core/index.js";
import { toGivenFiles } from "./example-files.js";
import type { RawRow } from "./source-row.js";

export interface ConvertRowOptions {
  /** Target field → column of the row. */
  map?: Readonly<Record<string, string>>;
  /** For text-only formats (CSV): an empty cell is no value, and lists may be written as JSON arrays. */
  textOnly?: boolean;
  /** Accepts rows with neither a context nor a question. */
  anyColumns?: boolean;
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
export function convertRow(row: RawRow, options: ConvertRowOptions = {}): Conversion {
  const map = findSpelledColumns(row, options.map);
  const idFromContent = isMissingId(row[map?.id ?? "id"]);
  // Computed before anything changes: the row may become the example itself.
  const ownId = idFromContent ? hashContent(row) : null;
  const fields = map === undefined ? (row as Record<string, unknown>) : renameColumns(row, map);
  let absent = false;
  if (options.textOnly === true || !hasExpectedTypes(fields)) {
    for (const field in fields) {
      const coerced = coerceField(field, fields[field], options);
      if (coerced instanceof FieldProblem) return { problem: `${coerced.text} in "${field}"` };
      if (coerced === undefined) absent = true;
      fields[field] = coerced;
    }
  }
  if (Array.isArray(fields.answer)) absent = moveAnswers(fields) || absent;
  if (options.anyColumns !== true && !hasPrompt(fields)) return { problem: describeMissingPrompt(Object.keys(row)) };
  if (ownId !== null) fields.id = ownId;
  if (options.dataset !== undefined && fields.dataset === undefined) fields.dataset = options.dataset;
  return { example: (absent ? dropUndefinedFields(fields) : fields) as Example, idFromContent };
}

/** Adds columns that are a field but for case and spaces, such as "Question", unless the field has a column already. */
function findSpelledColumns(row: RawRow, map: ConvertRowOptions["map"]): ConvertRowOptions["map"] {
  let found = map;
  for (const column in row) {
    const field = column.trim().toLowerCase();
    if (field === column || !COERCIONS.has(field) || field in row || found?.[field] !== undefined) continue;
    found = { ...found, [field]: column };
  }
  return found;
}

/** Adds new names beside the old ones; copies the row only if a new name would hide a column. */
function renameColumns(row: RawRow, map: Readonly<Record<string, string>>): Record<string, unknown> {
  let fields = row as Record<string, unknown>;
  for (const target in map) if (target in row) fields = { ...row };
  for (const target in map) fields[target] = row[map[target] ?? ""];
  return fields;
}

/** Fast path for large files: true for most rows, whose texts are strings and which have no lists. */
function hasExpectedTypes({
  id,
  context,
  question,
  answer,
  answers,
  choices,
  turns,
  images,
  files,
  dataset,
}: Record<string, unknown>): boolean {
  return (
    isTextOrUndefined(context) &&
    isTextOrUndefined(question) &&
    isTextOrUndefined(answer) &&
    isTextOrUndefined(dataset) &&
    (typeof id === "string" || typeof id === "number" || id === undefined) &&
    answers === undefined &&
    choices === undefined &&
    turns === undefined &&
    images === undefined &&
    files === undefined
  );
}

function isTextOrUndefined(value: unknown): boolean {
  return typeof value === "string" || value === undefined;
}

function isMissingId(id: unknown): boolean {
  return id === undefined || id === null || id === "";
}

/** Converts a value for its field; undefined if there is none. */
function coerceField(field: string, value: unknown, { textOnly = false }: ConvertRowOptions): unknown {
  const coercion = COERCIONS.get(field);
  if (coercion === undefined) return value;
  if (value === undefined || value === null || (textOnly && value === "")) return undefined;
  return coercion(textOnly && LIST_FIELDS.has(field) ? parseListCell(value) : value);
}

/** Returned, not thrown: a file may have many bad rows, and each throw costs a stack trace. */
class FieldProblem {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

const COERCIONS: ReadonlyMap<string, (value: unknown) => unknown> = new Map([
  ["id", toId],
  ["context", toProseField],
  ["question", toProseField],
  ["answer", (value: unknown) => (Array.isArray(value) ? toTextListField(value) : toTextField(value))],
  ["answers", (value: unknown) => toTextListField(Array.isArray(value) ? value : [value])],
  ["choices", (value: unknown) => (Array.isArray(value) ? toTextListField(value) : createNotListProblem(value))],
  ["turns", toTurns],
  ["images", toFileList],
  ["files", toFileList],
  ["dataset", toTextField],
]);

const LIST_FIELDS = new Set(["answer", "answers", "choices", "turns", "images", "files"]);

/** Parses a list that a text-only format stores as JSON. */
function parseListCell(value: unknown): unknown {
  if (typeof value !== "string" || !value.startsWith("[")) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value; // Text that only looks like a list.
  }
}

function toId(value: unknown): string | number | FieldProblem {
  return typeof value === "string" || typeof value === "number"
    ? value
    : new FieldProblem(`has ${describeValue(value)}`);
}

function createNotListProblem(value: unknown): FieldProblem {
  return new FieldProblem(`has ${describeValue(value)} and not a list`);
}

function toProseField(value: unknown): string | FieldProblem {
  if (typeof value === "string") return value;
  return typeof value === "number" ? String(value) : new FieldProblem(`has ${describeValue(value)} and not text`);
}

function toTextField(value: unknown): string | FieldProblem {
  return typeof value === "boolean" ? String(value) : toProseField(value);
}

function toTextListField(values: readonly unknown[]): string[] | FieldProblem {
  const list: string[] = [];
  for (const value of values) {
    if (value === null) continue;
    const one = toTextField(value);
    if (one instanceof FieldProblem) return new FieldProblem(`has a list with ${describeValue(value)}`);
    list.push(one);
  }
  return list;
}

function toTurns(value: unknown): unknown {
  if (!Array.isArray(value)) return createNotListProblem(value);
  const turns: unknown[] = value.map((turn: unknown) =>
    typeof turn === "string" ? { role: "user", content: turn } : turn,
  );
  const good = isConversation(turns);
  return good ? turns : new FieldProblem('has a turn without the strings "role" and "content"');
}

/** They are looked up after the sample is drawn. */
function toFileList(value: unknown): unknown {
  const what = Array.isArray(value)
    ? "a list of something else than paths and URLs"
    : `${describeValue(value)} and not a list of paths and URLs`;
  return toGivenFiles(value) ?? new FieldProblem(`has ${what} (an unrelated column must have another name)`);
}

/** Moves several answers in `answer` to `answers`. Returns whether `answer` is gone. */
function moveAnswers(fields: Record<string, unknown>): boolean {
  const own = fields.answer as string[];
  const others = (fields.answers ?? []) as string[];
  fields.answers = [...new Set([...own, ...others])];
  fields.answer = undefined;
  return true;
}

function hasPrompt({ context, question, turns }: Record<string, unknown>): boolean {
  return Boolean(context) || Boolean(question) || (Array.isArray(turns) && turns.length > 0);
}

function describeMissingPrompt(columns: readonly string[]): string {
  const [only = ""] = columns;
  const separator = columns.length === 1 ? /[;|\t]/.exec(only)?.[0] : undefined;
  const hint =
    separator === undefined
      ? "choose one with --map question=COLUMN, or insert them with --prompt"
      : `is it separated by ${JSON.stringify(separator)}? Use commas, or save it as .tsv with tabs`;
  return `has neither a context nor a question (its columns: ${columns.join(", ") || "none"}; ${hint})`;
}

function dropUndefinedFields(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
