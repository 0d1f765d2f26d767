import { isUtf8 } from "node:buffer";
import { readFileSync, readlinkSync } from "node:fs";
import { posix } from "node:path";
import { type StructuredPatchHunk, structuredPatch } from "diff";
import type { Environment, FileChange, WorkspaceChanges } from "../../core/index.js";

/** Returns the original text of a file, or target of a link; null when unknown. */
export type ReadContentBefore = (path: string) => string | null;

type DiffableChange = Exclude<FileChange, { status: "folder" }>;

/** Longer diffs are not read by anyone. */
const MAX_DIFF_CHARS = 2 ** 20;
const MAX_TEXT_CHARS = 2 ** 19;

/**
 * Formats the changes as a unified diff, like `git diff`. If the original content is unknown, the whole file is shown as
 * new.
 * @example
 * formatDiff({ changes: [{ path: "a.txt", status: "added", content: "hi\n" }] }, () => null);
 */
export function formatDiff({ changes }: WorkspaceChanges, given: ReadContentBefore | Environment | undefined): string {
  const before = typeof given === "function" ? given : createContentReader(given);
  let diff = "";
  let leftOut = 0;
  // A diff contains files only, like git's.
  for (const change of changes) {
    if (change.status === "folder") continue;
    const one = diff.length < MAX_DIFF_CHARS ? formatFileDiff(change, before) : null;
    if (one === null || diff.length + one.length > MAX_DIFF_CHARS) leftOut += 1;
    else diff += one;
  }
  return leftOut === 0 ? diff : `${diff}(Too long, and left out: ${leftOut} of ${changes.length} files.)\n`;
}

/** Reads the contents from an environment's files; what a repository or a command creates is unknown. */
function createContentReader({ files = [] }: Environment = {}): ReadContentBefore {
  const contents = new Map<string, string | null>();
  for (const file of files) {
    const content = "src" in file || file.encoding !== undefined ? null : file.content;
    contents.set(posix.normalize(file.dest), content);
  }
  return (path) => contents.get(path) ?? null;
}

/** Null when comparing would take too long. */
function formatFileDiff(change: DiffableChange, before: ReadContentBefore): string | null {
  const { path, status } = change;
  const known = status === "added" ? null : before(path);
  const from = status === "added" ? "/dev/null" : `a/${path}`;
  const to = status === "deleted" ? "/dev/null" : `b/${path}`;
  const title = `diff --git a/${path} b/${path}\n${formatModeLine(change)}`;
  const after = getTextAfter(change);
  if (after === null) return `${title}Binary files ${from} and ${to} differ\n`;
  if (Math.max(after.length, known?.length ?? 0) > MAX_TEXT_CHARS) return null;
  if (status === "modified" && known === null)
    return `${title}--- ${from} (not known)\n+++ ${to}\n${formatHunks("", after)}`;
  const hunks = formatHunks(known ?? "", after);
  return hunks === "" ? title : `${title}--- ${from}\n+++ ${to}\n${hunks}`;
}

function formatModeLine(change: DiffableChange): string {
  if (change.status === "deleted") return "deleted file\n";
  if (change.status === "linked") return "new mode 120000\n";
  const mode = change.executable === true ? "100755" : "100644";
  return change.status === "added" ? `new file mode ${mode}\n` : `new mode ${mode}\n`;
}

/** Null for binary content. Text with a null character counts as binary. */
function getTextAfter(change: DiffableChange): string | null {
  if (change.status === "deleted") return "";
  if (change.status === "linked") return change.target;
  if (change.encoding !== undefined) return null;
  const text = decodeContent(change).toString("utf8");
  return text.includes("\0") ? null : text;
}

const CONTEXT_LINES = 3;
/** With more edits, everything between the first and the last is shown as replaced, because the time grows quadratically. */
const MAX_EDITS = 1000;

/** Formats the hunks of a unified diff; empty when the texts are equal. */
export function formatHunks(before: string, after: string): string {
  const options = { context: CONTEXT_LINES, maxEditLength: MAX_EDITS };
  const patch = structuredPatch("", "", before, after, undefined, undefined, options);
  return (patch?.hunks ?? [replaceMiddle(splitLines(before), splitLines(after))]).map(formatHunk).join("");
}

/** Keeps line ends, so that a missing one at the end is a difference. */
function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+/g) ?? [];
}

function replaceMiddle(before: readonly string[], after: readonly string[]): StructuredPatchHunk {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const from = Math.max(0, start - CONTEXT_LINES);
  const rest = Math.max(0, end - CONTEXT_LINES);
  const sign = (mark: string, lines: readonly string[]) =>
    lines.flatMap((line) =>
      line.endsWith("\n") ? [mark + line.slice(0, -1)] : [mark + line, "\\ No newline at end of file"],
    );
  return {
    oldStart: from + 1,
    oldLines: before.length - rest - from,
    newStart: from + 1,
    newLines: after.length - rest - from,
    lines: [
      ...sign(" ", before.slice(from, start)),
      ...sign("-", before.slice(start, before.length - end)),
      ...sign("+", after.slice(start, after.length - end)),
      ...sign(" ", after.slice(after.length - end, after.length - rest)),
    ],
  };
}

/** Like git, which omits a count of one. */
function formatHunk({ oldStart, oldLines, newStart, newLines, lines }: StructuredPatchHunk): string {
  return `@@ -${formatSpan(oldStart, oldLines)} +${formatSpan(newStart, newLines)} @@\n${lines.join("\n")}\n`;
}

/** An empty side is named by the line before. */
function formatSpan(start: number, length: number): string {
  return `${length === 0 ? start - 1 : start}${length === 1 ? "" : `,${length}`}`;
}

/** File content in JSON: text as it is, anything else in base64. */
export interface EncodedContent {
  readonly content: string;
  readonly encoding?: "base64";
}

export function encodeContent(bytes: Buffer): EncodedContent {
  return isUtf8(bytes)
    ? { content: bytes.toString("utf8") }
    : { content: bytes.toString("base64"), encoding: "base64" };
}

export function decodeContent({ content, encoding }: EncodedContent): Buffer {
  return Buffer.from(content, encoding ?? "utf8");
}

/** The bytes of a file; null when it cannot be read. */
export function tryReadBytes(place: string): Buffer | null {
  try {
    return readFileSync(place);
  } catch {
    return null;
  }
}

/** The target of a link; null when it cannot be read or is not valid UTF-8. */
export function tryReadLinkTarget(place: string): string | null {
  try {
    const target = readlinkSync(place, "buffer");
    return isUtf8(target) ? target.toString("utf8") : null;
  } catch {
    return null;
  }
}
