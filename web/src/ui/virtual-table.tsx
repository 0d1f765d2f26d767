import { useVirtualizer } from "@tanstack/react-virtual";
import { useMemo, useRef } from "preact/hooks";
import type { SortOrder } from "../../../src/report/dashboard/order.js";
import { RowCells, sortRows, type TableColumn, TableHead } from "./table.js";

interface VirtualTableProps<T> {
  caption: string;
  rows: readonly T[];
  columns: readonly TableColumn<T>[];
  rowKey: (row: T) => string;
  order: SortOrder;
  onOrder: (order: SortOrder) => void;
  /** In pixels, the same for every row, so that positions are known without drawing. */
  rowHeight: number;
}

const TABLE_OVERSCAN_ROWS = 12;

/** A sortable table of many thousand rows that draws only the visible ones; the head stays visible. */
export function VirtualTable<T>(props: VirtualTableProps<T>) {
  const { caption, rows, columns, rowKey, order, onOrder, rowHeight } = props;
  const scroll = useRef<HTMLElement>(null);
  const inSight = useMemo(() => sortRows(rows, columns, order), [rows, columns, order.key, order.isDescending]);
  const virtual = useVirtualizer({
    count: inSight.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => rowHeight,
    overscan: TABLE_OVERSCAN_ROWS,
  });
  const drawn = virtual.getVirtualItems();
  const before = drawn[0]?.start ?? 0;
  const after = virtual.getTotalSize() - (drawn.at(-1)?.end ?? 0);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <section class="table-scroll is-virtual" aria-label={caption} tabIndex={0} ref={scroll}>
      <table class="table" aria-rowcount={inSight.length + 1}>
        <caption class="unseen">{caption}</caption>
        <TableHead columns={columns} order={order} onOrder={onOrder} />
        <RowGap height={before} />
        <tbody>
          {drawn.map(({ index }) => {
            const row = inSight[index];
            return row === undefined ? null : (
              <tr key={rowKey(row)} aria-rowindex={index + 2} style={{ height: `${rowHeight}px` }}>
                <RowCells row={row} columns={columns} />
              </tr>
            );
          })}
        </tbody>
        <RowGap height={after} />
      </table>
    </section>
  );
}

/** Fills the space of rows that are not drawn. */
function RowGap({ height }: { height: number }) {
  if (height <= 0) return null;
  return (
    <tbody aria-hidden="true" class="gap">
      <tr style={{ height: `${height}px` }} />
    </tbody>
  );
}
