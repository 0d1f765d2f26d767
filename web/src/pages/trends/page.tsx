import { useMemo, useState } from "preact/hooks";
import type { RunCard } from "../../../../src/report/dashboard/contract.js";
import {
  type ChartSelection,
  ErrorsChart,
  SystemPicker,
  selectRunSystems,
  selectSystems,
  TrendChart,
} from "../../charts/index.js";
import { LoadView, type RunCards, useRunCards } from "../../data/index.js";
import {
  EmptyState,
  formatPlural,
  NewestRunsNotice,
  NoRunsState,
  navigate,
  PageHead,
  type Route,
  SelectFilter,
  updateQuery,
} from "../../ui/index.js";
import { buildSelectionQuery } from "../row-filter.js";
import { listRunFilterChoices, parseSystemFilter, RunFilters } from "../run-filters.js";
import { formatDatasetNames, groupRuns, listSystemNames, type RunGroup } from "../run-groups.js";
import {
  filterRuns,
  groupTrendRuns,
  listSystems,
  parseTrendMetric,
  renameByHarness,
  TREND_METRICS,
  type TrendMetric,
} from "./metrics.js";

const DEFAULT_GROUPS_SHOWN = 4;

export function TrendsPage({ route }: { route: Route }) {
  const { dataset, tag } = route.query;
  const loaded = useRunCards({ ...(dataset && { dataset }), ...(tag && { tag }) });
  return (
    <>
      <PageHead title="Trends">How each system changed from run to run.</PageHead>
      <LoadView loaded={loaded} what="the runs">
        {(cards) => (cards.all.length === 0 ? <NoRunsState /> : <TrendsContent route={route} cards={cards} />)}
      </LoadView>
    </>
  );
}

function TrendsContent({ route, cards }: { route: Route; cards: RunCards }) {
  const { all, shown } = cards;
  const choices = useMemo(() => listRunFilterChoices(all), [all]);
  return (
    <>
      <RunFilters route={route} choices={choices}>
        <SelectFilter
          label="Metric"
          value={parseTrendMetric(route.query.metric).value}
          choices={TREND_METRICS}
          all={null}
          onChange={(metric) => updateQuery(route, { metric })}
        />
      </RunFilters>
      <NewestRunsNotice runs={shown} {...cards} />
      <TrendGroups route={route} runs={shown} />
    </>
  );
}

function TrendGroups({ route, runs }: { route: Route; runs: readonly RunCard[] }) {
  const [limit, setLimit] = useState(DEFAULT_GROUPS_SHOWN);
  const { dataset, harness, from, to, q } = route.query;
  const groups = useMemo(
    () => groupTrendRuns(filterRuns(runs, parseSystemFilter(route.query)), dataset),
    [runs, dataset, harness, from, to, q],
  );
  const known = useMemo(
    () => new Map(groupRuns(runs, dataset).map((group) => [group.key, listSystemNames(group)])),
    [runs, dataset],
  );
  if (groups.length === 0) return <EmptyState title="No run matches">Clear a filter to see more.</EmptyState>;
  return (
    <>
      {groups.slice(0, limit).map((group) => (
        <TrendGroup
          key={group.key}
          route={route}
          group={group}
          known={known.get(group.key) ?? []}
          metric={parseTrendMetric(route.query.metric)}
        />
      ))}
      {groups.length > limit && (
        <button type="button" onClick={() => setLimit(groups.length)}>
          Show {formatPlural(groups.length - limit, "more set")} of datasets
        </button>
      )}
    </>
  );
}

interface TrendGroupProps {
  route: Route;
  group: RunGroup;
  /** Also the systems that a filter leaves out. */
  known: readonly string[];
  metric: TrendMetric;
}

/** One metric over runs of the same examples, and their errors below it. */
function TrendGroup({ route, group, known, metric }: TrendGroupProps) {
  const all = useMemo(() => renameByHarness(group.runs.toReversed()), [group]);
  const systems = useMemo(() => listSystems(all), [all]);
  const selection = selectSystems(route, systems, known);
  const runs = useMemo(() => selectRunSystems(all, selection.isSelected), [all, systems, route.query.systems]);
  const title = formatDatasetNames(group.datasets);
  return (
    <section class="part">
      <h2>{title}</h2>
      <p class="quiet">
        {formatPlural(runs.length, "run")} of {formatPlural(systems.length, "system")}
      </p>
      <SystemPicker {...selection} />
      <div class="chart-stack">
        <TrendChart
          title={metric.label}
          runs={runs}
          figure={metric.figure}
          systems={selection.known}
          onPick={openRun}
          onIsolate={systems.length > 1 ? selection.onIsolate : undefined}
        />
        <ErrorsChart title="Error categories" runs={runs} by="run" systems={selection.known} onPick={openErrors} />
      </div>
    </section>
  );
}

function openRun({ run }: ChartSelection): void {
  if (run !== undefined) navigate(["run", run]);
}

/** A bar covers all systems of its run. */
function openErrors({ run, category }: ChartSelection): void {
  if (run !== undefined)
    navigate(["run", run, "rows"], buildSelectionQuery(category === undefined ? {} : { category }));
}
