import { useMemo, useState } from "preact/hooks";
import type { RunCard } from "../../../../src/report/dashboard/contract.js";
import { LoadView } from "../../shell/loaded.js";
import { type Route, updateQuery } from "../../shell/route.js";
import { EmptyState } from "../../ui/empty-state.js";
import { SelectFilter } from "../../ui/filters.js";
import { formatPlural } from "../../ui/format.js";
import { NewestRunsNotice } from "../../ui/newest-only.js";
import { NoRunsState } from "../../ui/no-runs.js";
import { PageHead } from "../../ui/page-head.js";
import { type RunCards, useRunCards } from "../../ui/use-run-cards.js";
import { listRunFilterChoices, parseSystemFilter } from "../overview/narrow.js";
import { RunFilters } from "../overview/run-filters.js";
import { filterRuns, groupTrendRuns, parseTrendMetric, TREND_METRICS } from "./metrics.js";
import { TrendGroup } from "./trend-part.js";

/** How many sets of datasets are drawn before the rest is asked for. */
const DEFAULT_GROUPS_SHOWN = 4;

/** How systems went from run to run. */
export function TrendsPage({ route }: { route: Route }) {
  const { dataset, tag } = route.query;
  const loaded = useRunCards({ ...(dataset && { dataset }), ...(tag && { tag }) });
  return (
    <>
      <PageHead title="Trends">How systems went from run to run, each run with its own cost and time.</PageHead>
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
  if (groups.length === 0) return <EmptyState title="No run fits">Clear a filter to see more.</EmptyState>;
  return (
    <>
      {groups.slice(0, limit).map((group) => (
        <TrendGroup key={group.key} group={group} metric={parseTrendMetric(route.query.metric)} />
      ))}
      {groups.length > limit && (
        <button type="button" onClick={() => setLimit(groups.length)}>
          Show {formatPlural(groups.length - limit, "more set")} of datasets
        </button>
      )}
    </>
  );
}
