import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { type SortOrder, type SortValue, sortByValue, toggleOrder } from "../../../src/report/dashboard/order.js";

interface SortableTableProps<T> {
  caption: string;
  /** Shows the caption above the table; otherwise only screen readers read it. */
  isCaptionShown?: boolean;
  rows: readonly T[];
  columns: readonly TableColumn<T>[];
  rowKey: (row: T) => string;
  order: SortOrder;
  onOrder: (order: SortOrder) => void;
  rowClass?: (row: T) => string | undefined;
}

/**
 * A table that is sorted by a click on a head. The page keeps the order, in its address.
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

/** Scrolls a wide table, so that the page does not; also with the keyboard. */
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

function buildCellClass<T>({ isNumeric, class: own }: TableColumn<T>): string | undefined {
  return [isNumeric && "number", own].filter(Boolean).join(" ") || undefined;
}

export function getAriaSort(key: string, order: SortOrder): "ascending" | "descending" | undefined {
  if (key !== order.key) return undefined;
  return order.isDescending ? "descending" : "ascending";
}

export function getSortMark(key: string, order: SortOrder): string {
  if (key !== order.key) return "";
  return order.isDescending ? "▾" : "▴";
}

export interface TableColumn<T> {
  /** Names the column in the address. */
  key: string;
  title: ComponentChildren;
  /** An explanation of the figure. */
  about?: string;
  /** Aligned to the right. */
  isNumeric?: boolean;
  /** The cell is the head of its row. */
  isRowHead?: boolean;
  /** The sort value; without it, the column cannot be sorted. */
  value?: (row: T) => SortValue;
  /** Whether the first click sorts the largest first. */
  startsDescending?: boolean;
  /** For a column with its own width. */
  class?: string;
  cell: (row: T) => ComponentChildren;
}

/** Unchanged when the order names no column. */
export function sortRows<T>(rows: readonly T[], columns: readonly TableColumn<T>[], order: SortOrder): readonly T[] {
  const value = columns.find(({ key }) => key === order.key)?.value;
  return value === undefined ? rows : sortByValue(rows, value, order.isDescending);
}
