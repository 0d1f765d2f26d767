import { type StructuredPatchHunk, structuredPatch } from "diff";

const CONTEXT_LINES = 3;
/** With more edits, all between the first and the last is shown as replaced: the work grows with their square. */
const MAX_EDITS = 1000;

/** The hunks of a unified diff between two texts; empty when they are the same. */
export function hunksBetween(before: string, after: string): string {
  const options = { context: CONTEXT_LINES, maxEditLength: MAX_EDITS };
  const patch = structuredPatch("", "", before, after, undefined, undefined, options);
  return (patch?.hunks ?? [replaceMiddle(splitLines(before), splitLines(after))]).map(formatHunk).join("");
}

/** Each with its line end, so that a missing one at the end is a difference too. */
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

/** As git writes it, which leaves out a count of one. */
function formatHunk({ oldStart, oldLines, newStart, newLines, lines }: StructuredPatchHunk): string {
  return `@@ -${formatSpan(oldStart, oldLines)} +${formatSpan(newStart, newLines)} @@\n${lines.join("\n")}\n`;
}

/** A side without lines is named by the line before. */
function formatSpan(start: number, length: number): string {
  return `${length === 0 ? start - 1 : start}${length === 1 ? "" : `,${length}`}`;
}
