import { posix } from "node:path";
import * as z from "zod";
import type { Environment, FileChange, WorkspaceState } from "../core/environment.js";
import type { Graded, GraderFactory, Verdict } from "../core/grader.js";
import { diffOf } from "../exec/workspace/diff.js";
import { isAboutGitAlone } from "../exec/workspace/git.js";
import { filled, flag, flags, glob, pattern, readConfig } from "./config.js";
import { listed } from "./excerpt.js";
import { type Glob, readGlob } from "./glob.js";
import { GraderError } from "./grader-error.js";
import { ownGrader, verdict } from "./own-grader.js";
import { checkFlags, searchPattern, searchText, type TextSearch } from "./text-search.js";

const searchConfig = z
  .strictObject({
    value: filled.optional(),
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
  "diff-contains": (config) => searched("diff-contains", config, true),
  "diff-not-contains": (config) => searched("diff-not-contains", config, false),
  "diff-empty": (config) => {
    const { path } = readConfig(emptyConfig, config);
    return diffGrader("diff-empty", path, ({ state }) => {
      const paths = state.changes.map(pathOf);
      return verdict(paths.length === 0, paths.length === 0 ? "nothing was changed" : `changed: ${listed(paths)}`);
    });
  },
} satisfies Record<string, GraderFactory>;

type Config = Parameters<GraderFactory>[0];

/** The changes that a grader looks at. */
interface Changed {
  readonly state: WorkspaceState;
  readonly graded: Graded;
}

type Judge = (changed: Changed) => Verdict;

function searched(name: string, config: Config, isWanted: boolean) {
  const settings = readConfig(searchConfig, config);
  const search = searchOf(settings);
  return diffGrader(name, settings.path, ({ state, graded }) => {
    const texts = changeTexts(state, graded.example.environment as Environment | undefined);
    const having = texts.filter(({ text }) => search.isIn(text)).map(({ path }) => path);
    if (having.length > 0) return verdict(isWanted, `${search.wanted} is in the changes to ${listed(having)}`);
    const unknown = texts.filter(({ isKnown }) => !isKnown).map(({ path }) => path);
    if (unknown.length > 0)
      throw new GraderError(`the previous content of ${listed(unknown)} is only known while the workspace exists`);
    return verdict(!isWanted, `${search.wanted} is not in ${all(state.changes)}`);
  });
}

function searchOf(settings: z.output<typeof searchConfig>): TextSearch {
  const { value, case_sensitive, pattern: given = "", flags: givenFlags } = settings;
  return value === undefined ? searchPattern(given, givenFlags) : searchText(value, case_sensitive);
}

function all(changes: readonly FileChange[]): string {
  return changes.length === 0 ? "the changes: there are none" : `the changes to ${listed(changes.map(pathOf))}`;
}

function pathOf({ path }: FileChange): string {
  return path;
}

function diffGrader(name: string, path: string | undefined, judge: Judge) {
  const meant = path === undefined ? null : readGlob(path);
  return ownGrader({
    name,
    folderUse: "diff",
    seesWorkspaceOnly: true,
    grade: (graded) => judge({ state: changesIn(graded, meant), graded }),
  });
}

/** The changes to the matching files. Empty folders are left out, as in git. */
function changesIn({ output }: Graded, meant: Glob | null): WorkspaceState {
  const { workspace } = output;
  if (!Array.isArray(workspace?.changes)) throw new GraderError("the output does not say what was changed");
  const { incomplete } = workspace;
  if (incomplete !== undefined && !isAboutGitAlone(incomplete))
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
const NO_CHANGE = /^(?: |@@|new |\\)/;

/**
 * The changes as in a diff, without context lines, which were not changed. A workspace that still exists knows everything
 * that the setup created; the example alone only knows the content of its own files.
 */
function changeTexts(state: WorkspaceState, environment: Environment | undefined): ChangeText[] {
  const { diff } = state as { diff?: unknown };
  const sections = typeof diff === "string" ? sectionsOf(diff) : null;
  return state.changes.map((change) =>
    sections === null ? fromExample(change, environment) : fromDiff(change, sections),
  );
}

function sectionsOf(diff: string): string[] {
  return diff.split(/^(?=diff --git )/m);
}

function fromDiff({ path }: FileChange, sections: readonly string[]): ChangeText {
  const section = sections.find((each) => each.startsWith(titleOf(path)));
  if (section === undefined) throw new GraderError(`the changes are too large: the diff lacks ${path}`);
  return { path, text: changedLines(section), isKnown: true };
}

function fromExample(change: FileChange, environment: Environment | undefined): ChangeText {
  const { path, status } = change;
  const isKnown = status === "added" || status === "linked" || isGiven(path, environment);
  const text = isKnown ? changedLines(diffOf({ changes: [change] }, environment)) : `${titleOf(path)}${status}`;
  return { path, text, isKnown };
}

function isGiven(path: string, { files = [] }: Environment = {}): boolean {
  return files.some((file) => "content" in file && file.encoding === undefined && posix.normalize(file.dest) === path);
}

function titleOf(path: string): string {
  return `diff --git a/${path} b/${path}\n`;
}

function changedLines(section: string): string {
  const lines = section.split("\n");
  return lines.filter((line) => !NO_CHANGE.test(line)).join("\n");
}
