import type { Scored } from "../core/evaluator.js";
import type { Example } from "../core/example.js";
import type { Output } from "../core/system.js";

/** Outputs and examples come from users' code, where an answer may be a number, and null is nothing. */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" || typeof value === "bigint" ? String(value) : "";
}

/** What the system answered; nothing when it answered null. */
export function responseOf(output: Output): string {
  return textOf(output.response);
}

/** Calls with every gold answer that says something. */
export function eachGold(example: Example, use: (gold: string) => void): void {
  const { answer, answers } = example;
  useGold(answer, use);
  if (Array.isArray(answers)) for (const gold of answers) useGold(gold, use);
  else useGold(answers, use);
}

function useGold(value: unknown, use: (gold: string) => void): void {
  const gold = textOf(value);
  if (gold !== "" && gold.trim() !== "") use(gold);
}

/** Every gold answer that says something. */
export function goldsOf(example: Example): string[] {
  const golds: string[] = [];
  eachGold(example, (gold) => golds.push(gold));
  return golds;
}

/** No score for any of the fields, and why. */
export function undecided(fields: readonly string[], reason: string): Scored {
  return { scores: {}, unscored: Object.fromEntries(fields.map((field) => [field, reason])) };
}
