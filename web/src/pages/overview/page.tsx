import { useMemo } from "preact/hooks";
import { WhenLoaded } from "../../shell/loaded.js";
import type { Route } from "../../shell/route.js";
import { NewestOnly } from "../../ui/newest-only.js";
import { NoRuns } from "../../ui/no-runs.js";
import { PageHead } from "../../ui/page-head.js";
import { type RunCards, useRunCards } from "../../ui/use-run-cards.js";
import { Boards, GoingRuns } from "./boards.js";
import { choicesIn } from "./narrow.js";
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
      <RunFilters route={route} choices={choices} />
      <NewestOnly runs={shown} {...cards} />
      <GoingRuns runs={all} />
      <Boards route={route} runs={shown} />
    </>
  );
}
