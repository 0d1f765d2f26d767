import type { RouteQuery } from "../../../shell/route.js";
import { FilterBar, SelectFilter, type SortOrder, TextFilter } from "../../../ui/index.js";
import { listSortColumns, selectDefaultFields } from "./grid-columns.js";
import { MultiSelectFilter } from "./many-filter.js";
import { NumberFilter } from "./number-filter.js";
import { buildClearedFilterQuery, type RowFilter } from "./row-filter.js";
import type { RowTable } from "./row-table.js";
import { joinValues } from "./word-list.js";

interface RowFiltersProps {
  table: RowTable;
  filter: RowFilter;
  order: SortOrder;
  /** Score fields that are shown; null when nobody chose. */
  fields: readonly string[] | null;
  isFiltered: boolean;
  /** Changes words of the address. */
  change: (words: RouteQuery) => void;
}

/** What rows are wanted, in which order, and which of their scores. */
export function RowFilters({ table, filter, order, fields, isFiltered, change }: RowFiltersProps) {
  const { head, tags } = table;
  const many = (word: string) => (chosen: readonly string[]) => change({ [word]: joinValues(chosen) });
  return (
    <FilterBar onClear={isFiltered ? () => change(buildClearedFilterQuery()) : null}>
      <TextFilter
        label="Text"
        value={filter.text}
        placeholder="id, question or answer"
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

/** Stands for none, since what is empty is left out of the address. */
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

/** The heads of the grid do the same; this one is for columns that are not shown, and for narrow screens. */
function SortChoice({ table, order, change }: Pick<RowFiltersProps, "table" | "order" | "change">) {
  const sign = order.isDescending ? "-" : "";
  return (
    <span class="sort-choice">
      <SelectFilter
        label="Sort by"
        value={order.key}
        all="as planned"
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
