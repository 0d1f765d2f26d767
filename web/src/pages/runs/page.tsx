import { useCallback, useMemo } from "preact/hooks";
import type {
  RunCard,
  RunChoices,
  RunListQuery,
  RunPage,
  RunStatus,
} from "../../../../src/report/dashboard/contract.js";
import { formatOrder, parseOrder, type SortOrder } from "../../../../src/report/dashboard/order.js";
import { DEFAULT_RUNS, isRunSort } from "../../../../src/report/dashboard/run-query.js";
import { LoadView, useLoadState, useRunPage, useSource } from "../../data/index.js";
import {
  buildAddress,
  CompareBar,
  type ComparePick,
  EmptyState,
  FilterBar,
  formatCount,
  formatPicks,
  formatPlural,
  formatQuantity,
  formatShownRange,
  NoRunsState,
  navigate,
  PageHead,
  Pager,
  type PickState,
  parsePicks,
  type Route,
  type RouteQuery,
  revealLine,
  SelectFilter,
  SortableTable,
  TextFilter,
  updateQuery,
  useSettledValue,
} from "../../ui/index.js";
import { buildRunColumns } from "./columns.js";

const NO_CHOICES: RunChoices = { statuses: [], commands: [], datasets: [] };

/** All runs, newest first, in pages. */
export function RunsPage({ route }: { route: Route }) {
  const q = useSettledValue(route.query.q ?? "");
  const loaded = useRunPage(parseRunQuery({ ...route.query, q }));
  const { value } = loaded;
  return (
    <>
      <PageHead title="Runs" />
      {/* Also above an error, so that a rejected filter can be removed. */}
      {value?.all !== 0 && <RunsFilters route={route} choices={value?.choices ?? NO_CHOICES} />}
      <LoadView loaded={loaded} what="the runs">
        {(page) => (page.all === 0 && page.unread === 0 ? <NoRunsState /> : <RunsList route={route} page={page} />)}
      </LoadView>
    </>
  );
}

function parseRunQuery(query: Route["query"]): RunListQuery {
  const { q, status, command, dataset } = query;
  return {
    ...(q && { q }),
    ...(status && { status: status as RunStatus }),
    ...(command && { command }),
    ...(dataset && { hasDataset: dataset }),
    sort: formatOrder(parseRunOrder(query)),
    limit: DEFAULT_RUNS,
    offset: (parsePageNumber(query) - 1) * DEFAULT_RUNS,
  };
}

const NEWEST_FIRST: SortOrder = { key: "when", isDescending: true };

function parseRunOrder({ sort }: Route["query"]): SortOrder {
  const order = parseOrder(sort, NEWEST_FIRST);
  return isRunSort(order.key) ? order : NEWEST_FIRST;
}

function parsePageNumber({ page = "" }: Route["query"]): number {
  return /^[1-9]\d{0,8}$/.test(page) ? Number(page) : 1;
}

function RunsList({ route, page }: { route: Route; page: RunPage }) {
  const { runs, offset, total, all, unread } = page;
  const { pick } = route.query;
  const picks = useMemo(() => parsePicks(pick), [pick]);
  const address = JSON.stringify(route);
  const onPicks = useCallback(
    (next: readonly ComparePick[]) => updateQuery(route, { pick: formatPicks(next) }),
    [address],
  );
  const place = { offset, count: runs.length, total };
  return (
    <>
      <p class="quiet" role="status">
        {formatShownRange(place, "run")}
        {total < all && `, out of ${formatCount(all)}`}
        {unread > 0 && `; ${formatQuantity(unread, "more run")} to read …`}
      </p>
      <DamagedRuns runs={runs} />
      <RunsTable key={offset} route={route} page={page} picks={picks} onPicks={onPicks} />
      <Pager
        {...place}
        size={DEFAULT_RUNS}
        onPage={(next) => navigate(route.path, { ...route.query, page: String(next) })}
      />
      <PickedRunsBar picks={picks} runs={runs} onPicks={onPicks} />
    </>
  );
}

/** Picked runs may be on other pages. */
function PickedRunsBar({ picks, runs, onPicks }: PickState & { runs: readonly RunCard[] }) {
  const source = useSource();
  const others = picks.map(({ run }) => run).filter((wanted) => !runs.some(({ id }) => id === wanted));
  const loaded = useLoadState(
    async () => (others.length === 0 ? [] : source.listCards(others)),
    [source, JSON.stringify(others)],
  );
  const known = [...runs, ...(loaded.value ?? [])];
  const formatName = ({ run }: ComparePick) => revealLine(known.find(({ id }) => id === run)?.title ?? run);
  return <CompareBar picks={picks} formatName={formatName} onPicks={onPicks} />;
}

function RunsTable({ route, page, picks, onPicks }: PickState & { route: Route; page: RunPage }) {
  const columns = useMemo(() => buildRunColumns({ picks, onPicks }), [picks, onPicks]);
  if (page.total === 0) return <EmptyState title="No run matches">Clear a filter to see more.</EmptyState>;
  if (page.runs.length === 0) return <PageNotFound route={route} />;
  return (
    <div class="runs-table">
      <SortableTable
        caption="Runs"
        rows={page.runs}
        columns={columns}
        rowKey={({ id }) => id}
        order={parseRunOrder(route.query)}
        onOrder={(order) => updateQuery(route, { sort: formatOrder(order), page: "" })}
      />
    </div>
  );
}

function PageNotFound({ route }: { route: Route }) {
  return (
    <EmptyState title="The list has no such page">
      <a href={buildAddress(route.path, { ...route.query, page: "" })}>Go to the first page.</a>
    </EmptyState>
  );
}

const NO_RUNS_FILTER: RouteQuery = { q: "", status: "", command: "", dataset: "" };

function RunsFilters({ route, choices }: { route: Route; choices: RunChoices }) {
  const { query } = route;
  const change = (changes: RouteQuery) => updateQuery(route, { ...changes, page: "" });
  const isFiltered = Object.keys(NO_RUNS_FILTER).some((word) => query[word]);
  return (
    <FilterBar onClear={isFiltered ? () => change(NO_RUNS_FILTER) : null}>
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

/** The full reasons; the table has space for the beginning only. */
function DamagedRuns({ runs }: { runs: readonly RunCard[] }) {
  const damaged = runs.filter(({ status }) => status === "damaged");
  if (damaged.length === 0) return null;
  return (
    <details class="damaged">
      <summary class="bad">{formatPlural(damaged.length, "run")} on this page cannot be read</summary>
      <ul>
        {damaged.map(({ id, problem }) => (
          <li key={id}>
            <b>{id}</b>: {problem ?? "the reason is unknown"}
          </li>
        ))}
      </ul>
    </details>
  );
}
