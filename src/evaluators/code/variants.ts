import { spokenPart } from "../own-answer/reasoning.js";
import { fencedCode, type Wanted } from "./choose-code.js";
import { cleaned } from "./cleaned.js";
import { definedNames, wordsOf } from "./definitions.js";
import { javascriptVariants } from "./javascript-variants.js";
import { pythonVariants } from "./python-variants.js";
import { type CodeTask, newlines } from "./task.js";

/** One way to read a response as a program. */
export interface Variant {
  text: string;
  /** What stands after the last line that is code may be dropped: a response without fences ends in prose. */
  mayCut: boolean;
}

/** The code of a response, before it is put together with the prompt. */
export interface Answer {
  code: string;
  isFenced: boolean;
  /** True when it holds the whole function and not only its body. */
  isWhole: boolean;
}

/**
 * The programs a response may mean, best first: the first that is a program at all is the one that is run. None when
 * there is no code in it.
 */
export function variantsOf(response: string, task: CodeTask): Variant[] {
  const text = cleaned(spokenPart(newlines(response)));
  const { language, entryPoint, tests } = task;
  const wanted: Wanted = { language, entryPoint, words: wordsOf(tests) };
  const fenced = fencedCode(text, wanted);
  const code = fenced ?? text;
  if (code.trim() === "") return [];
  const isWhole = task.prompt === "" || definedNames(code, language).has(entryPoint);
  const answer = { code, isFenced: fenced !== null, isWhole };
  return language === "python" ? pythonVariants(answer, task) : javascriptVariants(answer, task);
}

/** The text from its first line that begins like code; all of it when none does. */
export function fromFirstCode(text: string, begins: RegExp): string {
  const lines = text.split("\n");
  const first = lines.findIndex((line) => begins.test(line));
  return first <= 0 ? text : lines.slice(first).join("\n");
}

/** Each text once as it is, and then those that may be cut: what is cut too early still reads as a program. */
export function uncutFirst(texts: readonly string[], cuttable: readonly string[]): Variant[] {
  const whole = [...new Set(texts)].map((text) => ({ text, mayCut: false }));
  return [...whole, ...[...new Set(cuttable)].map((text) => ({ text, mayCut: true }))];
}
