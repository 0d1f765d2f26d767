import { posix } from "node:path";
import type { Environment, Example, Output, FileChange as StoredChange, WorkspaceChanges } from "../../core/index.js";
import { type EvalRow, getScore, RunFolderError, type TrialKey } from "../../core/index.js";
import { formatHunks } from "../../exec/index.js";
import type { Manifest, StoredOutput } from "../../store/index.js";
import { isShortenedText, type StoredExample } from "../../store/index.js";
import { cutText } from "../format.js";
import { formatJson, readTrajectory, readWorkspaceChanges } from "../timeline.js";
import { findRunPrice } from "./charts/chart-system.js";
import { sumTokenClasses } from "./charts/token-costs.js";
import type { DisplayField, FileDiff, TrialView } from "./contract.js";
import { findTrial } from "./find-trial.js";
import { buildTimeline } from "./timeline.js";
import { addTimelineMarks, type TrialLimits } from "./timeline-marks.js";
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
export async function loadTrialView(request: TrialRequest): Promise<TrialView> {
  const { rows, key, threshold, run, systems, dir, files = new TrialFiles() } = request;
  const { found: row, datasets } = findTrial(rows, key);
  if (row === null) throw createMissingError(`The run ${run} has no such trial`, key, datasets);
  const siblings = rows.filter((other) => isSameExample(other, row) && !isSameTrial(other, row));
  return buildTrialView({ row, siblings, threshold, run, systems, ...(await readStoredTrial(dir, row, files)) });
}

export interface StoredTrialTexts {
  example: StoredExample | null;
  stored: StoredOutput | null;
}

export async function readStoredTrial(dir: string | null, key: TrialKey, files: TrialFiles): Promise<StoredTrialTexts> {
  if (dir === null) return { example: null, stored: null };
  const [example, stored] = await Promise.all([files.readExample(dir, key), files.readOutput(dir, key)]);
  return { example, stored };
}

export interface TrialViewParts extends StoredTrialTexts {
  row: EvalRow;
  siblings: readonly EvalRow[];
  threshold: number;
  run: string;
  systems: Manifest["systems"];
}

/** Builds the view from texts that are already read. */
export function buildTrialView({ row, siblings, threshold, run, systems, example, stored }: TrialViewParts): TrialView {
  const output = stored?.output ?? null;
  const trajectory = readTrajectory(output);
  const workspace = output === null ? null : readWorkspaceChanges(output);
  return {
    run,
    row,
    threshold,
    example: example === null ? null : listExampleFields(example).map(truncateField),
    output: output === null ? [] : listOutputFields(output).map(truncateField),
    evidence: stored?.evidence ?? {},
    grades: stored?.grades ?? [],
    timeline:
      trajectory === null ? null : addTimelineMarks(buildTimeline(trajectory), row, getLimits(systems, row.system)),
    ...(trajectory?.toolsUnseen === true ? { toolsUnseen: true as const } : {}),
    changes: workspace === null ? null : listFileChanges(workspace, example?.environment as Environment | undefined),
    ...(workspace?.incomplete === undefined ? {} : { changesIncomplete: workspace.incomplete }),
    classes: sumTokenClasses([row], findRunPrice(systems, row.system)),
    siblings: siblings.map(toSibling),
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
export async function readTrialText({
  dir,
  key,
  of,
  name,
  files = new TrialFiles(),
}: TrialTextRequest): Promise<string> {
  const { example, stored } = await readStoredTrial(dir, key, files);
  const fields = of === "example" ? example && listExampleFields(example) : stored && listOutputFields(stored.output);
  const field = fields?.find((candidate) => candidate.name === name);
  if (field !== undefined) return field.text;
  throw createMissingError(`The run stores no field ${JSON.stringify(name)} in the ${of} of this trial`, key);
}

function getLimits(systems: Manifest["systems"], system: string): TrialLimits {
  const { maxCostUsd, hardTimeoutMs } = systems[system]?.limits ?? {};
  // 0 means no limit.
  return { maxCostUsd: maxCostUsd || null, maxMs: hardTimeoutMs ?? null };
}

function createMissingError(
  what: string,
  { system, dataset, exampleId, trial }: TrialKey,
  datasets: readonly string[] = [],
): RunFolderError {
  const place = `system ${system}, dataset ${dataset || "(none)"}, example ${exampleId}, trial ${trial}`;
  const remedy =
    datasets.length > 1
      ? `Add the dataset to the address, one of: ${datasets.join(", ")}.`
      : "Look it up in the list of trials.";
  return new RunFolderError(`${what} (${place}). ${remedy}`);
}

function isSameExample(row: EvalRow, { dataset, exampleId }: TrialKey): boolean {
  return row.exampleId === exampleId && row.dataset === dataset;
}

function isSameTrial(row: EvalRow, key: TrialKey): boolean {
  return isSameExample(row, key) && row.system === key.system && row.trial === key.trial;
}

function toSibling(row: EvalRow): TrialView["siblings"][number] {
  const { system, dataset, exampleId, trial, outcome } = row;
  return { system, dataset, exampleId, trial, outcome, score: getScore(row, "score") ?? null };
}

type FullTextField = Pick<DisplayField, "name" | "text" | "kind">;

/** Longer texts are loaded on demand. */
const MAX_FIELD_LENGTH = 100_000;

const EXAMPLE_FIRST = ["question", "images", "files", "context", "turns", "answer", "answers", "choices"];
const OUTPUT_FIRST = ["response", "context"];
/** Already part of the trial's key. */
const KEY_FIELDS = ["id", "dataset"];
/** Shown as a timeline and a list of files instead. */
const SEPARATE_FIELDS = ["trajectory", "workspace"];

/** The question first. */
function listExampleFields(example: Example): FullTextField[] {
  return listTextFields(example, { first: EXAMPLE_FIRST, leftOut: KEY_FIELDS });
}

/** The response first. */
function listOutputFields(output: Output): FullTextField[] {
  return listTextFields(output, { first: OUTPUT_FIRST, leftOut: [...KEY_FIELDS, ...SEPARATE_FIELDS] });
}

function truncateField({ name, text, kind }: FullTextField): DisplayField {
  return { name, text: cutText(text, MAX_FIELD_LENGTH), length: text.length, kind };
}

interface FieldOrder {
  first: readonly string[];
  leftOut: readonly string[];
}

function listTextFields(value: Readonly<Record<string, unknown>>, { first, leftOut }: FieldOrder): FullTextField[] {
  const names = Object.keys(value).filter((name) => !leftOut.includes(name));
  const ahead = first.filter((name) => names.includes(name));
  const others = names.filter((name) => !first.includes(name));
  return [...ahead, ...others].map((name) => toFullTextField(name, value[name]));
}

function toFullTextField(name: string, value: unknown): FullTextField {
  return typeof value === "string"
    ? { name, text: value, kind: "text" }
    : { name, text: formatJson(value, 2), kind: "json" };
}

const MAX_FILES = 1000;
/** Of all files together, in characters: more would not be read. */
const MAX_DIFF_LENGTH = 2_000_000;
const MAX_DIFF_LINES = 5000;

type ChangedTextFile = Extract<StoredChange, { content: string }>;

/**
 * Lists the files that a trial changed, with diffs where the content before and after is known. The content before is known
 * if the example provides the file.
 * @example
 * listFileChanges({ changes: [{ path: "a.js", status: "added", content: "1\n" }] });
 * // [{ path: "a.js", change: "added", diff: ["@@ -0,0 +1 @@", "+1"] }]
 */
export function listFileChanges({ changes }: WorkspaceChanges, environment?: Environment): FileDiff[] {
  const before = readInitialContents(environment);
  let room = MAX_DIFF_LENGTH;
  const shown = changes.slice(0, MAX_FILES).map((change) => {
    const size = getDiffSize(change, before);
    const isShown = size <= room;
    if (isShown) room -= size;
    return toFileChange(change, { before, isShown });
  });
  const more = changes.length - shown.length;
  return more === 0 ? shown : [...shown, { path: `(and ${more} more, not shown)`, change: "changed", diff: null }];
}

type FileContents = ReadonlyMap<string, string>;

interface DiffContext {
  before: FileContents;
  /** Whether there is room for its diff. */
  isShown: boolean;
}

function toFileChange(change: StoredChange, { before, isShown }: DiffContext): FileDiff {
  const { path } = change;
  const diffOf = (lines: () => readonly string[]) => (isShown ? truncateDiff(lines()) : ["@@ too long to show @@"]);
  switch (change.status) {
    case "folder":
      return { path: `${path}/`, change: "changed", diff: null };
    case "linked":
      return { path, change: "changed", diff: [`+(a link to ${change.target})`] };
    case "deleted":
      return {
        path,
        change: "removed",
        diff: before.has(path) ? diffOf(() => buildHunks(before.get(path), "")) : null,
      };
    case "added":
      return {
        path,
        change: "added",
        diff: isReadableText(change) ? diffOf(() => buildHunks("", change.content)) : null,
      };
    case "modified":
      return {
        path,
        change: "changed",
        diff: isReadableText(change) ? diffOf(() => diffModified(change, before)) : null,
      };
  }
}

function diffModified({ path, content }: ChangedTextFile, before: FileContents): readonly string[] {
  const known = before.get(path);
  return known === undefined ? showWithoutDiff(content) : buildHunks(known, content);
}

/** The content before is unknown, so lines are neither added nor removed. */
function showWithoutDiff(content: string): string[] {
  const lines = content.replace(/\n$/, "").split("\n");
  return ["@@ current content: the content before is not stored @@", ...lines.map((line) => ` ${line}`)];
}

function buildHunks(before = "", after = ""): string[] {
  const text = formatHunks(before, after);
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

function truncateDiff(lines: readonly string[]): readonly string[] {
  const more = lines.length - MAX_DIFF_LINES;
  return more <= 0 ? lines : [...lines.slice(0, MAX_DIFF_LINES), `@@ ${more} more lines are not shown @@`];
}

/** A file with a null character is not readable text. */
function isReadableText({ content, encoding }: ChangedTextFile): boolean {
  return encoding === undefined && !content.includes("\0");
}

function getDiffSize(change: StoredChange, before: FileContents): number {
  const now = "content" in change ? change.content.length : 0;
  return now + (before.get(change.path)?.length ?? 0);
}

/** Text files that the example provides completely; the environment may have any shape. */
function readInitialContents(environment: Environment | undefined): FileContents {
  const { files } = (environment ?? {}) as { files?: unknown };
  const given: readonly unknown[] = Array.isArray(files) ? files : [];
  return new Map(
    given.flatMap((file): [string, string][] => {
      const { dest, content, encoding } = (file ?? {}) as Readonly<Record<string, unknown>>;
      const isKnown = typeof dest === "string" && typeof content === "string" && encoding === undefined;
      return isKnown && !isShortenedText(content) ? [[posix.normalize(dest), content]] : [];
    }),
  );
}
