import { useCallback, useMemo, useState } from "preact/hooks";
import type { RunCard } from "../../../../src/report/dashboard/contract.js";
import { useSource } from "../../shell/context.js";
import { buildAddress, type Route, updateQuery } from "../../shell/route.js";
import { CompareBar } from "../../ui/compare-bar.js";
import { EmptyState } from "../../ui/empty-state.js";
import { formatCount, formatPlural } from "../../ui/format.js";
import { type ComparePick, formatPicks, parsePicks } from "../../ui/picks.js";
import { revealLine } from "../trial/text/visible-text.js";
import { createSystemMatcher, parseSystemFilter } from "./narrow.js";
import { RecentChanges } from "./news.js";
import { Leaderboard } from "./part-view.js";
import { buildLeaderboardEntries, groupRuns, type LeaderboardData } from "./parts.js";

/** How many groups are drawn before the rest is asked for. */
const DEFAULT_BOARDS_SHOWN = 12;

/** All leaderboards that the filters leave. */
export function Leaderboards({ route, runs }: { route: Route; runs: readonly RunCard[] }) {
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
  return (
    <>
      {kind === "served" && <RecentChanges boards={boards} scope={{ dataset: query.dataset, tag: query.tag }} />}
      {boards.slice(0, limit).map(({ group, entries }, place) => (
        <Leaderboard key={group.key} {...{ route, group, entries, picks, onPicks }} isFirst={place === 0} />
      ))}
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
    <EmptyState title="No finished run fits">
      Clear a filter, or see <a href={buildAddress(["runs"])}>all runs</a>.
    </EmptyState>
  );
}

/** Runs that are not on the board yet, because they are going. */
export function RunningRuns({ runs }: { runs: readonly RunCard[] }) {
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
