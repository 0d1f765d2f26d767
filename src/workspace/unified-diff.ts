import { type LineEdit, lineEdits } from "./line-edits.js";

const CONTEXT = 3;

/** The hunks of a unified diff between two texts; empty when they are the same. */
export function hunksBetween(before: string, after: string): string {
  const edits = lineEdits(linesOf(before), linesOf(after));
  return rangesOf(edits)
    .map((range) => hunkText(edits, range))
    .join("");
}

/** Each with its line end, so that a missing one at the end is a difference too. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+/g) ?? [];
}

interface Range {
  readonly start: number;
  end: number;
}

/** Where something changed, with the lines around it; those that touch are one. */
function rangesOf(edits: readonly LineEdit[]): Range[] {
  const ranges: Range[] = [];
  edits.forEach(({ sign }, index) => {
    if (sign === " ") return;
    const last = ranges.at(-1);
    const end = Math.min(edits.length, index + 1 + CONTEXT);
    const start = Math.max(0, index - CONTEXT);
    if (last !== undefined && start <= last.end) last.end = end;
    else ranges.push({ start, end });
  });
  return ranges;
}

function hunkText(edits: readonly LineEdit[], { start, end }: Range): string {
  const ahead = edits.slice(0, start);
  const shown = edits.slice(start, end);
  const before = spanText(count(ahead, "+"), count(shown, "+"));
  const after = spanText(count(ahead, "-"), count(shown, "-"));
  return `@@ -${before} +${after} @@\n${shown.map(lineText).join("")}`;
}

/** The lines that one of the two sides has: all but those of the other. */
function count(edits: readonly LineEdit[], other: LineEdit["sign"]): number {
  return edits.filter(({ sign }) => sign !== other).length;
}

/** Lines count from 1; a side without lines is named by the line before. */
function spanText(ahead: number, length: number): string {
  return `${length === 0 ? ahead : ahead + 1}${length === 1 ? "" : `,${length}`}`;
}

function lineText({ sign, line }: LineEdit): string {
  return line.endsWith("\n") ? sign + line : `${sign}${line}\n\\ No newline at end of file\n`;
}
