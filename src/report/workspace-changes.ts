import type { FileChange, WorkspaceChanges } from "../core/environment.js";
import { formatBytes, plural } from "./format.js";
import { oneLine } from "./markdown.js";
import { hanging, TERMINAL_WIDTH, textBlock } from "./text-block.js";
import type { TimelineOptions } from "./timeline.js";

/** At most this many files are listed unless all are asked for. */
const MOST_SHOWN = 40;

const STATUS_WIDTH = "modified".length;

/**
 * What the work of a trial left behind, a line for each file.
 * @example
 * renderChanges({ changes: [{ path: "a.js", status: "added", content: "1\n2\n" }] }); // ["  added     a.js (+2 lines)"]
 */
export function renderChanges(workspace: WorkspaceChanges, options: TimelineOptions = {}): string[] {
  const { width = TERMINAL_WIDTH, isFull = false } = options;
  const { changes, incomplete } = workspace;
  const shown = isFull ? changes : changes.slice(0, MOST_SHOWN);
  const more = changes.length - shown.length;
  const left = width - STATUS_WIDTH - 4;
  return [
    ...shown.flatMap((change) =>
      hanging(
        `  ${change.status.padEnd(STATUS_WIDTH)}  `,
        textBlock(about(change), { width: left, maxLines: 2, isFull }),
      ),
    ),
    ...(more > 0 ? [`  and ${plural(more, "more file")}: --full`] : []),
    ...(incomplete === undefined
      ? []
      : hanging("  ", textBlock(`Not all of it is kept: ${incomplete}`, { width, maxLines: 4, isFull }))),
  ];
}

function about(change: FileChange): string {
  const path = oneLine(change.path);
  switch (change.status) {
    case "deleted":
      return path;
    case "folder":
      return `${path}/ (empty)`;
    case "linked":
      return `${path} → ${oneLine(change.target)}`;
    case "added":
    case "modified":
      return `${path} (${sizeOf(change)}${change.executable === true ? ", executable" : ""})`;
  }
}

/** What a file was before is not stored, so that of a modified one only what it is now can be told. */
function sizeOf({ status, content, encoding }: Extract<FileChange, { content: string }>): string {
  if (encoding === "base64") return `${formatBytes(Buffer.byteLength(content, "base64"))}, not text`;
  const lines = plural(linesIn(content), "line");
  return status === "added" ? `+${lines}` : `${lines} now`;
}

function linesIn(text: string): number {
  const feeds = text.split("\n").length - 1;
  return text === "" || text.endsWith("\n") ? feeds : feeds + 1;
}
