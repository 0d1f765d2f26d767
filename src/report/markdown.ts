import { replaceControlCharacters } from "./format.js";

/** What a part of a screen means. */
export type Tone = "heading" | "best" | "faint" | "good" | "bad" | "warning";

/** What a column shows, whether it is drawn as Markdown or for a terminal. */
export interface TableColumn<T> {
  title: string;
  align?: "left" | "right";
  cell: (item: T) => string;
  /**
   * A terminal shows the columns in this order, and leaves out the last ones if not all fit. Columns without one follow in
   * the order of the table.
   */
  priority?: number;
  /** The number in the cell. In a terminal all numbers of a column have the same unit and precision. */
  figure?: Figure<T>;
  /** Marks the cell in a terminal with colors. */
  tone?: (item: T) => Tone | null;
}

export type Unit = "number" | "share" | "dollars" | "seconds";

export interface Figure<T> {
  unit: Unit;
  get: (item: T) => FigureValue;
  /** The best values are highlighted. */
  better?: "higher" | "lower";
  /** Maximum number of decimals. Default: 3. */
  digits?: number;
  /** The level of the interval, as in `95 %`. Default: the cell has none. */
  level?: string;
  /** When the interval is left out, in the order of `priority`. Default: after all columns. */
  intervalPriority?: number;
}

/** Unknown is null. */
export interface FigureValue {
  value: number | null;
  low?: number | null;
  high?: number | null;
}

/** `pass rate [95 %]` */
export function formatColumnTitle<T>({ title, figure }: TableColumn<T>): string {
  return figure?.level === undefined ? title : `${title} [${figure.level}]`;
}

/** Pads the columns so that the table is also readable in a terminal. */
export function renderMarkdownTable<T>(columns: readonly TableColumn<T>[], items: readonly T[]): string {
  const cells = items.map((item) => columns.map((column) => escapeCell(column.cell(item))));
  const titles = columns.map((column) => escapeCell(formatColumnTitle(column)));
  const widths = titles.map((title, i) =>
    Math.max(3, measureWidth(title), ...cells.map((row) => measureWidth(row[i] ?? ""))),
  );
  const line = (texts: readonly string[]) =>
    `| ${texts.map((text, i) => padCell(text, widths[i] ?? 0, columns[i]?.align)).join(" | ")} |`;
  const rule = columns.map(({ align }, i) => {
    const dashes = "-".repeat((widths[i] ?? 3) - 1);
    return align === "right" ? `${dashes}:` : `${dashes}-`;
  });
  return [line(titles), `| ${rule.join(" | ")} |`, ...cells.map(line)].join("\n");
}

/** Names come from users: a bar, a line break or an escape sequence must not break the table. */
function escapeCell(text: string): string {
  return toOneLine(text).replace(/\|/g, "\\|");
}

/** Removes line breaks and escape sequences. */
export function toOneLine(text: string): string {
  return replaceControlCharacters(text.replace(/\s+/g, " "));
}

function measureWidth(text: string): number {
  return [...text].length;
}

function padCell(text: string, size: number, align: "left" | "right" = "left"): string {
  const space = " ".repeat(Math.max(0, size - measureWidth(text)));
  return align === "right" ? space + text : text + space;
}
