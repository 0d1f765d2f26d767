import { posix } from "node:path";
import type { Environment, FileChange, WorkspaceState } from "../core/environment.js";
import { diffOf } from "../exec/workspace/diff.js";
import { GraderError } from "./grader-error.js";

/** What one change has in a diff: its path, and the lines that were taken away or added. */
export interface ChangeText {
  readonly path: string;
  readonly text: string;
  /** False when what the file held before is not known, so that `text` is its title alone. */
  readonly isKnown: boolean;
}

/** A line that was not changed, or words of the diff itself. */
const NO_CHANGE = /^(?: |@@|new |\\)/;

/**
 * The changes as they stand in a diff, without the lines around them: what was there all along was not changed. A folder
 * that is still there knows all that the set-up made; from the example alone, only what its files held is known.
 */
export function changeTexts(state: WorkspaceState, environment: Environment | undefined): ChangeText[] {
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
  if (section === undefined) throw new GraderError(`the changes are too large: that to ${path} is not in the diff`);
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
