import { useCallback, useMemo, useState } from "preact/hooks";
import type { RunCard } from "../../../../src/report/dashboard/contract.js";
import { LoadView, type RunCards, useRunCards, useSource } from "../../data/index.js";
import {
  buildAddress,
  CompareBar,
  type ComparePick,
  EmptyState,
  formatCount,
  formatPicks,
  formatPlural,
  NewestRunsNotice,
  NoRunsState,
  PageHead,
  parsePicks,
  type Route,
  revealLine,
  updateQuery,
} from "../../ui/index.js";
import { createSystemMatcher, listRunFilterChoices, parseSystemFilter, RunFilters } from "../run-filters.js";
import { buildLeaderboardEntries, groupRuns, type LeaderboardData } from "../run-groups.js";
import { RecentChanges } from "./changes.js";
import { Leaderboard } from "./leaderboard.js";

/** The leaderboard: quality, cost, speed and reliability of each system, by dataset. */
export function OverviewPage({ route }: { route: Route }) {
  const { dataset, tag } = route.query;
  const loaded = useRunCards({ ...(dataset && { dataset }), ...(tag && { tag }) });
  return (
    <>
      <PageHead title="Overview">
        Quality, cost, speed and reliability. Systems are ranked together when they ran the same examples.
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

const DEFAULT_BOARDS_SHOWN = 12;

function Leaderboards({ route, runs }: { route: Route; runs: readonly RunCard[] }) {
  const { query } = route;
  const { kind } = useSource();
  const [limit, setLimit] = useState(DEFAULT_BOARDS_SHOWN);
  const boards = useLeaderboards(runs, query);
  const picks = useMemo(() => parsePicks(query.pick), [query.pick]);
  const address = JSON.stringify(route);
  const onPicks = useCallback(
    (next: readonly ComparePick[]) => updateQuery(route, { pick: formatPicks(next) }),
    [address],
  );
  if (boards.length === 0) return <NoMatchingRuns />;
  const opened = boards.findIndex(({ entries }) => entries.length > 1);
  return (
    <>
      {boards.slice(0, limit).map(({ group, entries }, place) => (
        <Leaderboard key={group.key} {...{ route, group, entries, picks, onPicks }} isFirst={place === opened} />
      ))}
      {kind === "served" && <RecentChanges boards={boards} scope={{ dataset: query.dataset, tag: query.tag }} />}
      {boards.length > limit && (
        <button type="button" onClick={() => setLimit(boards.length)}>
          Show {formatPlural(boards.length - limit, "more set")} of datasets
        </button>
      )}
      <CompareBar picks={picks} formatName={(pick) => formatPick(pick, runs)} onPicks={onPicks} />
    </>
  );
}

function useLeaderboards(runs: readonly RunCard[], query: Route["query"]): LeaderboardData[] {
  const { dataset, harness, from, to, q } = query;
  return useMemo(() => {
    const isFitting = createSystemMatcher(parseSystemFilter(query));
    return groupRuns(runs, dataset)
      .map((group) => ({ group, entries: buildLeaderboardEntries(group, isFitting) }))
      .filter(({ entries }) => entries.length > 0);
  }, [runs, dataset, harness, from, to, q]);
}

function formatPick({ run, system }: ComparePick, runs: readonly RunCard[]): string {
  return revealLine([system, runs.find(({ id }) => id === run)?.title ?? run].filter(Boolean).join(" in "));
}

function NoMatchingRuns() {
  return (
    <EmptyState title="No finished run matches">
      Clear a filter, or see <a href={buildAddress(["runs"])}>all runs</a>.
    </EmptyState>
  );
}

/** Running runs, which are not on the leaderboard yet. */
function RunningRuns({ runs }: { runs: readonly RunCard[] }) {
  const going = runs.filter(({ status }) => status === "running");
  return (
    <div role="status">
      {going.length > 0 && (
        <ul class="going plain-list">
          {going.map(({ id, title, done, planned, workers }) => (
            <li key={id}>
              <span aria-hidden="true">◐</span> Running: <a href={buildAddress(["run", id])}>{revealLine(title)}</a>{" "}
              <span class="quiet">
                {formatCount(done)} of {formatCount(planned)} trials
                {workers !== undefined && `, ${formatPlural(workers, "worker")}`}
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
