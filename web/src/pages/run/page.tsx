import { useEffect, useMemo, useState } from "preact/hooks";
import type { EvalsView, LiveProgress, QueueView, RunView } from "../../../../src/report/dashboard/contract.js";
import {
  type ChartSelection,
  CostRadar,
  CostSpeedChart,
  EffortChart,
  groupHeatMaps,
  HeatMapChart,
  LatencyChart,
  PassCurvesChart,
  QualityCostChart,
  SpeedRadar,
  SystemPicker,
  selectEffortCurves,
  selectRunCharts,
  selectRunSystems,
  selectSystems,
  selectTopErrors,
  TokenCostChart,
  TopErrorsView,
} from "../../charts/index.js";
import { type LoadState, LoadView, useLoadState, useSource } from "../../data/index.js";
import {
  buildAddress,
  formatCount,
  navigate,
  PageHead,
  type Route,
  revealLine,
  revealText,
  type Tab,
  Tabs,
} from "../../ui/index.js";
import { AnswerStrip } from "../answer-strip.js";
import { ExperimentAnswer, hasLifts } from "../experiment-answer.js";
import { buildRowFilterQuery, buildSelectionQuery, hasRowFilter } from "../row-filter.js";
import { CasesTab } from "./cases-tab.js";
import { formatHeadline } from "./headline.js";
import { LivePanel } from "./live-panel.js";
import { OutputsTab } from "./outputs-tab.js";
import { PrintAll, PrintedCount } from "./print-all.js";
import { RowsTab } from "./rows-tab.js";
import { RunHead } from "./run-head.js";
import { SummaryTab } from "./summary-tab.js";
import { WorkersSection } from "./workers.js";

/** One run: summary, charts and rows; live while it runs. */
export function RunPage({ route, id }: { route: Route; id: string }) {
  return <RunContent key={id} route={route} id={id} />;
}

function RunContent({ route, id }: { route: Route; id: string }) {
  const live = useLiveRun(id);
  const card = live.loaded.value?.card;
  return (
    <>
      <PageHead title={revealLine(card === undefined ? id : formatHeadline(card))} place={id} />
      <LoadView loaded={live.loaded} what="the run">
        {(view) => <RunSections route={route} view={view} live={live} />}
      </LoadView>
      {live.loaded.state === "failed" && live.loaded.value === null && (
        <p>
          <a href={buildAddress(["runs"])}>See all runs</a>
        </p>
      )}
    </>
  );
}

interface RunSectionsProps {
  route: Route;
  view: RunView;
  live: LiveRun;
}

function RunSections({ route, view, live: { progress, queue } }: RunSectionsProps) {
  const { id } = view.card;
  const chosen = getActiveTab(route);
  return (
    <>
      <p class="print-address small">{location.href}</p>
      <RunHead view={progress === null ? view : applyProgress(view, progress)} />
      <CompareRunLink view={view} />
      {progress !== null && <LivePanel id={id} progress={progress} maxCostUsd={view.maxCostUsd} />}
      {queue !== null && <WorkersSection route={route} queue={queue} />}
      {view.warnings.map((warning) => (
        <p key={warning} class="banner" role="note">
          <span aria-hidden="true">⚠</span> {revealText(warning)}
        </p>
      ))}
      {progress === null && (chosen === "summary" || route.query.print === "all") && <RunAnswer view={view} />}
      {route.query.print === "all" ? (
        <PrintAll
          id={id}
          state={`${view.card.status} ${view.card.done}`}
          summary={<SummaryTab route={route} view={view} />}
          cases={view.evals === null ? null : <PrintedCases view={view} evals={view.evals} />}
          charts={<ChartsTab route={route} view={view} />}
        />
      ) : (
        <Tabs
          label="Parts of the run"
          tabs={listTabs(view)}
          chosen={chosen}
          onChoose={(tab) => navigate(["run", id, tab])}
        >
          {chosen === "summary" && <SummaryTab route={route} view={view} />}
          {chosen === "cases" && <CasesOrNotice view={view} />}
          {chosen === "charts" && <ChartsTab route={route} view={view} />}
          {chosen === "outputs" && (
            <OutputsTab route={route} run={view.card} state={`${view.card.status} ${view.card.done}`} />
          )}
          {chosen === "rows" && <RowsTab route={route} id={id} state={`${view.card.status} ${view.card.done}`} />}
        </Tabs>
      )}
    </>
  );
}

function RunAnswer({ view: { card, picks, evals } }: { view: RunView }) {
  const experiment = evals?.experiment ?? null;
  if (hasLifts(experiment)) return <ExperimentAnswer id={card.id} experiment={experiment} />;
  return (
    <AnswerStrip
      answer={picks}
      hasChoice={card.systems.length > 1}
      getHref={(system) => buildAddress(["run", card.id, "rows"], buildRowFilterQuery({ systems: [system] }))}
    />
  );
}

function CasesOrNotice({ view }: { view: RunView }) {
  if (view.evals !== null) return <CasesTab view={view} evals={view.evals} />;
  return <p class="quiet">This run has no test cases: it is not one of assay eval or assay experiment.</p>;
}

const MAX_PRINTED_CASES = 100;

function PrintedCases({ view, evals }: { view: RunView; evals: EvalsView }) {
  const cases = evals.cases.slice(0, MAX_PRINTED_CASES);
  return (
    <>
      <PrintedCount shown={cases.length} total={evals.cases.length} of="test cases" />
      <CasesTab view={view} evals={{ ...evals, cases }} />
    </>
  );
}

/** The head and the live panel must not disagree: events are newer than what was read. */
function applyProgress(view: RunView, { done, planned, costUsd }: LiveProgress): RunView {
  return { ...view, card: { ...view.card, done, planned, costUsd } };
}

function listTabs({ card, evals }: RunView): Tab[] {
  return [
    { key: "summary", title: "Summary" },
    ...(evals === null ? [] : [{ key: "cases", title: "Test cases", count: formatCount(evals.cases.length) }]),
    { key: "charts", title: "Charts" },
    { key: "outputs", title: "Outputs" },
    { key: "rows", title: "Rows", count: formatCount(card.done) },
  ];
}

/** An address with a filter of rows opens the rows. */
function getActiveTab({ path: [, , part], query }: Route): "summary" | "cases" | "charts" | "outputs" | "rows" {
  if (part === "cases" || part === "charts" || part === "outputs" || part === "rows") return part;
  return part === undefined && hasRowFilter(query) ? "rows" : "summary";
}

function CompareRunLink({ view: { card } }: { view: RunView }) {
  const source = useSource();
  const canLabel = useLoadState(() => source.canLabel(), [source]);
  const [a, b] = card.systems;
  const printAll = <a href={buildAddress(["run", card.id], { print: "all" })}>Print all</a>;
  if (source.kind === "file" && b === undefined) return <p class="actions">{printAll}</p>;
  const pair = source.kind === "file" || b !== undefined ? { b: card.id, systemA: a?.system, systemB: b?.system } : {};
  return (
    <p class="actions">
      <a href={buildAddress(["compare"], { a: card.id, ...pair })}>
        {source.kind === "file" ? "Compare its systems" : "Compare systems or runs"}
      </a>
      {" · "}
      {printAll}
      {canLabel.value === true && (
        <>
          {" · "}
          <a href={buildAddress(["run", card.id, "label"])}>Label blind</a>
        </>
      )}
    </p>
  );
}

/** Every chart with data. A pick in a chart opens the rows behind it. */
function ChartsTab({ route, view }: { route: Route; view: RunView }) {
  const { card } = view;
  const systems = useMemo(() => card.systems.map(({ system }) => system), [card]);
  const selection = selectSystems(route, systems);
  const charts = useMemo(
    () => selectRunCharts(view.charts, selection.isSelected),
    [view, systems, route.query.systems],
  );
  const effortCurves = useMemo(
    () => selectEffortCurves(view.effortCurves, selection.isSelected),
    [view, systems, route.query.systems],
  );
  const [run = card] = useMemo(
    () => selectRunSystems([card], selection.isSelected),
    [card, systems, route.query.systems],
  );
  // A single system is compared with nothing: its figures are in the sentence above the tabs.
  const hasSeveral = systems.length > 1;
  const shared = {
    systems,
    onPick: (picked: ChartSelection) => navigate(["run", card.id, "rows"], buildSelectionQuery(picked)),
  };
  return (
    <div class="charts">
      <h2 class="unseen">Charts</h2>
      <SystemPicker {...selection} />
      {hasSeveral && charts.qualityCost.points.length > 0 && <QualityCostChart data={charts.qualityCost} {...shared} />}
      {effortCurves.length > 0 && <EffortChart data={effortCurves} onPick={shared.onPick} />}
      {hasSeveral && charts.costSpeed.points.length > 0 && <CostSpeedChart data={charts.costSpeed} {...shared} />}
      {hasSeveral && charts.radar.spokes.length > 0 && <SpeedRadar data={charts.radar} {...shared} />}
      {hasSeveral && charts.costRadar.spokes.length > 0 && <CostRadar data={charts.costRadar} {...shared} />}
      {charts.passCurves.some(({ points }) => points.length > 1) && (
        <PassCurvesChart
          data={charts.passCurves}
          onIsolate={systems.length > 1 ? selection.onIsolate : undefined}
          {...shared}
        />
      )}
      <TopErrorsView
        errors={selectTopErrors(view.errors, run)}
        run={run}
        buildLink={(error) => buildErrorLink(card.id, error)}
        {...shared}
      />
      {charts.tokenCosts.length > 0 && <TokenCostChart data={charts.tokenCosts} {...shared} />}
      {charts.latencies.some(({ n }) => n > 0) && <LatencyChart data={charts.latencies} {...shared} />}
      {groupHeatMaps(charts.heatMaps).map((maps, index) => (
        <div key={index} class={maps.length > 1 ? "whole-row" : undefined}>
          <HeatMapChart maps={maps} {...shared} />
        </div>
      ))}
    </div>
  );
}

/** A code that is a category is filtered by as such, any other by its tag. */
function buildErrorLink(id: string, { code, category }: RunView["errors"]["top"][number]): string {
  const filter = code === category ? { categories: [category] } : { tags: [`error=${code}`] };
  return buildAddress(["run", id, "rows"], buildRowFilterQuery(filter));
}

interface LiveRun {
  readonly loaded: LoadState<RunView>;
  /** Null when it is not running. */
  readonly progress: LiveProgress | null;
  /** Null without a queue. */
  readonly queue: QueueView | null;
}

/** Large runs take longer to read, and change less. */
const RELOAD_INTERVAL_MS = 5000;
const LARGE_RUN_RELOAD_INTERVAL_MS = 30_000;
const MIN_LARGE_RUN_TRIALS = 20_000;

/** Follows a run, and reads it again now and then until it ends. */
function useLiveRun(id: string): LiveRun {
  const source = useSource();
  const [reads, setReads] = useState(0);
  const [progress, setProgress] = useState<LiveProgress | null>(null);
  const [heard, setHeard] = useState<QueueView | null | undefined>(undefined);
  const loaded = useLoadState(() => source.getRun(id), [source, id, reads]);
  const isRunning = loaded.value?.card.status === "running";
  useEffect(() => {
    if (!isRunning) return;
    let readAt = performance.now();
    const stop = source.watchRun(id, {
      queue: setHeard,
      progress: (now) => {
        const isOver = now.status !== "running";
        const wait = now.done < MIN_LARGE_RUN_TRIALS ? RELOAD_INTERVAL_MS : LARGE_RUN_RELOAD_INTERVAL_MS;
        setProgress(isOver ? null : now);
        if (isOver) stop();
        if (!isOver && performance.now() - readAt < wait) return;
        readAt = performance.now();
        setReads((before) => before + 1);
      },
    });
    return stop;
  }, [source, id, isRunning]);
  // Events are newer than what was read, and the last one stays when the run is over.
  return { loaded, progress, queue: heard === undefined ? (loaded.value?.queue ?? null) : heard };
}
