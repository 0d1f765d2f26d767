import { posix } from "node:path";
import type { Environment, FileChange as StoredChange, WorkspaceChanges } from "../../core/environment.js";
import { RunFolderError } from "../../core/errors.js";
import type { Example } from "../../core/example.js";
import { type EvalRow, scoreOf, type TrialKey } from "../../core/row.js";
import type { Output } from "../../core/system.js";
import { hunksBetween } from "../../exec/workspace/diff.js";
import { isShortened, type StoredExample } from "../../store/examples.js";
import type { Manifest } from "../../store/manifest.js";
import type { StoredOutput } from "../../store/outputs.js";
import { jsonText, trajectoryOf, workspaceOf } from "../timeline.js";
import { tokenClasses } from "./charts/class-totals.js";
import type { FileChange, ShownField, TrialView } from "./contract.js";
import { knownPrice } from "./known-price.js";
import { timelineOf } from "./timeline.js";
import { cutText } from "./trial-cut.js";
import { TrialFiles } from "./trial-files.js";

export interface TrialRequest {
  /** The run folder; null when the run is not stored, so that only the row is known. */
  dir: string | null;
  rows: readonly EvalRow[];
  key: TrialKey;
  threshold: number;
  /** The id of the run. */
  run: string;
  /** The systems of the manifest, for their prices. */
  systems: Manifest["systems"];
  /** Indexes of the files from earlier requests. Default: the files are indexed again. */
  files?: TrialFiles;
}

/**
 * Loads one trial with everything that is known about it.
 * @example
 * await loadTrialView({ dir, rows: result.rows, key, threshold: 0.7, run: card.id, systems: manifest.systems, files });
 */
export async function trialView(request: TrialRequest): Promise<TrialView> {
  const { rows, key, threshold, run, systems, dir, files = new TrialFiles() } = request;
  const row = rows.find((candidate) => isSame(candidate, key));
  if (row === undefined) throw missing(`The run ${run} has no such trial`, key);
  const siblings = rows.filter((other) => isSameExample(other, key) && !isSame(other, key));
  return viewOf({ row, siblings, threshold, run, systems, ...(await storedOf(dir, key, files)) });
}

export interface StoredTrial {
  example: StoredExample | null;
  stored: StoredOutput | null;
}

export async function storedOf(dir: string | null, key: TrialKey, files: TrialFiles): Promise<StoredTrial> {
  if (dir === null) return { example: null, stored: null };
  const [example, stored] = await Promise.all([files.example(dir, key), files.output(dir, key)]);
  return { example, stored };
}

export interface TrialParts extends StoredTrial {
  row: EvalRow;
  siblings: readonly EvalRow[];
  threshold: number;
  run: string;
  systems: Manifest["systems"];
}

/** Builds the view from texts that are already read. */
export function viewOf({ row, siblings, threshold, run, systems, example, stored }: TrialParts): TrialView {
  const output = stored?.output ?? null;
  const trajectory = trajectoryOf(output);
  const workspace = output === null ? null : workspaceOf(output);
  return {
    run,
    row,
    threshold,
    example: example === null ? null : exampleFields(example).map(shownField),
    output: output === null ? [] : outputFields(output).map(shownField),
    evidence: stored?.evidence ?? {},
    grades: stored?.grades ?? [],
    timeline: trajectory === null ? null : timelineOf(trajectory),
    changes: workspace === null ? null : fileChanges(workspace, example?.environment as Environment | undefined),
    ...(workspace?.incomplete === undefined ? {} : { changesIncomplete: workspace.incomplete }),
    classes: tokenClasses([row], knownPrice(systems, row.system)),
    siblings: siblings.map(siblingOf),
  };
}

export interface TrialTextRequest {
  dir: string;
  key: TrialKey;
  of: "example" | "output";
  /** The name of a field. */
  name: string;
  files?: TrialFiles;
}

/** The whole of a text that the view cuts. */
export async function trialText({ dir, key, of, name, files = new TrialFiles() }: TrialTextRequest): Promise<string> {
  const { example, stored } = await storedOf(dir, key, files);
  const fields = of === "example" ? example && exampleFields(example) : stored && outputFields(stored.output);
  const field = fields?.find((candidate) => candidate.name === name);
  if (field !== undefined) return field.text;
  throw missing(`The run stores no field ${JSON.stringify(name)} in the ${of} of this trial`, key);
}

function missing(what: string, { system, dataset, exampleId, trial }: TrialKey): RunFolderError {
  const place = `system ${system}, dataset ${dataset || "(none)"}, example ${exampleId}, trial ${trial}`;
  return new RunFolderError(`${what} (${place}). Look it up in the list of trials.`);
}

function isSameExample(row: EvalRow, { dataset, exampleId }: TrialKey): boolean {
  return row.exampleId === exampleId && row.dataset === dataset;
}

function isSame(row: EvalRow, key: TrialKey): boolean {
  return isSameExample(row, key) && row.system === key.system && row.trial === key.trial;
}

function siblingOf(row: EvalRow): TrialView["siblings"][number] {
  const { system, dataset, exampleId, trial, outcome } = row;
  return { system, dataset, exampleId, trial, outcome, score: scoreOf(row, "score") ?? null };
}

type WholeField = Pick<ShownField, "name" | "text" | "kind">;

/** Longer texts are loaded on demand. */
const MOST_SHOWN = 100_000;

const EXAMPLE_FIRST = ["question", "context", "turns", "answer", "answers", "choices"];
const OUTPUT_FIRST = ["response", "context"];
/** Already part of the trial's key. */
const IN_KEY = ["id", "dataset"];
/** Shown as a timeline and a list of files instead. */
const SHOWN_APART = ["trajectory", "workspace"];

/** The question first. */
function exampleFields(example: Example): WholeField[] {
  return fieldsOf(example, { first: EXAMPLE_FIRST, leftOut: IN_KEY });
}

/** The response first. */
function outputFields(output: Output): WholeField[] {
  return fieldsOf(output, { first: OUTPUT_FIRST, leftOut: [...IN_KEY, ...SHOWN_APART] });
}

function shownField({ name, text, kind }: WholeField): ShownField {
  return { name, text: cutText(text, MOST_SHOWN), length: text.length, kind };
}

interface FieldOrder {
  first: readonly string[];
  leftOut: readonly string[];
}

function fieldsOf(value: Readonly<Record<string, unknown>>, { first, leftOut }: FieldOrder): WholeField[] {
  const names = Object.keys(value).filter((name) => !leftOut.includes(name));
  const ahead = first.filter((name) => names.includes(name));
  const others = names.filter((name) => !first.includes(name));
  return [...ahead, ...others].map((name) => wholeField(name, value[name]));
}

function wholeField(name: string, value: unknown): WholeField {
  return typeof value === "string"
    ? { name, text: value, kind: "text" }
    : { name, text: jsonText(value, 2), kind: "json" };
}

const MOST_FILES = 1000;
/** Of all files together, in characters: more would not be read. */
const MOST_TEXT = 2_000_000;
const MOST_LINES = 5000;

type WrittenFile = Extract<StoredChange, { content: string }>;

/**
 * Lists the files that a trial changed, with diffs where the content before and after is known. The content before is known
 * if the example provides the file.
 * @example
 * listFileChanges({ changes: [{ path: "a.js", status: "added", content: "1\n" }] });
 * // [{ path: "a.js", change: "added", diff: ["@@ -0,0 +1 @@", "+1"] }]
 */
export function fileChanges({ changes }: WorkspaceChanges, environment?: Environment): FileChange[] {
  const before = contentsIn(environment);
  let room = MOST_TEXT;
  const shown = changes.slice(0, MOST_FILES).map((change) => {
    const size = sizeOf(change, before);
    const isShown = size <= room;
    if (isShown) room -= size;
    return changeOf(change, { before, isShown });
  });
  const more = changes.length - shown.length;
  return more === 0 ? shown : [...shown, { path: `(and ${more} more, not shown)`, change: "changed", diff: null }];
}

type Contents = ReadonlyMap<string, string>;

interface Telling {
  before: Contents;
  /** Whether there is room for its diff. */
  isShown: boolean;
}

function changeOf(change: StoredChange, { before, isShown }: Telling): FileChange {
  const { path } = change;
  const diffOf = (lines: () => readonly string[]) => (isShown ? atMost(lines()) : ["@@ too long to show @@"]);
  switch (change.status) {
    case "folder":
      return { path: `${path}/`, change: "changed", diff: null };
    case "linked":
      return { path, change: "changed", diff: [`+(a link to ${change.target})`] };
    case "deleted":
      return { path, change: "removed", diff: before.has(path) ? diffOf(() => hunks(before.get(path), "")) : null };
    case "added":
      return { path, change: "added", diff: isText(change) ? diffOf(() => hunks("", change.content)) : null };
    case "modified":
      return { path, change: "changed", diff: isText(change) ? diffOf(() => modified(change, before)) : null };
  }
}

function modified({ path, content }: WrittenFile, before: Contents): readonly string[] {
  const known = before.get(path);
  return known === undefined ? asItIs(content) : hunks(known, content);
}

/** The content before is unknown, so lines are neither added nor removed. */
function asItIs(content: string): string[] {
  const lines = content.replace(/\n$/, "").split("\n");
  return ["@@ current content: the content before is not stored @@", ...lines.map((line) => ` ${line}`)];
}

function hunks(before = "", after = ""): string[] {
  const text = hunksBetween(before, after);
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

function atMost(lines: readonly string[]): readonly string[] {
  const more = lines.length - MOST_LINES;
  return more <= 0 ? lines : [...lines.slice(0, MOST_LINES), `@@ ${more} more lines are not shown @@`];
}

/** A file with a null character is not readable text. */
function isText({ content, encoding }: WrittenFile): boolean {
  return encoding === undefined && !content.includes("\0");
}

function sizeOf(change: StoredChange, before: Contents): number {
  const now = "content" in change ? change.content.length : 0;
  return now + (before.get(change.path)?.length ?? 0);
}

/** Text files that the example provides completely; the environment may have any shape. */
function contentsIn(environment: Environment | undefined): Contents {
  const { files } = (environment ?? {}) as { files?: unknown };
  const given: readonly unknown[] = Array.isArray(files) ? files : [];
  return new Map(
    given.flatMap((file): [string, string][] => {
      const { dest, content, encoding } = (file ?? {}) as Readonly<Record<string, unknown>>;
      const isKnown = typeof dest === "string" && typeof content === "string" && encoding === undefined;
      return isKnown && !isShortened(content) ? [[posix.normalize(dest), content]] : [];
    }),
  );
}
