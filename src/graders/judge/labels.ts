import type { Output } from "../../core/index.js";
import { describeValue, type Example, isConversation } from "../../core/index.js";
import { convertToText } from "../../evaluators/index.js";
import { toVerdictFields, type VerdictFields } from "./objects-in-text.js";
import { getScale, type JudgeScale, readScaleValue } from "./scale.js";

/** A row labeled by people: an answer with a label on the judge's scale, or two answers and which is better. */
export interface LabelRow {
  question?: string;
  context?: string;
  answer?: string;
  answers?: readonly string[];
  choices?: readonly string[];
  /** The replies of a conversation before `response`, and `response` last. */
  replies?: readonly string[];
  /** Null or "" for an empty answer. */
  response?: string | null;
  /** For a pairwise judge, with `response_b`. */
  response_a?: string | null;
  response_b?: string | null;
  /** 0 or 1, true or false, "pass" or "fail"; a number on the scale; for pairs "a", "b" or "tie". */
  label: number | boolean | string;
  [key: string]: unknown;
}

/** A label that can be compared with a judge. */
export interface Label {
  readonly example: Example;
  readonly output: Output;
  /** People's label as a score in [0, 1]; for a pair 1 is the first answer, 0 the second, 0.5 a tie. */
  readonly people: number;
  /** Characters of the response; for a pair, of the first answer. */
  readonly length: number;
  /** Characters of the second answer of a pair. */
  readonly otherLength: number | null;
}

/**
 * Reads a label row; returns what is wrong with it as a string.
 * @example
 * readLabel({ question: "2+2?", response: "4", label: "pass" }, "binary", 1);
 */
export function readLabel(row: unknown, scale: JudgeScale | "pairwise", id: number): Label | string {
  const fields = toVerdictFields(row);
  if (fields === null) return `is ${describeValue(row)}, not an object`;
  const example = buildLabelExample(fields, id);
  if (typeof example === "string") return example;
  return scale === "pairwise" ? readPairLabel(fields, example) : readSingleLabel(fields, example, scale);
}

function readSingleLabel(fields: VerdictFields, example: Example, scale: JudgeScale): Label | string {
  if (!("response" in fields)) return `has no "response"${formatPairHint(fields)}`;
  const response = readLabelAnswer(fields.response);
  if (response === null) return `has a response that is ${describeValue(fields.response)}, not text`;
  const people = readLabelValue(fields.label, scale);
  if (typeof people === "string") return people;
  const replies = Array.isArray(fields.replies) ? { replies: fields.replies.map(convertToText) } : {};
  return { example, output: { response, ...replies }, people, length: response.length, otherLength: null };
}

function formatPairHint(fields: VerdictFields): string {
  if (!("response_a" in fields || "response_b" in fields)) return "";
  return ", but two answers to compare: use --judge-pairwise (in code, pairwise: true)";
}

function readLabelValue(label: unknown, scale: JudgeScale): number | string {
  if (label === undefined || label === null) return 'has no "label"';
  const people = readScaleValue(label, getScale(scale));
  return typeof people === "number" ? people : `has a label that ${people.replace("a whole number", "a number")}`;
}

const SIDES: ReadonlyMap<unknown, number> = new Map(Object.entries({ a: 1, b: 0, tie: 0.5, draw: 0.5 }));

function readPairLabel(fields: VerdictFields, example: Example): Label | string {
  for (const side of ["response_a", "response_b"]) if (!(side in fields)) return `has no "${side}"`;
  const [first, second] = [readLabelAnswer(fields.response_a), readLabelAnswer(fields.response_b)];
  if (first === null || second === null) return "has a response_a or response_b that is not text";
  const { label } = fields;
  const people = typeof label === "string" ? SIDES.get(label.trim().toLowerCase()) : undefined;
  if (people === undefined) return `has a label that is ${describeValue(label)}, but must be "a", "b" or "tie"`;
  return {
    example: { ...example, baseline: second },
    output: { response: first },
    people,
    length: first.length,
    otherLength: second.length,
  };
}

function buildLabelExample(
  { turns, question, context, answer, answers, choices, id }: VerdictFields,
  row: number,
): Example | string {
  if (turns !== undefined && !isConversation(turns))
    return 'has turns that are not a list of { "role", "content" } texts';
  const golds = Array.isArray(answers) ? answers.map(convertToText) : [];
  const example: Example = { id: typeof id === "string" || typeof id === "number" ? id : row };
  if (turns !== undefined) example.turns = turns;
  if (Array.isArray(choices)) example.choices = choices.map(convertToText);
  for (const [name, value] of Object.entries({ question, context, answer })) {
    const text = convertToText(value);
    if (text !== "") example[name] = text;
  }
  return golds.length > 0 ? { ...example, answers: golds } : example;
}

/** Returns null for a value that is not an answer. A null answer is an empty one. */
function readLabelAnswer(value: unknown): string | null {
  if (value === null) return "";
  return typeof value === "object" || value === undefined ? null : convertToText(value);
}
