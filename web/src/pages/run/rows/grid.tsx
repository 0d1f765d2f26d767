import { useMemo, useRef } from "preact/hooks";
import { buildCellId } from "./cell-id.js";
import { GridHead } from "./grid-head.js";
import { GridRow } from "./grid-row.js";
import type { RowTable } from "./row-table.js";
import { type GridOptions, useGrid } from "./use-grid.js";

interface RowsGridProps extends GridOptions {
  table: RowTable;
  /** Of the element that says which keys there are. */
  keysId: string;
}

/** All rows, of which those in sight are drawn. The arrow keys move in it, and Enter opens a row. */
export function RowsGrid({ table, keysId, ...use }: RowsGridProps) {
  const { places, columns, order, onOrder, getHref } = use;
  const { id, scroller, virtualizer, at, onKeyDown, onClick } = useGrid(use);
  const items = virtualizer.getVirtualItems();
  // A row that scrolls into sight takes the elements of one that has gone, which costs far less than new ones. They keep
  // their order in the document, and, as their number is even, their stripes: moved or restyled, they cost as much again.
  const slots = useRef(2);
  slots.current = Math.max(slots.current, items.length + (items.length % 2));
  const getSlot = (index: number) => index % slots.current;
  const bySlot = items.toSorted((a, b) => getSlot(a.index) - getSlot(b.index));
  const widths = useMemo(() => columns.map(({ width }) => `${width}px`).join(" "), [columns]);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a table of a hundred thousand rows cannot be drawn as one.
    <div
      ref={scroller}
      class="grid"
      role="grid"
      tabIndex={0}
      aria-label="Rows"
      aria-describedby={keysId}
      aria-rowcount={places.length + 1}
      aria-activedescendant={buildCellId(id, at.row, at.column)}
      style={{ "--grid-columns": widths }}
      onKeyDown={onKeyDown}
      onClick={onClick}
    >
      <GridHead {...{ columns, order, onOrder, gridId: id, activeColumn: at.row < 0 ? at.column : -1 }} />
      <div role="presentation" class="grid-body" style={{ height: `${virtualizer.getTotalSize()}px` }}>
        {bySlot.map(({ index, start }) => (
          <GridRow
            key={getSlot(index)}
            table={table}
            place={places[index] ?? 0}
            index={index}
            top={start}
            columns={columns}
            activeColumn={index === at.row ? at.column : -1}
            gridId={id}
            href={getHref(places[index] ?? 0)}
          />
        ))}
      </div>
    </div>
  );
}
