import { useMemo, useState } from "preact/hooks";
import type { RunCard } from "../../../../src/report/dashboard/contract.js";
import { WhenLoaded } from "../../shell/loaded.js";
import { changeQuery, type Route } from "../../shell/route.js";
import { EmptyState } from "../../ui/empty-state.js";
import { SelectFilter } from "../../ui/filters.js";
import { formatPlural } from "../../ui/format.js";
import { NewestOnly } from "../../ui/newest-only.js";
import { NoRuns } from "../../ui/no-runs.js";
import { PageHead } from "../../ui/page-head.js";
import { type RunCards, useRunCards } from "../../ui/use-run-cards.js";
import { choicesIn, narrowingIn } from "../overview/narrow.js";
import { RunFilters } from "../overview/run-filters.js";
import { metricIn, narrowedRuns, TREND_METRICS, trendParts } from "./metrics.js";
import { TrendPart } from "./trend-part.js";

/** How many sets of datasets are drawn before the rest is asked for. */
const FIRST_PARTS = 4;

/** How systems went from run to run. */
export function TrendsPage({ route }: { route: Route }) {
  const { dataset, tag } = route.query;
  const loaded = useRunCards({ ...(dataset && { dataset }), ...(tag && { tag }) });
  return (
    <>
      <PageHead title="Trends">How systems went from run to run, each run with its own cost and time.</PageHead>
      <WhenLoaded loaded={loaded} what="the runs">
        {(cards) => (cards.all.length === 0 ? <NoRuns /> : <Content route={route} cards={cards} />)}
      </WhenLoaded>
    </>
  );
}

function Content({ route, cards }: { route: Route; cards: RunCards }) {
  const { all, shown } = cards;
  const choices = useMemo(() => choicesIn(all), [all]);
  return (
    <>
      <RunFilters route={route} choices={choices}>
        <SelectFilter
          label="Metric"
          value={metricIn(route.query.metric).value}
          choices={TREND_METRICS}
          all={null}
          onChange={(metric) => changeQuery(route, { metric })}
        />
      </RunFilters>
      <NewestOnly runs={shown} {...cards} />
      <Parts route={route} runs={shown} />
    </>
  );
}

function Parts({ route, runs }: { route: Route; runs: readonly RunCard[] }) {
  const [limit, setLimit] = useState(FIRST_PARTS);
  const { dataset, harness, from, to, q } = route.query;
  const parts = useMemo(
    () => trendParts(narrowedRuns(runs, narrowingIn(route.query)), dataset),
    [runs, dataset, harness, from, to, q],
  );
  if (parts.length === 0) return <EmptyState title="No run fits">Clear a filter to see more.</EmptyState>;
  return (
    <>
      {parts.slice(0, limit).map((part) => (
        <TrendPart key={part.key} part={part} metric={metricIn(route.query.metric)} />
      ))}
      {parts.length > limit && (
        <button type="button" onClick={() => setLimit(parts.length)}>
          Show {formatPlural(parts.length - limit, "more set")} of datasets
        </button>
      )}
    </>
  );
}
