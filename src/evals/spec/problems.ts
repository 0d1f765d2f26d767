import type * as z from "zod";
import { AssayError, didYouMean, getOwn } from "../../core/index.js";
import type { FileProblem, KeyPath, YamlTree } from "../../utils/index.js";
import type { DocumentProblem } from "./key-aliases.js";
import type { KeyRules } from "./key-rules.js";

/** Collects problems and notes of a file, with their locations. */
export class ProblemCollector {
  readonly problems: FileProblem[] = [];
  readonly #notes = new Set<string>();
  /** By text: the names of the test cases it is about. */
  readonly #stimulusNotes = new Map<string, string[]>();
  readonly #tree: YamlTree;
  readonly #sourceOf: (path: KeyPath) => KeyPath;

  /** `sourceOf` maps a path in the normalized document to the path in the file. */
  constructor(tree: YamlTree, sourceOf: (path: KeyPath) => KeyPath) {
    this.#tree = tree;
    this.#sourceOf = sourceOf;
  }

  get notes(): string[] {
    return [...this.#notes, ...[...this.#stimulusNotes].map(([text, names]) => formatStimulusNote(names, text))];
  }

  addNote(text: string): void {
    this.#notes.add(text);
  }

  /** A note on a test case; equal notes on several become one. */
  addStimulusNote(name: string, text: string): void {
    this.#stimulusNotes.set(text, [...(this.#stimulusNotes.get(text) ?? []), name]);
  }

  /** A problem with the value at a path. */
  addAtValue(path: KeyPath, text: string): void {
    this.add({ path: this.#sourceOf(path), isKey: false, text });
  }

  /** A problem with the key at the end of a path. */
  addAtKey(path: KeyPath, text: string): void {
    this.add({ path: this.#sourceOf(path), isKey: true, text });
  }

  /** Takes a path in the file, not in the normalized document. */
  add({ path, isKey, text }: DocumentProblem): void {
    const place = isKey ? this.#tree.locateKey(path) : this.#tree.locate(path);
    this.problems.push({ ...place, text });
  }

  locate(path: KeyPath) {
    return this.#tree.locate(this.#sourceOf(path));
  }
}

const MAX_NAMES = 3;

function formatStimulusNote(names: readonly string[], text: string): string {
  const quoted = names.slice(0, MAX_NAMES).map((name) => JSON.stringify(name));
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : "";
  return `${names.length === 1 ? "test case" : "test cases"} ${quoted.join(", ")}${more}: ${text}`;
}

/** An invalid eval file. The message has a line for each problem. */
export class SpecError extends AssayError {
  readonly file: string;
  readonly problems: readonly FileProblem[];

  constructor(file: string, problems: readonly FileProblem[]) {
    const sorted = sortProblems(problems);
    super("SPEC", sorted.map(({ line, column, text }) => `${file}:${line}:${column}: ${text}`).join("\n"));
    this.file = file;
    this.problems = sorted;
  }
}

/** In the order of the file, without duplicates. */
export function sortProblems(problems: readonly FileProblem[]): FileProblem[] {
  const known = new Map(problems.map((problem) => [`${problem.line}:${problem.column}:${problem.text}`, problem]));
  return [...known.values()].sort((a, b) => a.line - b.line || a.column - b.column);
}

type ZodIssue = z.core.$ZodIssue;

export function findSchemaProblems(schema: z.ZodType, value: unknown, rules: KeyRules): DocumentProblem[] {
  const issues = schema.safeParse(value, { reportInput: true }).error?.issues ?? [];
  return issues.flatMap((issue) => describeSchemaIssue(issue, { value, rules }));
}

interface CheckedDocument {
  readonly value: unknown;
  readonly rules: KeyRules;
}

function describeSchemaIssue(issue: ZodIssue, document: CheckedDocument): DocumentProblem[] {
  const path = issue.path.map((key) => (typeof key === "number" ? key : String(key)));
  if (issue.code === "unrecognized_keys") return issue.keys.map((key) => describeUnknownKey([...path, key], document));
  const inner = issue.code === "invalid_union" ? pickMeantIssues(issue) : [];
  if (inner.length > 0)
    return inner.flatMap((each) => describeSchemaIssue({ ...each, path: [...issue.path, ...each.path] }, document));
  return [
    {
      path,
      isKey: false,
      text: endWithPeriod(`${formatPathLabel(path, document.value)} ${describeIssueCause(issue)}`.trim()),
    },
  ];
}

function endWithPeriod(text: string): string {
  return text.endsWith(".") ? text : `${text}.`;
}

function describeIssueCause({ input, message, path }: ZodIssue): string {
  if (input === undefined && path.length > 0) return "is missing";
  if (input === null) return "has no value: give it one, or remove the line";
  return message;
}

/** Of the forms that a value may have, picks the one that fits its type. */
function pickMeantIssues(issue: z.core.$ZodIssueInvalidUnion): readonly ZodIssue[] {
  if (issue.input === null || issue.input === undefined) return [];
  const isOtherKind = ({ code, path }: ZodIssue) => code === "invalid_type" && path.length === 0;
  return issue.errors.find((found) => found.length > 0 && !found.some(isOtherKind)) ?? [];
}

function describeUnknownKey(path: KeyPath, { value, rules }: CheckedDocument): DocumentProblem {
  const key = String(path.at(-1));
  const place = path.slice(0, -1);
  const here = findRules(rules, place);
  const refused = getOwn(here?.refused ?? {}, key);
  const where = formatPathLabel(place, value);
  const text =
    refused === undefined ? `unknown key "${key}".${didYouMean(key, here?.keys ?? [])}` : `${key} ${refused}`;
  return { path, isKey: true, text: where === "" ? text : `${where}: ${text}` };
}

function findRules(rules: KeyRules, path: KeyPath): KeyRules | undefined {
  const [key, ...rest] = path;
  if (key === undefined) return rules;
  const inside = typeof key === "string" ? getOwn(rules.inside ?? {}, key) : undefined;
  if (inside === undefined) return undefined;
  const isEntry = typeof rest[0] === "number" || inside.each === true;
  return findRules(inside.rules, isEntry ? rest.slice(1) : rest);
}

/** Names test cases by their names, if they have one. */
function formatPathLabel(path: KeyPath, value: unknown): string {
  const [list, index, ...rest] = path;
  if (list !== "stimuli" || typeof index !== "number") return formatDottedPath(path);
  const { name } = ((value as { stimuli?: readonly unknown[] } | null)?.stimuli?.[index] ?? {}) as { name?: unknown };
  const who = typeof name === "string" && name !== "" ? `test case ${JSON.stringify(name)}` : `test case ${index + 1}`;
  return rest.length === 0 ? who : `${who}: ${formatDottedPath(rest)}`;
}

function formatDottedPath(path: KeyPath): string {
  return path
    .map((key) => (typeof key === "number" ? `[${key}]` : `.${key}`))
    .join("")
    .replace(/^\./, "");
}
