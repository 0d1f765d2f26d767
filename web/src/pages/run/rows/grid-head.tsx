// biome-ignore-all lint/a11y/useSemanticElements: a table of a hundred thousand rows cannot be drawn as one, and the grid has the focus for its cells.
// biome-ignore-all lint/a11y/useFocusableInteractive: a table of a hundred thousand rows cannot be drawn as one, and the grid has the focus for its cells.
import { type SortOrder, toggleOrder } from "../../../ui/index.js";
import { buildCellId } from "./cell-id.js";
import type { GridColumn } from "./grid-columns.js";
import { buildGridCellClass } from "./grid-row.js";

interface GridHeadProps {
  columns: readonly GridColumn[];
  order: SortOrder;
  onOrder: (order: SortOrder) => void;
  gridId: string;
  /** The cell that the keyboard is at; -1 when it is in a row. */
  activeColumn: number;
}

/** The head of the grid: each column sorts by a click, or by Enter when the arrow keys have gone there. */
export function GridHead({ columns, order, onOrder, gridId, activeColumn }: GridHeadProps) {
  return (
    <div role="row" class="grid-head" aria-rowindex={1}>
      {columns.map((column, at) => (
        <div
          key={column.key}
          role="columnheader"
          id={buildCellId(gridId, -1, at)}
          aria-sort={getGridAriaSort(column, order)}
          class={buildGridCellClass(column, at === activeColumn)}
        >
          <button
            type="button"
            tabIndex={-1}
            title={column.title}
            onClick={() => onOrder(toggleColumnOrder(order, column))}
          >
            <span class="grid-title">{column.title}</span>
            <span aria-hidden="true">{getGridSortMark(column, order)}</span>
          </button>
        </div>
      ))}
    </div>
  );
}

/** The order after a column's head was chosen. */
export function toggleColumnOrder(order: SortOrder, { key, isNumeric }: GridColumn): SortOrder {
  return toggleOrder(order, { key, startsDescending: isNumeric });
}

function getGridAriaSort({ key }: GridColumn, order: SortOrder): "ascending" | "descending" | undefined {
  if (key !== order.key) return undefined;
  return order.isDescending ? "descending" : "ascending";
}

function getGridSortMark({ key }: GridColumn, order: SortOrder): string {
  if (key !== order.key) return "";
  return order.isDescending ? "▾" : "▴";
}
