import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { type SortOrder, type SortValue, sortByValue, toggleOrder } from "../../../src/report/dashboard/order.js";

interface SortableTableProps<T> {
  /** What the table is of, in words. */
  caption: string;
  /** Shows the caption above the table; otherwise it is there for those who cannot see the page. */
  isCaptionShown?: boolean;
  rows: readonly T[];
  columns: readonly TableColumn<T>[];
  rowKey: (row: T) => string;
  order: SortOrder;
  onOrder: (order: SortOrder) => void;
  rowClass?: (row: T) => string | undefined;
}

/**
 * A table that is sorted by a click on any head. Where it is sorted by is the page's to keep, in its address.
 * @example
 * <SortableTable caption="Systems" rows={systems} columns={COLUMNS} rowKey={formatName} order={order} onOrder={setOrder} />
 */
export function SortableTable<T>(props: SortableTableProps<T>) {
  const { caption, isCaptionShown = false, rows, columns, rowKey, order, onOrder, rowClass } = props;
  const inSight = useMemo(() => sortRows(rows, columns, order), [rows, columns, order.key, order.isDescending]);
  return (
    <TableScroll label={caption}>
      <table class="table">
        <caption class={isCaptionShown ? undefined : "unseen"}>{caption}</caption>
        <TableHead columns={columns} order={order} onOrder={onOrder} />
        <tbody>
          {inSight.map((row) => (
            <tr key={rowKey(row)} class={rowClass?.(row)}>
              <RowCells row={row} columns={columns} />
            </tr>
          ))}
        </tbody>
      </table>
    </TableScroll>
  );
}

/** The cells of one row. */
export function RowCells<T>({ row, columns }: { row: T; columns: readonly TableColumn<T>[] }) {
  return (
    <>
      {columns.map((column) =>
        column.isRowHead ? (
          <th key={column.key} scope="row" class={buildCellClass(column)}>
            {column.cell(row)}
          </th>
        ) : (
          <td key={column.key} class={buildCellClass(column)}>
            {column.cell(row)}
          </td>
        ),
      )}
    </>
  );
}

/** Where a wide table scrolls by itself, so that the page does not; the keyboard can scroll it too. */
function TableScroll({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <section class="table-scroll" aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}

interface TableHeadProps<T> {
  columns: readonly TableColumn<T>[];
  order: SortOrder;
  onOrder: (order: SortOrder) => void;
}

/** The head of a table: a button in each column that can be sorted by. */
export function TableHead<T>({ columns, order, onOrder }: TableHeadProps<T>) {
  return (
    <thead>
      <tr>
        {columns.map((column) => (
          <th
            key={column.key}
            scope="col"
            class={buildCellClass(column)}
            aria-sort={column.value === undefined ? undefined : getAriaSort(column.key, order)}
          >
            {column.value === undefined ? (
              column.title
            ) : (
              <button type="button" title={column.about} onClick={() => onOrder(toggleOrder(order, column))}>
                {column.title}
                <span class="sort-mark" aria-hidden="true">
                  {getSortMark(column.key, order)}
                </span>
              </button>
            )}
          </th>
        ))}
      </tr>
    </thead>
  );
}

/** Classes of all cells of a column. */
function buildCellClass<T>({ isNumeric, class: own }: TableColumn<T>): string | undefined {
  return [isNumeric && "number", own].filter(Boolean).join(" ") || undefined;
}

/** How a column of a key is sorted, for `aria-sort`. */
export function getAriaSort(key: string, order: SortOrder): "ascending" | "descending" | undefined {
  if (key !== order.key) return undefined;
  return order.isDescending ? "descending" : "ascending";
}

export function getSortMark(key: string, order: SortOrder): string {
  if (key !== order.key) return "";
  return order.isDescending ? "▾" : "▴";
}

/** One column of a table. */
export interface TableColumn<T> {
  /** Stands for it in the address. */
  key: string;
  title: ComponentChildren;
  /** What the figure is, for those who do not know it. */
  about?: string;
  /** Numbers stand at the right. */
  isNumeric?: boolean;
  /** The cell names its row. */
  isRowHead?: boolean;
  /** What rows are sorted by; a column without it cannot be sorted by. */
  value?: (row: T) => SortValue;
  /** Whether the first click puts the largest first. */
  startsDescending?: boolean;
  /** For a column that needs a width of its own. */
  class?: string;
  cell: (row: T) => ComponentChildren;
}

/** Rows by the column that the order names; as they are when there is none. */
export function sortRows<T>(rows: readonly T[], columns: readonly TableColumn<T>[], order: SortOrder): readonly T[] {
  const value = columns.find(({ key }) => key === order.key)?.value;
  return value === undefined ? rows : sortByValue(rows, value, order.isDescending);
}
