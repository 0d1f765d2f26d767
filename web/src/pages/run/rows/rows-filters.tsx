import type { Query } from "../../../shell/route.js";
import { FilterBar, SelectFilter, type SortOrder, TextFilter } from "../../../ui/index.js";
import { fieldsAtFirst, sortColumns } from "./grid-columns.js";
import { ManyFilter } from "./many-filter.js";
import { NumberFilter } from "./number-filter.js";
import { noFilter, type RowFilter } from "./row-filter.js";
import type { RowTable } from "./row-table.js";
import { joinWords } from "./word-list.js";

interface RowsFiltersProps {
  table: RowTable;
  filter: RowFilter;
  order: SortOrder;
  /** Score fields that are shown; null when nobody chose. */
  fields: readonly string[] | null;
  isFiltered: boolean;
  /** Changes words of the address. */
  change: (words: Query) => void;
}

/** What rows are wanted, in which order, and which of their scores. */
export function RowsFilters({ table, filter, order, fields, isFiltered, change }: RowsFiltersProps) {
  const { head, tags } = table;
  const many = (word: string) => (chosen: readonly string[]) => change({ [word]: joinWords(chosen) });
  return (
    <FilterBar onClear={isFiltered ? () => change(noFilter()) : null}>
      <TextFilter
        label="Text"
        value={filter.text}
        placeholder="id, question or answer"
        onChange={(text) => change({ text })}
      />
      <ManyFilter label="Outcome" choices={head.outcomes} chosen={filter.outcomes} onChange={many("outcome")} />
      <ManyFilter label="System" choices={head.systems} chosen={filter.systems} onChange={many("system")} />
      {(head.datasets.length > 1 || filter.datasets.length > 0) && (
        <ManyFilter label="Dataset" choices={head.datasets} chosen={filter.datasets} onChange={many("dataset")} />
      )}
      <ManyFilter label="Category" choices={head.categories} chosen={filter.categories} onChange={many("category")} />
      {(tags.length > 0 || filter.tags.length > 0) && (
        <ManyFilter label="Tag" choices={tags} chosen={filter.tags} onChange={many("tag")} />
      )}
      <ScoreRange table={table} filter={filter} change={change} />
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
        <ManyFilter
          label="Scores shown"
          choices={head.fields}
          chosen={fields ?? fieldsAtFirst(head.fields)}
          onChange={(chosen) => change({ fields: chosen.length === 0 ? NO_FIELD : joinWords(chosen) })}
        />
      )}
    </FilterBar>
  );
}

/** Stands for none, since what is empty is left out of the address. */
const NO_FIELD = "-";

function ScoreRange({ table, filter, change }: Pick<RowsFiltersProps, "table" | "filter" | "change">) {
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
function SortChoice({ table, order, change }: Pick<RowsFiltersProps, "table" | "order" | "change">) {
  const sign = order.isDescending ? "-" : "";
  return (
    <span class="sort-choice">
      <SelectFilter
        label="Sort by"
        value={order.key}
        all="as planned"
        choices={sortColumns(table).map(({ key, title }) => ({ value: key, label: title }))}
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
