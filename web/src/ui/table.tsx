import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { type SortOrder, type SortValue, sortByValue, toggleOrder } from "../../../src/report/dashboard/order.js";
import { findBestValue } from "./column-format.js";
import { Scrollable } from "./scrollable.js";

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
  const best = useMemo(() => findBestValues(rows, columns), [rows, columns]);
  return (
    <TableScroll label={caption}>
      <table class="table">
        <caption class={isCaptionShown ? undefined : "unseen"}>{caption}</caption>
        <TableHead columns={columns} order={order} onOrder={onOrder} />
        <tbody>
          {inSight.map((row) => (
            <tr key={rowKey(row)} class={rowClass?.(row)}>
              <RowCells row={row} columns={columns} best={best} />
            </tr>
          ))}
        </tbody>
      </table>
    </TableScroll>
  );
}

/** By the key of the column; columns without a best value are left out. */
type BestValues = ReadonlyMap<string, SortValue>;

function findBestValues<T>(rows: readonly T[], columns: readonly TableColumn<T>[]): BestValues {
  const best = new Map<string, SortValue>();
  for (const { key, value, isBestHigh, isBestLow } of columns) {
    if (value === undefined || (!isBestHigh && !isBestLow)) continue;
    const known = rows.map(value).filter((one) => typeof one === "number");
    const found = findBestValue(known, isBestHigh === true);
    if (found !== null) best.set(key, found);
  }
  return best;
}

interface RowCellsProps<T> {
  row: T;
  columns: readonly TableColumn<T>[];
  best?: BestValues;
}

function RowCells<T>({ row, columns, best }: RowCellsProps<T>) {
  return (
    <>
      {columns.map((column) =>
        column.isRowHead ? (
          <th key={column.key} scope="row" class={buildCellClass(column)}>
            {column.cell(row)}
          </th>
        ) : (
          <td key={column.key} class={buildCellClass(column, isBestCell(row, column, best))} data-key={column.key}>
            {column.cell(row)}
          </td>
        ),
      )}
    </>
  );
}

/** Scrolls a wide table, so that the page does not. No landmark: two datasets may have the same name. */
function TableScroll({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <Scrollable class="table-scroll" label={label}>
      {children}
    </Scrollable>
  );
}

interface TableHeadProps<T> {
  columns: readonly TableColumn<T>[];
  order: SortOrder;
  onOrder: (order: SortOrder) => void;
}

function TableHead<T>({ columns, order, onOrder }: TableHeadProps<T>) {
  return (
    <thead>
      {columns.some(({ group }) => group !== undefined) && (
        <tr class="groups">
          {listColumnGroups(columns).map(({ key, title, count }) =>
            title === undefined ? (
              <td key={key} colSpan={count} />
            ) : (
              <th key={key} scope="colgroup" colSpan={count} class="group">
                {title}
              </th>
            ),
          )}
        </tr>
      )}
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

function isBestCell<T>(row: T, { key, value }: TableColumn<T>, best: BestValues | undefined): boolean {
  return value !== undefined && best?.get(key) !== undefined && best.get(key) === value(row);
}

function buildCellClass<T>({ isNumeric, class: own }: TableColumn<T>, isBest = false): string | undefined {
  return [isNumeric && "number", isBest && "best", own].filter(Boolean).join(" ") || undefined;
}

interface ColumnGroup {
  key: string;
  title: string | undefined;
  count: number;
}

function listColumnGroups<T>(columns: readonly TableColumn<T>[]): ColumnGroup[] {
  const groups: ColumnGroup[] = [];
  for (const { key, group } of columns) {
    const last = groups.at(-1);
    if (last !== undefined && last.title === group) last.count += 1;
    else groups.push({ key, title: group, count: 1 });
  }
  return groups;
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
  /** Columns of one group have a common head above them. */
  group?: string;
  /** The best value of the column is bold. */
  isBestHigh?: boolean;
  isBestLow?: boolean;
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
