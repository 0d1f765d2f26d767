import { useCallback, useMemo } from "preact/hooks";
import type { RunCard } from "../../../../src/report/dashboard/contract.js";
import { WhenLoaded } from "../../shell/loaded.js";
import { changeQuery, type Query, type Route } from "../../shell/route.js";
import { CompareBar } from "../../ui/compare-bar.js";
import { EmptyState } from "../../ui/empty-state.js";
import { FilterBar, SelectFilter, TextFilter } from "../../ui/filters.js";
import { formatCount } from "../../ui/format.js";
import { NoRuns } from "../../ui/no-runs.js";
import { orderText, parseOrder } from "../../ui/order.js";
import { PageHead } from "../../ui/page-head.js";
import { type Pick, parsePicks, picksText } from "../../ui/picks.js";
import { useRunCards } from "../../ui/use-run-cards.js";
import { VirtualTable } from "../../ui/virtual-table.js";
import { visibleLine } from "../trial/text/visible-text.js";
import { runColumns } from "./columns.js";
import { DamagedRuns } from "./damaged-runs.js";
import { runsChoices, runsThatFit } from "./list.js";

/** Two lines of text and some air, in pixels. */
const ROW_HEIGHT = 52;

/** Every run there is, newest first. */
export function RunsPage({ route }: { route: Route }) {
  const loaded = useRunCards();
  return (
    <>
      <PageHead title="Runs" />
      <WhenLoaded loaded={loaded} what="the runs">
        {({ all }) => (all.length === 0 ? <NoRuns /> : <RunsList route={route} runs={all} />)}
      </WhenLoaded>
    </>
  );
}

function RunsList({ route, runs }: { route: Route; runs: readonly RunCard[] }) {
  const { q, status, command, dataset, pick } = route.query;
  const fitting = useMemo(
    () => runsThatFit(runs, { text: q, status, command, dataset }),
    [runs, q, status, command, dataset],
  );
  const picks = useMemo(() => parsePicks(pick), [pick]);
  const address = JSON.stringify(route);
  const onPicks = useCallback((next: readonly Pick[]) => changeQuery(route, { pick: picksText(next) }), [address]);
  return (
    <>
      <RunsFilters route={route} runs={runs} />
      <p class="quiet" role="status">
        {formatCount(fitting.length)} of {formatCount(runs.length)} runs
      </p>
      <DamagedRuns runs={fitting} />
      <RunsTable route={route} runs={fitting} picks={picks} onPicks={onPicks} />
      <CompareBar picks={picks} nameOf={({ run }) => nameOf(run, runs)} onPicks={onPicks} />
    </>
  );
}

function nameOf(wanted: string, runs: readonly RunCard[]): string {
  return visibleLine(runs.find(({ id }) => id === wanted)?.title ?? wanted);
}

interface RunsTableProps {
  route: Route;
  runs: readonly RunCard[];
  picks: readonly Pick[];
  onPicks: (picks: readonly Pick[]) => void;
}

function RunsTable({ route, runs, picks, onPicks }: RunsTableProps) {
  const columns = useMemo(() => runColumns({ picks, onPicks }), [picks, onPicks]);
  if (runs.length === 0) return <EmptyState title="No run fits">Clear a filter to see more.</EmptyState>;
  return (
    <VirtualTable
      caption="Runs"
      rows={runs}
      columns={columns}
      rowKey={({ id }) => id}
      order={parseOrder(route.query.sort, { key: "when", isDescending: true })}
      onOrder={(order) => changeQuery(route, { sort: orderText(order) })}
      rowHeight={ROW_HEIGHT}
    />
  );
}

const NO_FILTER: Query = { q: "", status: "", command: "", dataset: "" };

function RunsFilters({ route, runs }: { route: Route; runs: readonly RunCard[] }) {
  const { query } = route;
  const choices = useMemo(() => runsChoices(runs), [runs]);
  const change = (changes: Query) => changeQuery(route, changes);
  const isFiltered = Object.keys(NO_FILTER).some((word) => query[word]);
  return (
    <FilterBar onClear={isFiltered ? () => change(NO_FILTER) : null}>
      <TextFilter label="Search" value={query.q} placeholder="run, dataset, system" onChange={(q) => change({ q })} />
      <SelectFilter
        label="Status"
        value={query.status}
        choices={choices.statuses}
        onChange={(status) => change({ status })}
      />
      <SelectFilter
        label="Command"
        value={query.command}
        choices={choices.commands}
        onChange={(command) => change({ command })}
      />
      <SelectFilter
        label="Dataset"
        value={query.dataset}
        choices={choices.datasets}
        onChange={(dataset) => change({ dataset })}
      />
    </FilterBar>
  );
}
