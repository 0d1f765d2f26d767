import { useCallback, useMemo, useState } from "preact/hooks";
import type { RunCard } from "../../../../src/report/dashboard/contract.js";
import { useSource } from "../../shell/context.js";
import { addressOf, changeQuery, type Route } from "../../shell/route.js";
import { CompareBar } from "../../ui/compare-bar.js";
import { EmptyState } from "../../ui/empty-state.js";
import { formatCount, formatPlural } from "../../ui/format.js";
import { type Pick, parsePicks, picksText } from "../../ui/picks.js";
import { visibleLine } from "../trial/text/visible-text.js";
import { fits, narrowingIn } from "./narrow.js";
import { NewsList } from "./news.js";
import { PartView } from "./part-view.js";
import { type Board, entriesOf, partsOf } from "./parts.js";

/** How many parts are drawn before the rest is asked for. */
const FIRST_PARTS = 12;

/** All leaderboards that the filters leave. */
export function Boards({ route, runs }: { route: Route; runs: readonly RunCard[] }) {
  const { query } = route;
  const { kind } = useSource();
  const [limit, setLimit] = useState(FIRST_PARTS);
  const boards = useBoards(runs, query);
  const picks = useMemo(() => parsePicks(query.pick), [query.pick]);
  const address = JSON.stringify(route);
  const onPicks = useCallback((next: readonly Pick[]) => changeQuery(route, { pick: picksText(next) }), [address]);
  if (boards.length === 0) return <NothingFits />;
  return (
    <>
      {kind === "served" && <NewsList boards={boards} asked={{ dataset: query.dataset, tag: query.tag }} />}
      {boards.slice(0, limit).map(({ part, entries }, place) => (
        <PartView key={part.key} {...{ route, part, entries, picks, onPicks }} isFirst={place === 0} />
      ))}
      {boards.length > limit && (
        <button type="button" onClick={() => setLimit(boards.length)}>
          Show {formatPlural(boards.length - limit, "more set")} of datasets
        </button>
      )}
      <CompareBar picks={picks} nameOf={(pick) => nameOf(pick, runs)} onPicks={onPicks} />
    </>
  );
}

function useBoards(runs: readonly RunCard[], query: Route["query"]): Board[] {
  const { dataset, harness, from, to, q } = query;
  return useMemo(() => {
    const isFitting = fits(narrowingIn(query));
    return partsOf(runs, dataset)
      .map((part) => ({ part, entries: entriesOf(part, isFitting) }))
      .filter(({ entries }) => entries.length > 0);
  }, [runs, dataset, harness, from, to, q]);
}

function nameOf({ run, system }: Pick, runs: readonly RunCard[]): string {
  return visibleLine([system, runs.find(({ id }) => id === run)?.title ?? run].filter(Boolean).join(" in "));
}

function NothingFits() {
  return (
    <EmptyState title="No finished run fits">
      Clear a filter, or see <a href={addressOf(["runs"])}>all runs</a>.
    </EmptyState>
  );
}

/** Runs that are not on the board yet, because they are going. */
export function GoingRuns({ runs }: { runs: readonly RunCard[] }) {
  const going = runs.filter(({ status }) => status === "running");
  return (
    <div role="status">
      {going.length > 0 && (
        <ul class="going plain-list">
          {going.map(({ id, title, done, planned, workers }) => (
            <li key={id}>
              <span aria-hidden="true">◐</span> Running: <a href={addressOf(["run", id])}>{visibleLine(title)}</a>{" "}
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
