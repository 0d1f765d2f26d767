import { posix } from "node:path";
import * as z from "zod";
import type { Environment, FileChange, Graded, GraderFactory, Verdict, WorkspaceState } from "../core/index.js";
import { formatDiff, isGitProblemOnly } from "../exec/index.js";
import { formatList, makeBuiltInGrader, makeVerdict } from "./built-in-grader.js";
import { flag, flags, glob, nonEmptyText, pattern, readConfig } from "./config.js";
import { type Glob, readGlob } from "./glob.js";
import { GraderError } from "./grader-error.js";
import { checkFlags, createPatternSearch, createTextSearch, type TextSearch } from "./text-search.js";

const searchConfig = z
  .strictObject({
    value: nonEmptyText.optional(),
    case_sensitive: flag.default(true),
    pattern: pattern.optional(),
    flags: flags.default(""),
    path: glob.optional(),
  })
  .superRefine(checkFlags)
  .refine((value) => (value.value === undefined) !== (value.pattern === undefined), "needs one of value and pattern");
const emptyConfig = z.strictObject({ path: glob.optional() });

/** Graders of the changes in the workspace: which files, and what in them. */
export const diffGraders = {
  "diff-contains": (config) => makeDiffSearchGrader("diff-contains", config, true),
  "diff-not-contains": (config) => makeDiffSearchGrader("diff-not-contains", config, false),
  "diff-empty": (config) => {
    const { path } = readConfig(emptyConfig, config);
    return makeDiffGrader("diff-empty", path, ({ state }) => {
      const paths = state.changes.map(getChangedPath);
      return makeVerdict(
        paths.length === 0,
        paths.length === 0 ? "nothing was changed" : `changed: ${formatList(paths)}`,
      );
    });
  },
} satisfies Record<string, GraderFactory>;

type DiffConfig = Parameters<GraderFactory>[0];

/** The changes that a grader looks at. */
interface GradedChanges {
  readonly state: WorkspaceState;
  readonly graded: Graded;
}

type DiffJudge = (changed: GradedChanges) => Verdict;

function makeDiffSearchGrader(name: string, config: DiffConfig, isWanted: boolean) {
  const settings = readConfig(searchConfig, config);
  const search = buildDiffSearch(settings);
  return makeDiffGrader(name, settings.path, ({ state, graded }) => {
    const texts = listChangeTexts(state, graded.example.environment as Environment | undefined);
    const having = texts.filter(({ text }) => search.isIn(text)).map(({ path }) => path);
    if (having.length > 0) return makeVerdict(isWanted, `${search.wanted} is in the changes to ${formatList(having)}`);
    const unknown = texts.filter(({ isKnown }) => !isKnown).map(({ path }) => path);
    if (unknown.length > 0)
      throw new GraderError(`the previous content of ${formatList(unknown)} is only known while the workspace exists`);
    return makeVerdict(!isWanted, `${search.wanted} is not in ${describeChanges(state.changes)}`);
  });
}

function buildDiffSearch(settings: z.output<typeof searchConfig>): TextSearch {
  const { value, case_sensitive, pattern: given = "", flags: givenFlags } = settings;
  return value === undefined ? createPatternSearch(given, givenFlags) : createTextSearch(value, case_sensitive);
}

function describeChanges(changes: readonly FileChange[]): string {
  return changes.length === 0
    ? "the changes: there are none"
    : `the changes to ${formatList(changes.map(getChangedPath))}`;
}

function getChangedPath({ path }: FileChange): string {
  return path;
}

function makeDiffGrader(name: string, path: string | undefined, judge: DiffJudge) {
  const meant = path === undefined ? null : readGlob(path);
  return makeBuiltInGrader({
    name,
    folderUse: "diff",
    seesWorkspaceOnly: true,
    grade: (graded) => judge({ state: requireChanges(graded, meant), graded }),
  });
}

/** The changes to the matching files. Empty folders are left out, as in git. */
function requireChanges({ output }: Graded, meant: Glob | null): WorkspaceState {
  const { workspace } = output;
  if (!Array.isArray(workspace?.changes)) throw new GraderError("the output does not say what was changed");
  const { incomplete } = workspace;
  if (incomplete !== undefined && !isGitProblemOnly(incomplete))
    throw new GraderError(`the list of changes is incomplete: ${incomplete}`);
  const changes = (workspace.changes as readonly FileChange[]).filter(({ status }) => status !== "folder");
  const { diff } = workspace as { diff?: unknown };
  const state = { changes: meant === null ? changes : changes.filter((change) => meant.matches(change.path)) };
  return typeof diff === "string" ? Object.assign(state, { diff }) : state;
}

/** One change in a diff: its path, and the lines that were removed or added. */
interface ChangeText {
  readonly path: string;
  readonly text: string;
  /** False if the previous content of the file is unknown; `text` is only the diff header then. */
  readonly isKnown: boolean;
}

/** An unchanged line, or a line of the diff format itself. */
const UNCHANGED_LINE = /^(?: |@@|new |\\)/;

/**
 * The changes as in a diff, without context lines, which were not changed. A workspace that still exists knows everything
 * that the setup created; the example alone only knows the content of its own files.
 */
function listChangeTexts(state: WorkspaceState, environment: Environment | undefined): ChangeText[] {
  const { diff } = state as { diff?: unknown };
  const sections = typeof diff === "string" ? splitDiff(diff) : null;
  return state.changes.map((change) =>
    sections === null ? buildChangeText(change, environment) : extractChangeText(change, sections),
  );
}

function splitDiff(diff: string): string[] {
  return diff.split(/^(?=diff --git )/m);
}

function extractChangeText({ path }: FileChange, sections: readonly string[]): ChangeText {
  const section = sections.find((each) => each.startsWith(formatDiffHeader(path)));
  if (section === undefined) throw new GraderError(`the changes are too large: the diff lacks ${path}`);
  return { path, text: filterChangedLines(section), isKnown: true };
}

function buildChangeText(change: FileChange, environment: Environment | undefined): ChangeText {
  const { path, status } = change;
  const isKnown = status === "added" || status === "linked" || isExampleFile(path, environment);
  const text = isKnown
    ? filterChangedLines(formatDiff({ changes: [change] }, environment))
    : `${formatDiffHeader(path)}${status}`;
  return { path, text, isKnown };
}

function isExampleFile(path: string, { files = [] }: Environment = {}): boolean {
  return files.some((file) => "content" in file && file.encoding === undefined && posix.normalize(file.dest) === path);
}

function formatDiffHeader(path: string): string {
  return `diff --git a/${path} b/${path}\n`;
}

function filterChangedLines(section: string): string {
  const lines = section.split("\n");
  return lines.filter((line) => !UNCHANGED_LINE.test(line)).join("\n");
}
