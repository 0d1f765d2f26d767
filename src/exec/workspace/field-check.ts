import { DatasetError } from "../../core/errors.js";
import { describe } from "../../core/shape.js";
import { didYouMean } from "../../core/suggest.js";
import { problemWithPath } from "./relative-path.js";

// What the parts of an environment are checked with. `at` is where a value stands, as messages name it.

export type Fields = Readonly<Record<string, unknown>>;

export function innerPath(at: string, value: unknown): void {
  const problem = problemWithPath(textOf(at, value));
  if (problem === null) return;
  throw new DatasetError(`${at} is ${JSON.stringify(value)}, which ${problem}. Name a path below the folder.`);
}

export function filledText(at: string, value: unknown): string {
  const text = withoutNull(at, textOf(at, value));
  if (text.trim() === "") throw new DatasetError(`${at} is empty. Fill it in, or take it out.`);
  return text;
}

function withoutNull(at: string, text: string): string {
  if (text.includes("\0")) throw new DatasetError(`${at} has a null character, which no program can be given.`);
  return text;
}

export function textOf(at: string, value: unknown): string {
  if (typeof value !== "string") throw new DatasetError(`${at} is ${describe(value)}, not text.`);
  return value;
}

export function listOf(at: string, value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new DatasetError(`${at} is ${describe(value)}, not a list.`);
  return value;
}

export function fieldsOf(at: string, value: unknown): Fields {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Fields;
  throw new DatasetError(`${at} is ${describe(value)}, not an object.`);
}

export function onlyKeys(at: string, fields: Fields, keys: readonly string[]): void {
  const unknown = Object.keys(fields).find((key) => !keys.includes(key));
  if (unknown !== undefined)
    throw new DatasetError(`${at} has an unknown key "${unknown}".${didYouMean(unknown, keys)}`);
}

/** Throws unless the value holds variables for a program: texts by names that a variable can have. */
export function checkVariables(at: string, value: unknown): void {
  for (const [name, text] of Object.entries(fieldsOf(at, value))) {
    if (!/^[^=\0]+$/.test(name)) {
      throw new DatasetError(`${at} has the name ${JSON.stringify(name)}, which no variable can have.`);
    }
    if (typeof text !== "string") {
      throw new DatasetError(`${at}.${name} is ${describe(text)}, not text. Put it in quotes.`);
    }
    withoutNull(`${at}.${name}`, text);
  }
}
