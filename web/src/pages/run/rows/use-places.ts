import { useEffect, useState } from "preact/hooks";
import type { SortOrder } from "../../../../../src/report/dashboard/order.js";
import { filterPlaces } from "./filter-places.js";
import { mergeSort } from "./merge-sort.js";
import type { Matches, RowFilter } from "./row-filter.js";
import type { RowTable } from "./row-table.js";
import { inSlices } from "./slices.js";
import { compareBy } from "./sort-places.js";
import type { LoadedRows } from "./use-rows.js";

/** Which rows are shown, in their order. */
export interface ShownPlaces {
  /** Of which table. */
  readonly table: RowTable | null;
  readonly places: Uint32Array;
  /** Others are being worked out. */
  readonly isWorking: boolean;
}

export interface Wanted {
  readonly filter: RowFilter;
  readonly order: SortOrder;
  readonly matches: Matches | null;
}

const NONE: ShownPlaces = { table: null, places: new Uint32Array(), isWorking: true };

/** The places of the rows that are wanted; those of before stay until others are found. */
export function usePlaces({ table, version }: LoadedRows, { filter, order, matches }: Wanted): ShownPlaces {
  const [shown, setShown] = useState<ShownPlaces>(NONE);
  useEffect(() => {
    if (table === null) return setShown(NONE);
    const gone = new AbortController();
    setShown((before) => (before.table === table ? { ...before, isWorking: true } : NONE));
    inSlices(placesOf(table, { filter, order, matches }), gone.signal).then(
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
export function* placesOf(table: RowTable, { filter, order, matches }: Wanted): Generator<void, Uint32Array> {
  const places = yield* filterPlaces(table, filter, matches);
  const compare = compareBy(table, order);
  return compare === null ? places : yield* mergeSort(places, compare);
}
