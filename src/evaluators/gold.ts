import type { Example, Output, Scored } from "../core/index.js";
import { parseJson } from "./json-text.js";

/** Users' answers and outputs may be numbers or booleans. Null and other values become "". */
export function convertToText(value: unknown): string {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" || typeof value === "bigint" ? String(value) : "";
}

export function getResponseText(output: Output): string {
  return convertToText(output.response);
}

/** Calls `use` for every non-blank gold answer: texts, lists of them, and SQuAD's `{ text }`, where `text` is one or a list. */
export function forEachGold(example: Example, use: (gold: string) => void): void {
  visitGolds(example.answer, use);
  visitGolds(parseAnswerList(example.answers), use);
}

/** Untyped files such as CSV hold lists as JSON. Only lists of texts count: "[1, 2]" may be an interval. */
function parseAnswerList(answers: unknown): unknown {
  if (typeof answers !== "string" || !answers.trimStart().startsWith("[")) return answers;
  const list = parseJson(answers)?.value;
  return Array.isArray(list) && list.every((item) => typeof item === "string") ? list : answers;
}

function visitGolds(value: unknown, use: (gold: string) => void): void {
  if (Array.isArray(value)) for (const item of value) visitItem(item, use);
  else visitItem(value, use);
}

function visitItem(value: unknown, use: (gold: string) => void): void {
  const inner = typeof value === "object" && value !== null && "text" in value ? value.text : value;
  if (inner !== value && Array.isArray(inner)) for (const text of inner) visitGold(text, use);
  else visitGold(inner, use);
}

function visitGold(value: unknown, use: (gold: string) => void): void {
  const gold = convertToText(value);
  if (gold !== "" && gold.trim() !== "") use(gold);
}

export function listGolds(example: Example): string[] {
  const golds: string[] = [];
  forEachGold(example, (gold) => golds.push(gold));
  return golds;
}

/**
 * Explains why there is no gold answer by describing what is in its place.
 * @example
 * describeMissingGold({ id: 1, answer: { value: "Paris" } }); // "the example has no gold answer (answer is an object with value)"
 */
export function describeMissingGold({ answer, answers }: Readonly<Record<string, unknown>>): string {
  const found = Object.entries({ answer, answers }).filter(([, value]) => value !== undefined && value !== null);
  const shapes = found.map(([field, value]) => `${field} is ${describeShape(value)}`).join(", ");
  return `the example has no gold answer${shapes === "" ? "" : ` (${shapes})`}`;
}

const MAX_KEYS = 4;

function describeShape(value: unknown): string {
  if (typeof value === "string") return "blank";
  if (typeof value !== "object" || value === null) return `a ${typeof value}`;
  if (Array.isArray(value))
    return value.length === 0 ? "an empty list" : `a list whose first item is ${describeItem(value[0])}`;
  const keys = Object.keys(value).map((key) => key.slice(0, 40));
  const shown = keys.slice(0, MAX_KEYS).join(", ");
  if (shown === "") return "an empty object";
  return `an object with ${shown}${keys.length > MAX_KEYS ? ", …" : ""}`;
}

function describeItem(item: unknown): string {
  if (item === null || item === undefined) return "null";
  return Array.isArray(item) ? "a list" : describeShape(item);
}

/** Returns no scores, with the same reason for every field. */
export function markUnscored(fields: readonly string[], reason: string): Scored {
  return { scores: {}, unscored: Object.fromEntries(fields.map((field) => [field, reason])) };
}
