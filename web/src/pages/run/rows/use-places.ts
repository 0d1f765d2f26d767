import { useEffect, useState } from "preact/hooks";
import type { SortOrder } from "../../../../../src/report/dashboard/order.js";
import { filterRows } from "./filter-places.js";
import { mergeSort } from "./merge-sort.js";
import type { RowFilter, TextMatches } from "./row-filter.js";
import type { RowTable } from "./row-table.js";
import { runInSlices } from "./slices.js";
import { createRowComparator } from "./sort-places.js";
import type { LoadedRows } from "./use-rows.js";

/** Which rows are shown, in their order. */
export interface VisibleRows {
  /** Of which table. */
  readonly table: RowTable | null;
  readonly places: Uint32Array;
  /** Others are being worked out. */
  readonly isWorking: boolean;
}

export interface RowQuery {
  readonly filter: RowFilter;
  readonly order: SortOrder;
  readonly matches: TextMatches | null;
}

const NO_VISIBLE_ROWS: VisibleRows = { table: null, places: new Uint32Array(), isWorking: true };

/** The places of the rows that are wanted; those of before stay until others are found. */
export function useVisibleRows({ table, version }: LoadedRows, { filter, order, matches }: RowQuery): VisibleRows {
  const [shown, setShown] = useState<VisibleRows>(NO_VISIBLE_ROWS);
  useEffect(() => {
    if (table === null) return setShown(NO_VISIBLE_ROWS);
    const gone = new AbortController();
    setShown((before) => (before.table === table ? { ...before, isWorking: true } : NO_VISIBLE_ROWS));
    runInSlices(selectRows(table, { filter, order, matches }), gone.signal).then(
      (places) => gone.signal.aborted || setShown({ table, places, isWorking: false }),
      () => {
        // Given up for another filter or order.
      },
    );
    return () => gone.abort();
  }, [table, version, JSON.stringify(filter), order.key, order.isDescending, matches]);
  return shown;
}

/** Filters and sorts, a piece at a time. */
export function* selectRows(table: RowTable, { filter, order, matches }: RowQuery): Generator<void, Uint32Array> {
  const places = yield* filterRows(table, filter, matches);
  const compare = createRowComparator(table, order);
  return compare === null ? places : yield* mergeSort(places, compare);
}
