import { printable } from "./printable.js";

/** One column of a Markdown table. */
export interface Column<T> {
  title: string;
  align?: "left" | "right";
  cell: (item: T) => string;
}

/** Pads the columns so that the table is also readable in a terminal. */
export function markdownTable<T>(columns: readonly Column<T>[], items: readonly T[]): string {
  const cells = items.map((item) => columns.map((column) => escapeCell(column.cell(item))));
  const titles = columns.map(({ title }) => escapeCell(title));
  const widths = titles.map((title, i) => Math.max(3, width(title), ...cells.map((row) => width(row[i] ?? ""))));
  const line = (texts: readonly string[]) =>
    `| ${texts.map((text, i) => pad(text, widths[i] ?? 0, columns[i]?.align)).join(" | ")} |`;
  const rule = columns.map(({ align }, i) => {
    const dashes = "-".repeat((widths[i] ?? 3) - 1);
    return align === "right" ? `${dashes}:` : `${dashes}-`;
  });
  return [line(titles), `| ${rule.join(" | ")} |`, ...cells.map(line)].join("\n");
}

/** Names come from users: a bar, a line break or an escape sequence must not break the table. */
function escapeCell(text: string): string {
  return oneLine(text).replace(/\|/g, "\\|");
}

/** Removes line breaks and escape sequences. */
export function oneLine(text: string): string {
  return printable(text.replace(/\s+/g, " "));
}

function width(text: string): number {
  return [...text].length;
}

function pad(text: string, size: number, align: "left" | "right" = "left"): string {
  const space = " ".repeat(Math.max(0, size - width(text)));
  return align === "right" ? space + text : text + space;
}
