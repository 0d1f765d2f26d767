import { type SortOrder, toggleOrder } from "../../../src/report/dashboard/order.js";
import type { Column } from "./table-column.js";

interface TableHeadProps<T> {
  columns: readonly Column<T>[];
  order: SortOrder;
  onOrder: (order: SortOrder) => void;
}

/** The head of a table: a button in each column that can be sorted by. */
export function TableHead<T>({ columns, order, onOrder }: TableHeadProps<T>) {
  return (
    <thead>
      <tr>
        {columns.map((column) => (
          <th key={column.key} scope="col" class={cellClass(column)} aria-sort={sortOf(column, order)}>
            {column.value === undefined ? (
              column.title
            ) : (
              <button type="button" title={column.about} onClick={() => onOrder(toggleOrder(order, column))}>
                {column.title}
                <span class="sort-mark" aria-hidden="true">
                  {markOf(column.key, order)}
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
export function cellClass<T>({ isNumeric, class: own }: Column<T>): string | undefined {
  return [isNumeric && "number", own].filter(Boolean).join(" ") || undefined;
}

function sortOf<T>({ key, value }: Column<T>, order: SortOrder): "ascending" | "descending" | undefined {
  if (value === undefined || key !== order.key) return undefined;
  return order.isDescending ? "descending" : "ascending";
}

function markOf(key: string, order: SortOrder): string {
  if (key !== order.key) return "";
  return order.isDescending ? "▾" : "▴";
}
