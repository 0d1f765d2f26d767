import { renderMarkdownTable, type TableColumn, toOneLine } from "./markdown.js";
import { createPaint, type Paint } from "./style.js";
import { renderTerminalTable } from "./terminal-table.js";
import { indentHanging, measureColumns, wrapText } from "./text-block.js";

/** How a report is drawn: as Markdown of any width, or for a terminal. */
export interface Layout {
  heading(text: string, level?: 1 | 2): string;
  /** A paragraph. Its line breaks are kept. */
  text(text: string): string;
  bullets(lines: readonly string[]): string;
  /** A bullet with a command that can be copied: a line that is too long goes on after a backslash. */
  command(label: string, command: string): string;
  table<T>(columns: readonly TableColumn<T>[], items: readonly T[], options?: TableOptions): string;
}

interface TableOptions {
  /** Leaves no column out, however narrow the terminal. */
  isComplete?: boolean;
  /** Says how to see the columns that were left out. */
  hint?: string;
}

/** The terminal a report is drawn for. */
export interface Screen {
  /** Columns of the terminal. Default: Markdown, for files and pipes. */
  width?: number;
  hasColors?: boolean;
}

export function createLayout({ width, hasColors = false }: Screen = {}): Layout {
  return width === undefined ? MARKDOWN : createTerminalLayout(Math.max(1, width), createPaint(hasColors));
}

const MARKDOWN: Layout = {
  heading: (text, level = 1) => `${"#".repeat(level)} ${toOneLine(text)}`,
  text: (text) => text,
  bullets: (lines) => lines.map((line) => `- ${toOneLine(line)}`).join("\n"),
  command: (label, command) => `- ${label}: ${toOneLine(command)}`,
  table: (columns, items) => renderMarkdownTable(columns, items),
};

function createTerminalLayout(width: number, paint: Paint): Layout {
  const wrap = (text: string, room = width) => wrapText(text, { width: Math.max(1, room), maxLines: 0, isFull: true });
  return {
    heading: (text) =>
      wrap(toOneLine(text))
        .map((line) => paint(line, "heading"))
        .join("\n"),
    text: (text) => wrap(text).join("\n"),
    bullets: (lines) =>
      lines
        .flatMap((line) => (width < 4 ? wrap(toOneLine(line)) : indentHanging("- ", wrap(toOneLine(line), width - 2))))
        .map((line) => (line.includes("⚠") ? paint(line, "warning") : line))
        .join("\n"),
    command: (label, command) => `- ${breakCommand(`${label}: ${toOneLine(command)}`, width - 2).join(" \\\n    ")}`,
    table: (columns, items, options) => renderTerminalTable(columns, items, { width, paint, ...options }),
  };
}

/** The break and its indentation. */
const BREAK_WIDTH = 4;

/** Breaks a command before its flags. One with quotes stays whole, because a break may be inside of them. */
function breakCommand(command: string, width: number): string[] {
  if (/["'\\]/.test(command)) return [command];
  const lines: string[] = [];
  for (const part of command.split(/ (?=--)/)) {
    const joined = lines.length === 0 ? part : `${lines.at(-1)} ${part}`;
    if (lines.length > 0 && measureColumns(joined) > width - BREAK_WIDTH) lines.push(part);
    else lines.splice(-1, 1, joined);
  }
  return lines;
}
