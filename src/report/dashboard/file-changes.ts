import { posix } from "node:path";
import type { Environment, FileChange as StoredChange, WorkspaceChanges } from "../../core/environment.js";
import { hunksBetween } from "../../exec/workspace/unified-diff.js";
import { isShortened } from "../../store/example-lines.js";
import type { FileChange } from "./contract.js";

const MOST_FILES = 1000;
/** Of all files together, in characters: more is read by nobody. */
const MOST_TEXT = 2_000_000;
const MOST_LINES = 5000;

type WrittenFile = Extract<StoredChange, { content: string }>;

/**
 * What the work of a trial did to its files, with diffs where both sides are known. What a file was before is known
 * where the example gave it.
 * @example
 * fileChanges({ changes: [{ path: "a.js", status: "added", content: "1\n" }] });
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
  const diffOf = (lines: () => readonly string[]) => (isShown ? atMost(lines()) : ["@@ too long to be shown @@"]);
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

/** What it was before is not known: neither added nor removed. */
function asItIs(content: string): string[] {
  const lines = content.replace(/\n$/, "").split("\n");
  return ["@@ as it is now: what it was before is not kept @@", ...lines.map((line) => ` ${line}`)];
}

function hunks(before = "", after = ""): string[] {
  const text = hunksBetween(before, after);
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

function atMost(lines: readonly string[]): readonly string[] {
  const more = lines.length - MOST_LINES;
  return more <= 0 ? lines : [...lines.slice(0, MOST_LINES), `@@ ${more} more lines are not shown @@`];
}

/** A null character is text by its encoding, but not for people. */
function isText({ content, encoding }: WrittenFile): boolean {
  return encoding === undefined && !content.includes("\0");
}

function sizeOf(change: StoredChange, before: Contents): number {
  const now = "content" in change ? change.content.length : 0;
  return now + (before.get(change.path)?.length ?? 0);
}

/** The texts of the files that the example gives, as far as they are whole; it may be of any shape. */
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
