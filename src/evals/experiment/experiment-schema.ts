import * as z from "zod";
import { describe } from "../../core/shape.js";
import { didYouMean } from "../../core/suggest.js";
import type { Problem } from "./experiment-error.js";
import { isMapping } from "./mapping.js";
import { PointerError, parsePointer } from "./pointer.js";

/** An experiment file as it is written, checked key by key. */
export interface RawExperiment {
  readonly name: string;
  readonly description?: string;
  readonly eval: string | readonly string[];
  readonly baseline?: string;
  readonly vary?: readonly string[];
  readonly variants?: Readonly<Record<string, RawVariant>>;
  readonly matrix?: Readonly<Record<string, readonly unknown[]>>;
  readonly runs?: number;
}

/** Pointers with values, and perhaps `eval`; null for a variant that changes nothing. */
export type RawVariant = Readonly<Record<string, unknown>> | null;

const KEYS = ["name", "description", "eval", "baseline", "vary", "variants", "matrix", "runs"];

/** Looks for everything that is wrong with the keys and values of an experiment file. */
export type ExperimentCheck = (value: unknown) => Problem[];

/** Makes the check. Strict: a key that is not known would otherwise be a setting silently ignored. */
export function experimentCheck(): ExperimentCheck {
  const schema = experimentSchema();
  return (value) =>
    (schema.safeParse(value).error?.issues ?? []).flatMap((issue): Problem[] => {
      const path = issue.path.map((key) => (typeof key === "number" ? key : String(key)));
      if (issue.code === "unrecognized_keys") return issue.keys.map((key) => unknownKey(key));
      return [{ path, text: `${path.join(".")} ${issue.message}.`.trim() }];
    });
}

function unknownKey(key: string): Problem {
  const hint = key.startsWith("/") ? " A pointer belongs into a variant, or into matrix." : didYouMean(key, KEYS);
  return { path: [key], isAtKey: true, text: `unknown key "${key}".${hint}` };
}

/** What keeps a value from being right, in words that follow its name; null when nothing does. */
type Rule = (value: unknown) => string | null;

const TEXT: Rule = (value) => (isText(value) ? null : `must be text, but is ${describe(value)}`);

const RULES: Readonly<Record<string, Rule>> = {
  name: TEXT,
  description: TEXT,
  eval: (value) =>
    isText(value) || isListOf(value, isText) ? null : "must be the path of an eval file, or a list of such paths",
  baseline: TEXT,
  vary: (value) => pointersProblem(value),
  variants: (value) => (isMapping(value) ? null : "must be a mapping: the name of each variant, with its settings"),
  matrix: (value) => (isMapping(value) ? null : "must be a mapping: JSON pointers, each with a list of values"),
  runs: (value) => (Number.isInteger(value) && Number(value) >= 1 ? null : "must be a whole number of at least 1"),
};

function experimentSchema() {
  const kept = (name: string, rule: Rule) =>
    z.custom<unknown>((value) => rule(value) === null, {
      error: ({ input }) => (input === undefined ? missing(name) : (rule(input) ?? "is wrong")),
    });
  const isNeeded = (name: string) => name === "name" || name === "eval";
  const fields = Object.entries(RULES).map(([name, rule]) => [
    name,
    isNeeded(name) ? kept(name, rule) : kept(name, rule).optional(),
  ]);
  return z.strictObject(Object.fromEntries(fields), {
    error: () => "The file must be a mapping with name, eval, baseline, vary and variants or matrix",
  });
}

function missing(name: string): string {
  return name === "eval" ? "is missing: name the eval file" : "is missing: give the experiment one";
}

function pointersProblem(value: unknown): string | null {
  if (!isListOf(value, isText)) return "must be a list of JSON pointers such as /environment/skills";
  const problems = value.flatMap((pointer) => problemWithPointer(pointer) ?? []);
  return problems[0] ?? null;
}

/** Why a text is no pointer that can be varied; null when it is one. */
export function problemWithPointer(pointer: string): string | null {
  try {
    return parsePointer(pointer).length === 0 ? `"${pointer}" is the whole document: name a part of it` : null;
  } catch (error) {
    if (!(error instanceof PointerError)) throw error;
    return `"${pointer}" ${error.message}`;
  }
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

function isListOf<T>(value: unknown, is: (item: unknown) => item is T): value is T[] {
  return Array.isArray(value) && value.length > 0 && value.every(is);
}
