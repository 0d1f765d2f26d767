import type { ComponentChildren } from "preact";
import { useSource } from "../../shell/context.js";
import { type Route, type RouteQuery, updateQuery } from "../../shell/route.js";
import { DateFilter, FilterBar, SelectFilter, TextFilter } from "../../ui/filters.js";
import type { RunFilterChoices } from "./narrow.js";

const NO_RUN_FILTER: RouteQuery = { dataset: "", tag: "", harness: "", from: "", to: "", q: "" };

interface RunFiltersProps {
  route: Route;
  choices: RunFilterChoices;
  /** What else the page lets choose; it comes first. */
  children?: ComponentChildren;
}

/** The filters that lists of systems over runs share, all kept in the address. */
export function RunFilters({ route, choices, children }: RunFiltersProps) {
  const { query } = route;
  const change = (changes: RouteQuery) => updateQuery(route, changes);
  const isFiltered = Object.keys(NO_RUN_FILTER).some((word) => query[word]);
  return (
    <FilterBar onClear={isFiltered ? () => change(NO_RUN_FILTER) : null}>
      {children}
      <DatasetFilters route={route} choices={choices} />
      {(choices.harnesses.length > 0 || query.harness) && (
        <SelectFilter
          label="Harness"
          value={query.harness}
          choices={choices.harnesses}
          onChange={(harness) => change({ harness })}
        />
      )}
      <DateFilter from={query.from} to={query.to} onChange={(days) => change({ ...days })} />
      <TextFilter label="Search" value={query.q} placeholder="system, model, run" onChange={(q) => change({ q })} />
    </FilterBar>
  );
}

/** A file holds the figures of its whole run alone, so that there is nothing to choose. */
function DatasetFilters({ route, choices }: { route: Route; choices: RunFilterChoices }) {
  const { query } = route;
  if (useSource().kind === "file") return null;
  return (
    <>
      <SelectFilter
        label="Dataset"
        value={query.dataset}
        choices={choices.datasets}
        onChange={(dataset) => updateQuery(route, { dataset })}
      />
      {(choices.tags.length > 0 || query.tag) && (
        <SelectFilter
          label="Tag"
          value={query.tag}
          choices={choices.tags}
          onChange={(tag) => updateQuery(route, { tag })}
        />
      )}
    </>
  );
}
