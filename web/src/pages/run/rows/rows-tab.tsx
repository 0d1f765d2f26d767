import { useId, useMemo } from "preact/hooks";
import { changeQuery, type Query, type Route } from "../../../shell/route.js";
import { formatCount, formatOrder, parseOrder, type SortOrder } from "../../../ui/index.js";
import { trialAddress } from "../../trial/trial-address.js";
import { RowsGrid } from "./grid.js";
import { gridColumns } from "./grid-columns.js";
import { filterOf, filterWords, hasFilter } from "./row-filter.js";
import type { RowTable } from "./row-table.js";
import { RowsFilters } from "./rows-filters.js";
import { AS_PLANNED } from "./sort-places.js";
import { type ShownPlaces, usePlaces } from "./use-places.js";
import { type LoadedRows, useRows } from "./use-rows.js";
import { type Search, useSearch } from "./use-search.js";
import { splitWords } from "./word-list.js";

interface RowsTabProps {
  route: Route;
  id: string;
  /** How far the run is: rows are read again when it is another. */
  state: string;
}

/** All rows of a run: those that the filters in the address leave, in the order that it says. */
export function RowsTab({ route, id, state }: RowsTabProps) {
  const rows = useRows(id, state);
  const filter = filterOf(route.query);
  const order = parseOrder(route.query.sort, AS_PLANNED);
  const search = useSearch(id, filter.text);
  const shown = usePlaces(rows, { filter, order, matches: search.matches });
  const change = (words: Query) => changeQuery({ ...route, path: ["run", id, "rows"] }, words);
  return (
    <>
      {rows.problem !== null && (
        <p class="problem" role="alert">
          {rows.problem}
        </p>
      )}
      {rows.table !== null && (
        <RowsFilters
          table={rows.table}
          filter={filter}
          order={order}
          fields={fieldsIn(route.query)}
          isFiltered={hasFilter(route.query)}
          change={change}
        />
      )}
      <RowsState rows={rows} shown={shown} search={search} text={filter.text} />
      {shown.table !== null && (
        <ShownRows {...{ table: shown.table, places: shown.places, route, id, order, change }} />
      )}
    </>
  );
}

function fieldsIn({ fields }: Query): readonly string[] | null {
  return fields === undefined ? null : splitWords(fields);
}

interface ShownRowsProps {
  table: RowTable;
  places: Uint32Array;
  route: Route;
  id: string;
  order: SortOrder;
  change: (words: Query) => void;
}

function ShownRows({ table, places, route, id, order, change }: ShownRowsProps) {
  const keysId = useId();
  const { fields, sort } = route.query;
  const columns = useMemo(() => gridColumns(table, fieldsIn({ fields }), order.key), [table, fields, order.key]);
  const list = { ...filterWords(filterOf(route.query)), sort };
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
        hrefOf={(place) => trialAddress(id, table.keyAt(place), list)}
        keysId={keysId}
      />
      <p id={keysId} class="grid-keys quiet">
        In the table the arrow keys, Page Up, Page Down, Home and End move, and Enter opens a row or sorts by a head.
      </p>
    </>
  );
}

interface RowsStateProps {
  rows: LoadedRows;
  shown: ShownPlaces;
  search: Search;
  text: string;
}

/** How many rows there are, and what is still being done about them. */
function RowsState({ rows, shown, search, text }: RowsStateProps) {
  if (rows.table === null) return rows.isComplete ? null : <p class="loading">Loading rows …</p>;
  const { total } = rows.table.head;
  const all = rows.isComplete ? rows.table.length : Math.max(total, rows.table.length);
  return (
    <p class="rows-state" role="status">
      <b>{formatCount(shown.places.length)}</b> of {formatCount(all)} rows
      {!rows.isComplete && <span class="quiet"> · {formatCount(rows.table.length)} have arrived</span>}
      {search.isSearching && <span class="quiet"> · searching the texts for “{text.trim()}” …</span>}
      {search.matches !== null && <FoundTexts search={search} />}
      {search.problem !== null && <span class="problem"> · {search.problem}</span>}
    </p>
  );
}

function FoundTexts({ search: { count, isCut } }: { search: Search }) {
  if (!isCut)
    return (
      <span class="quiet">
        {" "}
        · found in the texts of {formatCount(count)} {count === 1 ? "trial" : "trials"}
      </span>
    );
  return <span class="warn"> · found in the texts of more than {formatCount(count)} trials: the first are shown</span>;
}
