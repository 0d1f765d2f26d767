import type { ComponentChildren } from "preact";
import { type SortOrder, type SortValue, sortByValue } from "../../../src/report/dashboard/order.js";

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
