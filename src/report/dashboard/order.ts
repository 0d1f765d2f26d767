/** The column and direction that a table is sorted by. */
export interface SortOrder {
  key: string;
  isDescending: boolean;
}

/** Null is unknown and always sorted last. */
export type SortValue = string | number | null;

/**
 * Parses the sort order of a URL.
 * @example
 * parseOrder("-quality", { key: "when", isDescending: true }); // { key: "quality", isDescending: true }
 */
export function parseOrder(text: string | undefined, otherwise: SortOrder): SortOrder {
  if (!text) return otherwise;
  return text.startsWith("-") ? { key: text.slice(1), isDescending: true } : { key: text, isDescending: false };
}

/** Formats a sort order for a URL: `-quality` is largest first. */
export function formatOrder({ key, isDescending }: SortOrder): string {
  return isDescending ? `-${key}` : key;
}

/** The order after a click on a column header: the same column is reversed, another starts in its default direction. */
export function toggleOrder(current: SortOrder, column: { key: string; startsDescending?: boolean }): SortOrder {
  if (current.key === column.key) return { ...current, isDescending: !current.isDescending };
  return { key: column.key, isDescending: column.startsDescending ?? false };
}

const COLLATOR = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

/** Stable; unknown values come last. */
export function sortByValue<T>(rows: readonly T[], value: (row: T) => SortValue, isDescending: boolean): T[] {
  const keyed = rows.map((row) => ({ row, value: value(row) }));
  keyed.sort((x, y) => compareSortValues(x.value, y.value, isDescending ? -1 : 1));
  return keyed.map(({ row }) => row);
}

function compareSortValues(x: SortValue, y: SortValue, sign: number): number {
  if (x === null || y === null) return Number(x === null) - Number(y === null);
  if (typeof x === "number" && typeof y === "number") return sign * (x - y);
  return sign * COLLATOR.compare(String(x), String(y));
}
