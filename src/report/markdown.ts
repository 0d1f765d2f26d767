import { replaceControlCharacters } from "./format.js";

/** One column of a Markdown table. */
export interface TableColumn<T> {
  title: string;
  align?: "left" | "right";
  cell: (item: T) => string;
}

/** Pads the columns so that the table is also readable in a terminal. */
export function renderMarkdownTable<T>(columns: readonly TableColumn<T>[], items: readonly T[]): string {
  const cells = items.map((item) => columns.map((column) => escapeCell(column.cell(item))));
  const titles = columns.map(({ title }) => escapeCell(title));
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
