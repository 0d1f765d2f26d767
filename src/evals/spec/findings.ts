import type * as z from "zod";
import { AssayError } from "../../core/errors.js";
import { ownValue } from "../../core/shape.js";
import { didYouMean } from "../../core/suggest.js";
import type { FileProblem, KeyPath, YamlTree } from "../../utils/files/yaml-tree.js";
import type { KeyRules } from "./key-rules.js";
import type { PathProblem } from "./respell.js";

/** Collects problems and notes of a file, with their locations. */
export class Findings {
  readonly problems: FileProblem[] = [];
  readonly #notes = new Set<string>();
  readonly #tree: YamlTree;
  readonly #sourceOf: (path: KeyPath) => KeyPath;

  /** `sourceOf` maps a path in the normalized document to the path in the file. */
  constructor(tree: YamlTree, sourceOf: (path: KeyPath) => KeyPath) {
    this.#tree = tree;
    this.#sourceOf = sourceOf;
  }

  get notes(): string[] {
    return [...this.#notes];
  }

  note(text: string): void {
    this.#notes.add(text);
  }

  /** A problem with the value at a path. */
  at(path: KeyPath, text: string): void {
    this.add({ path: this.#sourceOf(path), isKey: false, text });
  }

  /** A problem with the key at the end of a path. */
  atKey(path: KeyPath, text: string): void {
    this.add({ path: this.#sourceOf(path), isKey: true, text });
  }

  /** Takes a path in the file, not in the normalized document. */
  add({ path, isKey, text }: PathProblem): void {
    const place = isKey ? this.#tree.placeOfKey(path) : this.#tree.placeOf(path);
    this.problems.push({ ...place, text });
  }

  placeOf(path: KeyPath) {
    return this.#tree.placeOf(this.#sourceOf(path));
  }
}

/** An invalid eval file. The message has a line for each problem. */
export class SpecError extends AssayError {
  readonly file: string;
  readonly problems: readonly FileProblem[];

  constructor(file: string, problems: readonly FileProblem[]) {
    const sorted = inOrder(problems);
    super("SPEC", sorted.map(({ line, column, text }) => `${file}:${line}:${column}: ${text}`).join("\n"));
    this.file = file;
    this.problems = sorted;
  }
}

/** In the order of the file, without duplicates. */
export function inOrder(problems: readonly FileProblem[]): FileProblem[] {
  const known = new Map(problems.map((problem) => [`${problem.line}:${problem.column}:${problem.text}`, problem]));
  return [...known.values()].sort((a, b) => a.line - b.line || a.column - b.column);
}

type Issue = z.core.$ZodIssue;

export function schemaProblems(schema: z.ZodType, value: unknown, rules: KeyRules): PathProblem[] {
  const issues = schema.safeParse(value, { reportInput: true }).error?.issues ?? [];
  return issues.flatMap((issue) => inWords(issue, { value, rules }));
}

interface Document {
  readonly value: unknown;
  readonly rules: KeyRules;
}

function inWords(issue: Issue, document: Document): PathProblem[] {
  const path = issue.path.map((key) => (typeof key === "number" ? key : String(key)));
  if (issue.code === "unrecognized_keys") return issue.keys.map((key) => unknownKey([...path, key], document));
  const inner = issue.code === "invalid_union" ? meantBy(issue) : [];
  if (inner.length > 0)
    return inner.flatMap((each) => inWords({ ...each, path: [...issue.path, ...each.path] }, document));
  return [{ path, isKey: false, text: ended(`${labelOf(path, document.value)} ${problemIn(issue)}`.trim()) }];
}

function ended(text: string): string {
  return text.endsWith(".") ? text : `${text}.`;
}

function problemIn({ input, message, path }: Issue): string {
  if (input === undefined && path.length > 0) return "is missing";
  if (input === null) return "has no value: give it one, or remove the line";
  return message;
}

/** Of the forms that a value may have, picks the one that fits its type. */
function meantBy(issue: z.core.$ZodIssueInvalidUnion): readonly Issue[] {
  if (issue.input === null || issue.input === undefined) return [];
  const isOtherKind = ({ code, path }: Issue) => code === "invalid_type" && path.length === 0;
  return issue.errors.find((found) => found.length > 0 && !found.some(isOtherKind)) ?? [];
}

function unknownKey(path: KeyPath, { value, rules }: Document): PathProblem {
  const key = String(path.at(-1));
  const place = path.slice(0, -1);
  const here = rulesAt(rules, place);
  const refused = ownValue(here?.refused ?? {}, key);
  const where = labelOf(place, value);
  const text =
    refused === undefined ? `unknown key "${key}".${didYouMean(key, here?.keys ?? [])}` : `${key} ${refused}`;
  return { path, isKey: true, text: where === "" ? text : `${where}: ${text}` };
}

function rulesAt(rules: KeyRules, path: KeyPath): KeyRules | undefined {
  const [key, ...rest] = path;
  if (key === undefined) return rules;
  const inside = typeof key === "string" ? ownValue(rules.inside ?? {}, key) : undefined;
  if (inside === undefined) return undefined;
  const isEntry = typeof rest[0] === "number" || inside.each === true;
  return rulesAt(inside.rules, isEntry ? rest.slice(1) : rest);
}

/** Names test cases by their names, if they have one. */
function labelOf(path: KeyPath, value: unknown): string {
  const [list, index, ...rest] = path;
  if (list !== "stimuli" || typeof index !== "number") return dotted(path);
  const { name } = ((value as { stimuli?: readonly unknown[] } | null)?.stimuli?.[index] ?? {}) as { name?: unknown };
  const who = typeof name === "string" && name !== "" ? `test case ${JSON.stringify(name)}` : `test case ${index + 1}`;
  return rest.length === 0 ? who : `${who}: ${dotted(rest)}`;
}

function dotted(path: KeyPath): string {
  return path
    .map((key) => (typeof key === "number" ? `[${key}]` : `.${key}`))
    .join("")
    .replace(/^\./, "");
}
