import { type SortOrder, toggleOrder } from "../../../src/report/dashboard/order.js";
import type { TableColumn } from "./table-column.js";

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
          <th key={column.key} scope="col" class={buildCellClass(column)} aria-sort={getAriaSort(column, order)}>
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
export function buildCellClass<T>({ isNumeric, class: own }: TableColumn<T>): string | undefined {
  return [isNumeric && "number", own].filter(Boolean).join(" ") || undefined;
}

function getAriaSort<T>({ key, value }: TableColumn<T>, order: SortOrder): "ascending" | "descending" | undefined {
  if (value === undefined || key !== order.key) return undefined;
  return order.isDescending ? "descending" : "ascending";
}

function getSortMark(key: string, order: SortOrder): string {
  if (key !== order.key) return "";
  return order.isDescending ? "▾" : "▴";
}
