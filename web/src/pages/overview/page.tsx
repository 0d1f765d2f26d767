import { useMemo } from "preact/hooks";
import { LoadView } from "../../shell/loaded.js";
import type { Route } from "../../shell/route.js";
import { NewestRunsNotice } from "../../ui/newest-only.js";
import { NoRunsState } from "../../ui/no-runs.js";
import { PageHead } from "../../ui/page-head.js";
import { type RunCards, useRunCards } from "../../ui/use-run-cards.js";
import { Leaderboards, RunningRuns } from "./boards.js";
import { listRunFilterChoices } from "./narrow.js";
import { RunFilters } from "./run-filters.js";

/** The leaderboard: which system is how good, how dear, how fast and how dependable, by what was asked. */
export function OverviewPage({ route }: { route: Route }) {
  const { dataset, tag } = route.query;
  const loaded = useRunCards({ ...(dataset && { dataset }), ...(tag && { tag }) });
  return (
    <>
      <PageHead title="Overview">
        How good, how dear, how fast, how dependable. Systems stand side by side when they were asked the same.
      </PageHead>
      <LoadView loaded={loaded} what="the runs">
        {(cards) => (cards.all.length === 0 ? <NoRunsState /> : <OverviewContent route={route} cards={cards} />)}
      </LoadView>
    </>
  );
}

function OverviewContent({ route, cards }: { route: Route; cards: RunCards }) {
  const { all, shown } = cards;
  const choices = useMemo(() => listRunFilterChoices(all), [all]);
  return (
    <>
      <RunFilters route={route} choices={choices} />
      <NewestRunsNotice runs={shown} {...cards} />
      <RunningRuns runs={all} />
      <Leaderboards route={route} runs={shown} />
    </>
  );
}
