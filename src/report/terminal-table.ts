import { formatFigures } from "./figures.js";
import type { Tone } from "./markdown.js";
import { formatColumnTitle, type TableColumn, toOneLine } from "./markdown.js";
import { shortenNames } from "./short-names.js";
import type { Paint } from "./style.js";
import { measureColumns, wrapText } from "./text-block.js";

export interface TerminalTableOptions {
  readonly width: number;
  readonly paint: Paint;
  /** Leaves nothing out: a table that does not fit becomes a list. */
  readonly isComplete?: boolean;
  /** Says how to see what was left out. */
  readonly hint?: string;
}

/** Between two columns. */
const GAP = 2;
/** The name of a line gives way to the other columns down to this width. */
const MIN_NAME = 16;
const GOOD_NAME = 28;
/** Longer texts are wrapped inside their column, down to this width. */
const MIN_TEXT = 18;
/** Longer words of a title are shortened. */
const MAX_TITLE_WORD = 20;
/** With fewer columns beside the name, a list shows more. */
const MIN_COLUMNS = 2;

/** A column with its texts, before it is known whether it fits. */
interface Column {
  readonly title: string;
  /** Title with the level of the interval. */
  readonly fullTitle: string;
  readonly isRight: boolean;
  readonly isText: boolean;
  readonly cells: readonly Cell[];
  readonly priority: number;
  readonly intervalPriority: number;
  readonly valueWidth: number;
  /** 0 if no cell has an interval. */
  readonly intervalWidth: number;
}

interface Cell {
  readonly value: string;
  readonly interval: string;
  readonly tone: Tone | null;
}

/** A column as it is drawn. */
interface Shown {
  readonly column: Column;
  hasInterval: boolean;
  width: number;
}

/**
 * Draws a table that fits the width. The first column names each line; the others are shown in the order of their priority,
 * as far as they fit. A line below says what was left out.
 */
export function renderTerminalTable<T>(
  columns: readonly TableColumn<T>[],
  items: readonly T[],
  options: TerminalTableOptions,
): string {
  const measured = columns.map((column, i) => measureColumn(column, items, i));
  const [name, ...others] = measured;
  if (name === undefined) return "";
  const ordered = others.toSorted((a, b) => a.priority - b.priority);
  const shown = chooseColumns(name, ordered, options.width);
  const hidden = listHidden(shown, ordered);
  const isTooNarrow = shown.length - 1 < Math.min(MIN_COLUMNS, ordered.length);
  if (isTooNarrow || (options.isComplete === true && (hidden.length > 0 || isNameCut(shown))))
    return renderList([name, ...ordered], items.length, options);
  const table = drawTable(shown, items.length, options.paint);
  const left = [...hidden, ...(isNameCut(shown) ? ["the middle of long names"] : [])];
  return left.length === 0 ? table : `${table}\n\n${describeLeftOut(left, options)}`;
}

function measureColumn<T>(column: TableColumn<T>, items: readonly T[], index: number): Column {
  const { figure, align = "left", priority = 1000 + index } = column;
  const cells = figure === undefined ? items.map((item) => readTextCell(column, item)) : readFigureCells(column, items);
  return {
    title: shortenTitle(column.title),
    fullTitle: shortenTitle(formatColumnTitle(column)),
    isRight: align === "right",
    isText: figure === undefined && align === "left",
    cells,
    priority: index === 0 ? Number.NEGATIVE_INFINITY : priority,
    intervalPriority: figure?.intervalPriority ?? 2000 + index,
    valueWidth: Math.max(0, ...cells.map(({ value }) => measureColumns(value))),
    intervalWidth: Math.max(0, ...cells.map(({ interval }) => measureColumns(interval))),
  };
}

function readTextCell<T>({ cell, tone }: TableColumn<T>, item: T): Cell {
  return { value: toOneLine(cell(item)).trim(), interval: "", tone: tone?.(item) ?? null };
}

function readFigureCells<T>({ figure, tone }: TableColumn<T>, items: readonly T[]): Cell[] {
  if (figure === undefined) return [];
  return formatFigures(figure, items).map(({ value, interval, isBest }, i) => {
    const own = tone?.(items[i] as T) ?? null;
    return { value, interval, tone: own ?? (isBest ? "best" : null) };
  });
}

function shortenTitle(title: string): string {
  const words = toOneLine(title).trim().split(" ");
  return words.map((word) => shortenNames([word], MAX_TITLE_WORD)[0] ?? "").join(" ");
}

/** Adds one part after the other, columns and intervals by their priority, and ends with the first that does not fit. */
function chooseColumns(name: Column, others: readonly Column[], width: number): Shown[] {
  const parts = others
    .flatMap((column) => [
      { column, priority: column.priority, hasInterval: false },
      ...(column.intervalWidth === 0 ? [] : [{ column, priority: column.intervalPriority, hasInterval: true }]),
    ])
    .toSorted((a, b) => a.priority - b.priority);
  const shown: Shown[] = [{ column: name, hasInterval: false, width: measureMinWidth(name) }];
  for (const [i, { column, hasInterval }] of parts.entries()) {
    const before = shown.find((one) => one.column === column);
    const size = measureMinWidth(column, hasInterval);
    const more = before === undefined ? size + GAP : size - before.width;
    // Beyond the first columns, a readable name is worth more than another column.
    const reserve = i < MIN_COLUMNS + 2 ? 0 : Math.max(0, Math.min(GOOD_NAME, name.valueWidth) - MIN_NAME);
    if (sumWidths(shown) + more + reserve > width) break;
    if (before === undefined) shown.push({ column, hasInterval, width: size });
    else Object.assign(before, { hasInterval, width: size });
  }
  return widenColumns(shown, width);
}

function sumWidths(shown: readonly Shown[]): number {
  return shown.reduce((sum, { width }) => sum + width, 0) + GAP * (shown.length - 1);
}

function measureMinWidth(column: Column, hasInterval = false): number {
  const words = (hasInterval ? column.fullTitle : column.title).split(" ");
  const title = Math.max(...words.map(measureColumns));
  if (column.priority === Number.NEGATIVE_INFINITY) return Math.max(title, Math.min(column.valueWidth, MIN_NAME));
  const values = hasInterval ? column.valueWidth + 1 + column.intervalWidth : column.valueWidth;
  return Math.max(title, column.isText ? Math.min(values, MIN_TEXT) : values);
}

/** Gives the free room to cut names first, then to wrapped texts, then to wrapped titles. */
function widenColumns(shown: readonly Shown[], width: number): Shown[] {
  const widened = shown.map((one) => ({ ...one }));
  const widen = (one: Shown, wanted: number) => {
    const room = Math.min(wanted - one.width, width - sumWidths(widened));
    if (room > 0) one.width += room;
  };
  for (const one of widened) if (one.column.isText) widen(one, one.column.valueWidth);
  for (const one of widened) {
    const title = measureColumns(one.hasInterval ? one.column.fullTitle : one.column.title);
    if (title - one.width <= width - sumWidths(widened)) widen(one, title);
  }
  return widened;
}

function listHidden(shown: readonly Shown[], others: readonly Column[]): string[] {
  const columns = others.filter((column) => !shown.some((one) => one.column === column));
  const intervals = shown.filter(({ column, hasInterval }) => column.intervalWidth > 0 && !hasInterval);
  return [...columns.map(({ title }) => title), ...intervals.map(({ column }) => `the interval of ${column.title}`)];
}

function isNameCut([name]: readonly Shown[]): boolean {
  return name !== undefined && name.column.valueWidth > name.width;
}

function describeLeftOut(left: readonly string[], { width, paint, hint = DEFAULT_HINT }: TerminalTableOptions): string {
  const lines = wrapText(`Left out: ${left.join(", ")}. ${hint}`, { width, maxLines: 0, isFull: true });
  return lines.map((line) => paint(line, "faint")).join("\n");
}

const DEFAULT_HINT = "Use a wider terminal, or pipe the output to see all: … | cat";

function drawTable(shown: readonly Shown[], count: number, paint: Paint): string {
  const [name, ...others] = shown;
  const names =
    name === undefined
      ? []
      : shortenNames(
          name.column.cells.map(({ value }) => value),
          name.width,
        );
  const titles = shown.map(({ column, hasInterval, width }) =>
    wrapCell(hasInterval ? column.fullTitle : column.title, width).map((line) =>
      paint(pad(line, width, column.isRight), "heading"),
    ),
  );
  const height = Math.max(...titles.map((lines) => lines.length));
  // Titles stand directly above their column.
  const raised = titles.map((lines, i) => [
    ...Array<string>(height - lines.length).fill(" ".repeat(shown[i]?.width ?? 0)),
    ...lines,
  ]);
  const rule = shown.map(({ width }) => paint("─".repeat(width), "faint"));
  const rows = Array.from({ length: count }, (_, i) => {
    const first =
      name === undefined ? [] : [paintCell(names[i] ?? "", name, name.column.cells[i]?.tone ?? null, paint)];
    return joinLines([[...first], ...others.map((one) => drawCell(one, i, paint))], shown);
  });
  return [
    ...joinLines(raised, shown),
    ...joinLines(
      rule.map((line) => [line]),
      shown,
    ),
    ...rows.flat(),
  ].join("\n");
}

function drawCell(one: Shown, i: number, paint: Paint): string[] {
  const { column, hasInterval, width } = one;
  const { value = "", interval = "", tone = null } = column.cells[i] ?? {};
  if (column.isText) return wrapCell(value, width).map((line) => paintCell(line, one, tone, paint));
  if (!hasInterval) return [paintCell(value, one, tone, paint)];
  const own = pad(value, width - 1 - column.intervalWidth, column.isRight);
  return [`${paintText(own, tone, paint)} ${paint(pad(interval, column.intervalWidth, false), "faint")}`];
}

function paintCell(text: string, { column, width }: Shown, tone: Tone | null, paint: Paint): string {
  return paintText(pad(text, width, column.isRight), tone, paint);
}

function paintText(text: string, tone: Tone | null, paint: Paint): string {
  return tone === null ? text : paint(text, tone);
}

/** Lines of a row whose cells have several; shorter cells are filled below. */
function joinLines(cells: readonly (readonly string[])[], shown: readonly Shown[]): string[] {
  const height = Math.max(...cells.map((lines) => lines.length));
  return Array.from({ length: height }, (_, at) =>
    cells
      .map((lines, i) => lines[at] ?? " ".repeat(shown[i]?.width ?? 0))
      .join(" ".repeat(GAP))
      .trimEnd(),
  );
}

function wrapCell(text: string, width: number): string[] {
  return wrapText(text, { width, maxLines: 0, isFull: true });
}

function pad(text: string, width: number, isRight: boolean): string {
  const space = " ".repeat(Math.max(0, width - measureColumns(text)));
  return isRight ? space + text : text + space;
}

/** A label of a list takes at most this share of the width. */
const LABEL_SHARE = 0.4;

/** One block for each item, for terminals that are too narrow for a table. Nothing is left out. */
function renderList(columns: readonly Column[], count: number, { width, paint }: TerminalTableOptions): string {
  const [name, ...others] = columns;
  const widest = Math.max(0, ...others.map(({ title }) => measureColumns(title)));
  const labelWidth = Math.max(1, Math.min(widest, Math.floor(width * LABEL_SHARE)));
  const indent = " ".repeat(Math.min(2, Math.floor(width / 10)));
  const room = Math.max(1, width - indent.length - labelWidth - GAP);
  const blocks = Array.from({ length: count }, (_, i) => {
    const heading = wrapCell(name?.cells[i]?.value ?? "", width).map((line) => paint(line, "heading"));
    const lines = others.flatMap(({ cells, title }) => {
      const { value = "", interval = "", tone = null } = cells[i] ?? {};
      const labels = wrapCell(title, labelWidth);
      const values = wrapCell(interval === "" ? value : `${value} ${interval}`, room);
      return Array.from({ length: Math.max(labels.length, values.length) }, (_, at) =>
        `${indent}${pad(labels[at] ?? "", labelWidth, false)}${" ".repeat(GAP)}${paintText(values[at] ?? "", tone, paint)}`.trimEnd(),
      );
    });
    return [...heading, ...lines].join("\n");
  });
  return blocks.join("\n\n");
}
