import { useId, useMemo } from "preact/hooks";
import { type Route, type RouteQuery, updateQuery } from "../../../shell/route.js";
import { formatCount, formatOrder, parseOrder, type SortOrder } from "../../../ui/index.js";
import { buildTrialAddress } from "../../trial/trial-address.js";
import { RowsGrid } from "./grid.js";
import { buildGridColumns } from "./grid-columns.js";
import { buildRowFilterQuery, hasRowFilter, parseRowFilter } from "./row-filter.js";
import type { RowTable } from "./row-table.js";
import { RowFilters } from "./rows-filters.js";
import { PLANNED_ORDER } from "./sort-places.js";
import { useVisibleRows, type VisibleRows } from "./use-places.js";
import { type LoadedRows, useRows } from "./use-rows.js";
import { type TextSearch, useTextSearch } from "./use-search.js";
import { splitValues } from "./word-list.js";

interface RowsTabProps {
  route: Route;
  id: string;
  /** How far the run is: rows are read again when it is another. */
  state: string;
}

/** All rows of a run: those that the filters in the address leave, in the order that it says. */
export function RowsTab({ route, id, state }: RowsTabProps) {
  const rows = useRows(id, state);
  const filter = parseRowFilter(route.query);
  const order = parseOrder(route.query.sort, PLANNED_ORDER);
  const search = useTextSearch(id, filter.text);
  const shown = useVisibleRows(rows, { filter, order, matches: search.matches });
  const change = (words: RouteQuery) => updateQuery({ ...route, path: ["run", id, "rows"] }, words);
  return (
    <>
      {rows.problem !== null && (
        <p class="problem" role="alert">
          {rows.problem}
        </p>
      )}
      {rows.table !== null && (
        <RowFilters
          table={rows.table}
          filter={filter}
          order={order}
          fields={parseFields(route.query)}
          isFiltered={hasRowFilter(route.query)}
          change={change}
        />
      )}
      <RowsStatus rows={rows} shown={shown} search={search} text={filter.text} />
      {shown.table !== null && (
        <FilteredRows {...{ table: shown.table, places: shown.places, route, id, order, change }} />
      )}
    </>
  );
}

function parseFields({ fields }: RouteQuery): readonly string[] | null {
  return fields === undefined ? null : splitValues(fields);
}

interface FilteredRowsProps {
  table: RowTable;
  places: Uint32Array;
  route: Route;
  id: string;
  order: SortOrder;
  change: (words: RouteQuery) => void;
}

function FilteredRows({ table, places, route, id, order, change }: FilteredRowsProps) {
  const keysId = useId();
  const { fields, sort } = route.query;
  const columns = useMemo(
    () => buildGridColumns(table, parseFields({ fields }), order.key),
    [table, fields, order.key],
  );
  const list = { ...buildRowFilterQuery(parseRowFilter(route.query)), sort };
  if (places.length === 0 && table.length > 0)
    return <p class="quiet">No row has all of this. Clear a filter to see more.</p>;
  return (
    <>
      <RowsGrid
        table={table}
        places={places}
        columns={columns}
        order={order}
        onOrder={(next) => change({ sort: formatOrder(next) })}
        getHref={(place) => buildTrialAddress(id, table.getKey(place), list)}
        keysId={keysId}
      />
      <p id={keysId} class="grid-keys quiet">
        In the table the arrow keys, Page Up, Page Down, Home and End move, and Enter opens a row or sorts by a head.
      </p>
    </>
  );
}

interface RowsStatusProps {
  rows: LoadedRows;
  shown: VisibleRows;
  search: TextSearch;
  text: string;
}

/** How many rows there are, and what is still being done about them. */
function RowsStatus({ rows, shown, search, text }: RowsStatusProps) {
  if (rows.table === null) return rows.isComplete ? null : <p class="loading">Loading rows …</p>;
  const { total } = rows.table.head;
  const all = rows.isComplete ? rows.table.length : Math.max(total, rows.table.length);
  return (
    <p class="rows-state" role="status">
      <b>{formatCount(shown.places.length)}</b> of {formatCount(all)} rows
      {!rows.isComplete && <span class="quiet"> · {formatCount(rows.table.length)} have arrived</span>}
      {search.isSearching && <span class="quiet"> · searching the texts for “{text.trim()}” …</span>}
      {search.matches !== null && <TextMatchCount search={search} />}
      {search.problem !== null && <span class="problem"> · {search.problem}</span>}
    </p>
  );
}

function TextMatchCount({ search: { count, isCut } }: { search: TextSearch }) {
  if (!isCut)
    return (
      <span class="quiet">
        {" "}
        · found in the texts of {formatCount(count)} {count === 1 ? "trial" : "trials"}
      </span>
    );
  return <span class="warn"> · found in the texts of more than {formatCount(count)} trials: the first are shown</span>;
}
