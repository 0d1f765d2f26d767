import { posix } from "node:path";
import type { Environment, FileChange, WorkspaceChanges } from "../../core/environment.js";
import { decodeContent } from "./encoded-content.js";
import { hunksBetween } from "./unified-diff.js";

/** The text of a file as it was given, or the target of a link; null when it is not known. */
export type ContentBefore = (path: string) => string | null;

type ChangedFile = Exclude<FileChange, { status: "folder" }>;

/** In characters: more is read by nobody. */
const MAX_DIFF = 2 ** 20;
const MAX_TEXT = 2 ** 19;

/**
 * The changes as a unified diff, as `git diff` prints them. Where the content before is not known, all of a file is
 * shown as new.
 * @example
 * diffOf({ changes: [{ path: "a.txt", status: "added", content: "hi\n" }] }, () => null);
 */
export function diffOf({ changes }: WorkspaceChanges, given: ContentBefore | Environment | undefined): string {
  const before = typeof given === "function" ? given : contentsOf(given);
  let diff = "";
  let leftOut = 0;
  // A diff is about files, as git's are.
  for (const change of changes) {
    if (change.status === "folder") continue;
    const one = diff.length < MAX_DIFF ? oneDiff(change, before) : null;
    if (one === null || diff.length + one.length > MAX_DIFF) leftOut += 1;
    else diff += one;
  }
  return leftOut === 0 ? diff : `${diff}(Too long, and left out: ${leftOut} of ${changes.length} files.)\n`;
}

/** What the files of an environment hold; of what a repository or a command makes, nothing is known. */
function contentsOf({ files = [] }: Environment = {}): ContentBefore {
  const contents = new Map<string, string | null>();
  for (const file of files) {
    const content = "src" in file || file.encoding !== undefined ? null : file.content;
    contents.set(posix.normalize(file.dest), content);
  }
  return (path) => contents.get(path) ?? null;
}

/** Null when comparing the two would take too long. */
function oneDiff(change: ChangedFile, before: ContentBefore): string | null {
  const { path, status } = change;
  const known = status === "added" ? null : before(path);
  const from = status === "added" ? "/dev/null" : `a/${path}`;
  const to = status === "deleted" ? "/dev/null" : `b/${path}`;
  const title = `diff --git a/${path} b/${path}\n${modeLine(change)}`;
  const after = textAfter(change);
  if (after === null) return `${title}Binary files ${from} and ${to} differ\n`;
  if (Math.max(after.length, known?.length ?? 0) > MAX_TEXT) return null;
  if (status === "modified" && known === null)
    return `${title}--- ${from} (not known)\n+++ ${to}\n${hunksBetween("", after)}`;
  const hunks = hunksBetween(known ?? "", after);
  return hunks === "" ? title : `${title}--- ${from}\n+++ ${to}\n${hunks}`;
}

function modeLine(change: ChangedFile): string {
  if (change.status === "deleted") return "deleted file\n";
  if (change.status === "linked") return "new mode 120000\n";
  const mode = change.executable === true ? "100755" : "100644";
  return change.status === "added" ? `new file mode ${mode}\n` : `new mode ${mode}\n`;
}

/** Null for what is no text. A null character is text by its encoding, but not for people. */
function textAfter(change: ChangedFile): string | null {
  if (change.status === "deleted") return "";
  if (change.status === "linked") return change.target;
  if (change.encoding !== undefined) return null;
  const text = decodeContent(change).toString("utf8");
  return text.includes("\0") ? null : text;
}
