import type { ComponentChildren } from "preact";
import type { RunCard } from "../../../src/report/dashboard/contract.js";
import { hasWords, listDistinct, splitSearchWords } from "../../../src/report/dashboard/run-query.js";
import { useSource } from "../data/index.js";
import {
  DateFilter,
  type DayRange,
  FilterBar,
  isWithinDays,
  type Route,
  type RouteQuery,
  SelectFilter,
  TextFilter,
  updateQuery,
} from "../ui/index.js";
import type { RunSystem } from "./run-groups.js";

const NO_RUN_FILTER: RouteQuery = { dataset: "", tag: "", harness: "", from: "", to: "", q: "" };

interface RunFiltersProps {
  route: Route;
  choices: RunFilterChoices;
  /** Additional filters, shown first. */
  children?: ComponentChildren;
}

/** The filters that the overview and the trends share, stored in the address. */
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
      <TextFilter label="Search" value={query.q} placeholder="system, model, harness" onChange={(q) => change({ q })} />
    </FilterBar>
  );
}

/** A file has only the figures of its whole run. */
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

/** Filters that the page applies; the source filters by dataset and tag. */
export interface SystemFilter extends DayRange {
  harness?: string | undefined;
  text?: string | undefined;
}

export function parseSystemFilter({
  harness,
  from,
  to,
  q,
}: Readonly<Record<string, string | undefined>>): SystemFilter {
  return { harness, from, to, text: q };
}

/** The text is searched in the names of the system: the title of a run often lists every system of the run. */
export function createSystemMatcher({ harness, from, to, text }: SystemFilter): (candidate: RunSystem) => boolean {
  const words = splitSearchWords(text);
  return ({ run, card }) =>
    (!harness || card.harness === harness) &&
    isWithinDays(run.createdAt, { from, to }) &&
    hasWords([card.system, card.harness, card.model], words);
}

interface RunFilterChoices {
  datasets: string[];
  tags: string[];
  harnesses: string[];
}

/** Each value once, sorted. */
export function listRunFilterChoices(runs: readonly RunCard[]): RunFilterChoices {
  return {
    datasets: listDistinct(runs.flatMap(({ datasets }) => datasets.map(({ name }) => name))),
    tags: listDistinct(runs.flatMap(({ tags }) => tags)).sort(compareTags),
    harnesses: listDistinct(runs.flatMap(({ systems }) => systems.flatMap(({ harness }) => harness ?? []))),
  };
}

const NAME_COLLATOR = new Intl.Collator("en", { numeric: true });

/** Numeric values of one facet are ordered by size: `depth=0.25` before `depth=0.5`. */
function compareTags(x: string, y: string): number {
  const [a, b] = [splitTag(x), splitTag(y)];
  const difference = a.field === b.field ? a.value - b.value : Number.NaN;
  return Number.isFinite(difference) ? difference : NAME_COLLATOR.compare(x, y);
}

function splitTag(tag: string): { field: string; value: number } {
  const at = tag.indexOf("=");
  const value = tag.slice(at + 1);
  return { field: tag.slice(0, at), value: value.trim() === "" ? Number.NaN : Number(value) };
}
