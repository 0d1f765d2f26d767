import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import type { SortOrder } from "../../../src/report/dashboard/order.js";
import { sortRows, type TableColumn } from "./table-column.js";
import { buildCellClass, TableHead } from "./table-head.js";

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
