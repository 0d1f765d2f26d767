import { digest } from "../../core/fingerprint.js";
import { fieldOf, isFiniteNumber, isObject, type JsonObject, listOf, objectOf, shortName, textOf } from "./fields.js";
import type { ImportedTrial } from "./format.js";

const SLUG_CHARS = 32;
const HASH_CHARS = 8;

/**
 * What was asked. Repeats have a `testIdx` of their own each, so that a test is known by what it holds: its variables,
 * its assertions and its description.
 */
export function exampleOf(record: JsonObject, dataset: string): ImportedTrial["example"] {
  const test = objectOf(record, "testCase");
  const vars = withoutHistory(Object.hasOwn(test, "vars") ? objectOf(test, "vars") : objectOf(record, "vars"));
  const description = textOf(test, "description") ?? textOf(record, "description");
  const assertions = listOf(test, "assert");
  const hash = digest([vars, assertions, description ?? null]).slice(0, HASH_CHARS);
  const question = promptOf(record);
  const answer = expectedOf(assertions);
  return {
    id: `${slugOf(description ?? firstText(vars))}${hash}`,
    dataset,
    ...(question === undefined ? {} : { question }),
    ...(answer === undefined ? {} : { answer }),
    ...(Object.keys(vars).length === 0 ? {} : { vars }),
    ...(assertions.length === 0 ? {} : { assertions }),
    ...(description === undefined ? {} : { description }),
  };
}

/** What was sent, with the variables filled in. */
export function promptOf(record: JsonObject): string | undefined {
  return textOf(objectOf(record, "prompt"), "raw", "display", "label");
}

/** The conversation so far differs from system to system, and is no part of what is asked. */
function withoutHistory(vars: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(vars).filter(([name]) => name !== "_conversation" && name !== "sessionId"));
}

function firstText(vars: JsonObject): string {
  const first = Object.values(vars).find((value) => typeof value === "string" || isFiniteNumber(value));
  return first === undefined ? "" : String(first);
}

function slugOf(text: string): string {
  const words = shortName(text, 200)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-");
  const slug = words.replace(/^-+/, "").slice(0, SLUG_CHARS).replace(/-+$/, "");
  return slug === "" ? "" : `${slug}-`;
}

/** An answer can be read from an assertion that compares with it. */
function expectedOf(assertions: readonly unknown[]): string | undefined {
  const equal = assertions.filter(isObject).find((assertion) => assertion.type === "equals");
  const value = equal === undefined ? undefined : fieldOf(equal, "value");
  return typeof value === "string" || isFiniteNumber(value) ? String(value) : undefined;
}
