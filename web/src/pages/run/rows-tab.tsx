import { useId, useMemo } from "preact/hooks";
import {
  FilterBar,
  formatCount,
  formatOrder,
  MultiSelectFilter,
  NumberFilter,
  parseOrder,
  type Route,
  type RouteQuery,
  SelectFilter,
  Skeleton,
  type SortOrder,
  TextFilter,
  updateQuery,
} from "../../ui/index.js";
import { useLabels } from "../labels/use-labels.js";
import {
  buildClearedFilterQuery,
  buildRowFilterQuery,
  groupMatches,
  hasRowFilter,
  joinValues,
  LABEL_FILTERS,
  parseRowFilter,
  type RowFilter,
  type RowLabels,
  splitValues,
} from "../row-filter.js";
import type { RowTable } from "../rows/row-table.js";
import { PLANNED_ORDER, useVisibleRows, type VisibleRows } from "../rows/select-rows.js";
import { type LoadedRows, type TextSearch, useRows, useTextSearch } from "../rows/use-rows.js";
import { buildTrialAddress } from "../trial-address.js";
import { RowsGrid } from "./grid.js";
import { buildGridColumns, listSortColumns, selectDefaultFields } from "./grid-columns.js";

interface RowsTabProps {
  route: Route;
  id: string;
  /** Rows are read again when it changes. */
  state: string;
}

/** The rows of a run that match the filters of the address, in its order. */
export function RowsTab({ route, id, state }: RowsTabProps) {
  const rows = useRows(id, state);
  const filter = parseRowFilter(route.query);
  const order = parseOrder(route.query.sort, PLANNED_ORDER);
  const search = useTextSearch(id, filter.text);
  const { view } = useLabels(id);
  const labels = useMemo(() => (view === null ? null : groupMatches(view.labels)), [view]);
  const shown = useVisibleRows(rows, { filter, order, matches: search.matches, labels });
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
          hasLabels={labels !== null && labels.size > 0}
          fields={parseFields(route.query)}
          isFiltered={hasRowFilter(route.query)}
          change={change}
        />
      )}
      <RowsStatus rows={rows} shown={shown} search={search} text={filter.text} />
      {shown.table !== null && (
        <FilteredRows {...{ table: shown.table, places: shown.places, route, id, order, labels, change }} />
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
  labels: RowLabels | null;
  change: (words: RouteQuery) => void;
}

function FilteredRows({ table, places, route, id, order, labels, change }: FilteredRowsProps) {
  const keysId = useId();
  const { fields, sort } = route.query;
  const columns = useMemo(
    () => buildGridColumns(table, { fields: parseFields({ fields }), sortedBy: order.key, labels }),
    [table, fields, order.key, labels],
  );
  const list = { ...buildRowFilterQuery(parseRowFilter(route.query)), sort };
  if (places.length === 0 && table.length > 0)
    return <p class="quiet">No row has all of this. Clear a filter to see more.</p>;
  return (
    <>
      <RowsGrid
        run={id}
        table={table}
        places={places}
        columns={columns}
        order={order}
        onOrder={(next) => change({ sort: formatOrder(next) })}
        getHref={(place) => buildTrialAddress(id, table.getKey(place), list)}
        keysId={keysId}
      />
      <p id={keysId} class="grid-keys quiet">
        Arrow keys, Page Up, Page Down, Home and End move in the table; Enter opens a row or sorts by a column.
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

/** The number of rows, and work in progress. */
function RowsStatus({ rows, shown, search, text }: RowsStatusProps) {
  if (rows.table === null) return rows.isComplete ? null : <Skeleton of="rows" />;
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

interface RowFiltersProps {
  table: RowTable;
  filter: RowFilter;
  order: SortOrder;
  /** The score fields to show; null for the default. */
  fields: readonly string[] | null;
  isFiltered: boolean;
  hasLabels: boolean;
  /** Updates the query of the address. */
  change: (words: RouteQuery) => void;
}

function RowFilters({ table, filter, order, fields, isFiltered, hasLabels, change }: RowFiltersProps) {
  const { head, tags } = table;
  const many = (word: string) => (chosen: readonly string[]) => change({ [word]: joinValues(chosen) });
  return (
    <FilterBar onClear={isFiltered ? () => change(buildClearedFilterQuery()) : null}>
      <TextFilter
        label="Search"
        value={filter.text}
        placeholder="id, system, text"
        onChange={(text) => change({ text })}
      />
      <MultiSelectFilter label="Outcome" choices={head.outcomes} chosen={filter.outcomes} onChange={many("outcome")} />
      <MultiSelectFilter label="System" choices={head.systems} chosen={filter.systems} onChange={many("system")} />
      {(head.datasets.length > 1 || filter.datasets.length > 0) && (
        <MultiSelectFilter
          label="Dataset"
          choices={head.datasets}
          chosen={filter.datasets}
          onChange={many("dataset")}
        />
      )}
      <MultiSelectFilter
        label="Category"
        choices={head.categories}
        chosen={filter.categories}
        onChange={many("category")}
      />
      {(tags.length > 0 || filter.tags.length > 0) && (
        <MultiSelectFilter label="Tag" choices={tags} chosen={filter.tags} onChange={many("tag")} />
      )}
      {(hasLabels || filter.label !== "") && (
        <SelectFilter
          label="Label"
          value={filter.label}
          choices={LABEL_FILTERS}
          onChange={(label) => change({ label })}
        />
      )}
      <ScoreRangeFilter table={table} filter={filter} change={change} />
      <span class="range">
        <NumberFilter
          label="Seconds from"
          value={filter.latencyFrom}
          onChange={(word) => change({ latencyFrom: word })}
        />
        <NumberFilter label="Seconds to" value={filter.latencyTo} onChange={(word) => change({ latencyTo: word })} />
      </span>
      <SortChoice table={table} order={order} change={change} />
      {head.fields.length > 1 && (
        <MultiSelectFilter
          label="Scores shown"
          choices={head.fields}
          chosen={fields ?? selectDefaultFields(head.fields)}
          onChange={(chosen) => change({ fields: chosen.length === 0 ? NO_FIELDS_PARAMETER : joinValues(chosen) })}
        />
      )}
    </FilterBar>
  );
}

/** Stands for no fields, since empty values are left out of the address. */
const NO_FIELDS_PARAMETER = "-";

function ScoreRangeFilter({ table, filter, change }: Pick<RowFiltersProps, "table" | "filter" | "change">) {
  return (
    <span class="range">
      {table.head.fields.length > 1 && (
        <SelectFilter
          label="Score"
          value={filter.field}
          choices={table.head.fields}
          all="primary"
          onChange={(field) => change({ field })}
        />
      )}
      <NumberFilter label="Score from" value={filter.min} onChange={(min) => change({ min })} />
      <NumberFilter label="Score to" value={filter.max} onChange={(max) => change({ max })} />
    </span>
  );
}

/** For columns that are not shown, and for narrow screens. */
function SortChoice({ table, order, change }: Pick<RowFiltersProps, "table" | "order" | "change">) {
  const sign = order.isDescending ? "-" : "";
  return (
    <span class="sort-choice">
      <SelectFilter
        label="Sort by"
        value={order.key}
        all="planned order"
        choices={listSortColumns(table).map(({ key, title }) => ({ value: key, label: title }))}
        onChange={(key) => change({ sort: key === "" ? undefined : `${sign}${key}` })}
      />
      <button
        type="button"
        disabled={order.key === ""}
        onClick={() => change({ sort: `${order.isDescending ? "" : "-"}${order.key}` })}
      >
        {order.isDescending ? "▾ largest first" : "▴ smallest first"}
      </button>
    </span>
  );
}
