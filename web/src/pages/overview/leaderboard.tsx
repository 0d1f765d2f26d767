import { useMemo, useState } from "preact/hooks";
import { formatOrder, parseOrder } from "../../../../src/report/dashboard/order.js";
import { type ChartSelection, CostSpeedChart, SpeedRadar, SystemPicker, selectSystems } from "../../charts/index.js";
import { useLoadState, useSource } from "../../data/index.js";
import {
  buildAddress,
  type ComparePick,
  formatCount,
  formatMoment,
  formatNumber,
  formatPlural,
  navigate,
  type Route,
  revealLine,
  SortableTable,
  updateQuery,
  useRoute,
} from "../../ui/index.js";
import { AnswerCharts } from "../answer-charts.js";
import { AnswerSkeleton, AnswerStrip } from "../answer-strip.js";
import { ExperimentAnswer, hasLifts } from "../experiment-answer.js";
import {
  buildEntryKey,
  buildRowsAddress,
  buildRowsQuery,
  chooseRankingCost,
  explainPassedOver,
  type FigureScope,
  formatDatasetNames,
  type LeaderboardEntry,
  listSystemNames,
  listThresholds,
  type RunGroup,
} from "../run-groups.js";
import { pickFromCards } from "./card-picks.js";
import { buildCostSpeedChart, buildQualityCostChart, buildRadarChart } from "./chart-data.js";
import { buildLeaderboardColumns } from "./columns.js";

interface LeaderboardProps {
  route: Route;
  group: RunGroup;
  entries: readonly LeaderboardEntry[];
  picks: readonly ComparePick[];
  onPicks: (picks: readonly ComparePick[]) => void;
  /** The first board with several systems has its charts open. */
  isFirst: boolean;
}

/** The leaderboard of runs over the same examples, with its charts. */
export function Leaderboard({ route, group, entries, picks, onPicks, isFirst }: LeaderboardProps) {
  const { dataset, tag } = route.query;
  const title = formatDatasetNames(group.datasets);
  const columns = useMemo(
    () => buildLeaderboardColumns(entries, { picks, onPicks }, { dataset, tag }),
    [entries, picks, onPicks, dataset, tag],
  );
  return (
    <section class="part">
      <h2>{title}</h2>
      <p class="quiet">{describeLeaderboardSize(group, entries)}</p>
      <PassedOverNote entries={entries} />
      <ThresholdNote entries={entries} />
      <LeaderboardAnswer title={describeContent(group)} entries={entries} scope={{ dataset, tag }} />
      {isFirst && <LeaderboardAnswerCharts group={group} entries={entries} scope={{ dataset, tag }} />}
      <RankNote entries={entries} />
      <SortableTable
        caption={`Systems on ${title}`}
        rows={entries}
        columns={columns}
        rowKey={buildEntryKey}
        order={parseOrder(route.query.sort, { key: "quality", isDescending: true })}
        onOrder={(order) => updateQuery(route, { sort: formatOrder(order) })}
      />
      {entries.length > 1 && (
        <MoreCharts title={title} group={group} entries={entries} scope={{ dataset, tag }} isFirst={isFirst} />
      )}
    </section>
  );
}

/** Datasets of one name may differ in content. */
function describeContent({ datasets }: RunGroup): string {
  return `${formatDatasetNames(datasets)} ${datasets.map(({ fingerprint }) => fingerprint.slice(0, 8)).join(", ")}`;
}

function describeLeaderboardSize({ datasets, runs }: RunGroup, entries: readonly LeaderboardEntry[]): string {
  const examples = datasets.reduce((sum, dataset) => sum + dataset.examples, 0);
  const shown = `${formatPlural(entries.length, "system")}, the latest good run of each`;
  const mark = datasets.map(({ fingerprint }) => fingerprint.slice(0, 8)).join(", ");
  return `${formatCount(examples)} ${examples === 1 ? "example" : "examples"} · ${shown} · ${formatPlural(runs.length, "run")} in all · content ${mark}`;
}

/** Newer runs that hardly worked do not replace good ones; this says which, and why. */
function PassedOverNote({ entries }: { entries: readonly LeaderboardEntry[] }) {
  const systems = entries.flatMap(({ passedOver }) => passedOver ?? []);
  const runs = new Map(systems.map(({ run }) => [run.id, run]));
  return (
    <>
      {[...runs.values()].map(({ id, title, createdAt }) => (
        <p key={id} class="banner" role="note">
          <span aria-hidden="true">⚠</span> A newer run is left out because{" "}
          {explainPassedOver(systems.filter(({ run }) => run.id === id))}:{" "}
          <a href={buildAddress(["run", id])}>{revealLine(title)}</a>, {formatMoment(createdAt)}.
        </p>
      ))}
    </>
  );
}

interface LeaderboardAnswerProps {
  title: string;
  entries: readonly LeaderboardEntry[];
  scope: FigureScope;
}

/** Which system to pick. With one run it is that run's recommendation, made by paired tests. */
function LeaderboardAnswer({ title, entries, scope }: LeaderboardAnswerProps) {
  const source = useSource();
  const [first] = entries;
  const isFiltered = scope.tag !== undefined || (scope.dataset !== undefined && first?.run.datasets.length !== 1);
  const isOneRun = !isFiltered && entries.every(({ run }) => run.id === first?.run.id);
  const isWhole = isOneRun && first?.run.systems.length === entries.length;
  const id = isWhole ? (first?.run.id ?? null) : null;
  const loaded = useLoadState(() => (id === null ? Promise.resolve(null) : source.getRun(id)), [source, id]);
  const answer = useMemo(
    () => (id === null ? pickFromCards(entries) : (loaded.value?.picks ?? null)),
    [entries, id, loaded.value],
  );
  const experiment = loaded.value?.evals?.experiment ?? null;
  if (id !== null && hasLifts(experiment)) return <ExperimentAnswer id={id} experiment={experiment} />;
  if (answer === null) return loaded.state === "loading" ? <AnswerSkeleton /> : null;
  return (
    <AnswerStrip
      of={title}
      answer={answer}
      hasChoice={entries.length > 1}
      getHref={(system) => {
        const entry = entries.find(({ name, card }) => name === system || card.system === system);
        return entry === undefined ? "" : buildRowsAddress(entry, scope);
      }}
    />
  );
}

/** Says what ranks are by: the front of the chart is by the cost of an attempt, and may differ. */
function RankNote({ entries }: { entries: readonly LeaderboardEntry[] }) {
  if (entries.length < 2 || entries.every(({ rank }) => rank === null)) return null;
  return (
    <p class="quiet">
      {chooseRankingCost(entries) === "cost_per_pass_usd"
        ? "Pareto ranks use quality and dollars per pass, failures included; the chart shows dollars per attempt."
        : "Not every system here has a price, so Pareto ranks use quality and output tokens per pass."}
    </p>
  );
}

function ThresholdNote({ entries }: { entries: readonly LeaderboardEntry[] }) {
  const thresholds = listThresholds(entries);
  if (thresholds.length < 2) return null;
  return (
    <p class="warn">
      These runs used different thresholds ({thresholds.map((value) => formatNumber(value)).join(", ")}), so their pass
      rates and costs per pass are not comparable.
    </p>
  );
}

interface LeaderboardChartsProps {
  group: RunGroup;
  entries: readonly LeaderboardEntry[];
  scope: FigureScope;
}

/** The entries chosen for the charts in the address. */
function useChosenEntries(entries: readonly LeaderboardEntry[], group: RunGroup) {
  const route = useRoute();
  const systems = useMemo(() => entries.map(({ name }) => name), [entries]);
  const known = useMemo(() => listSystemNames(group), [group]);
  const selection = selectSystems(route, systems, known);
  const chosen = useMemo(
    () => entries.filter(({ name }) => selection.isSelected(name)),
    [entries, systems, route.query.systems],
  );
  return { selection, chosen };
}

/** A pick in a chart opens the rows behind it. */
function openRows({ system }: ChartSelection, entries: readonly LeaderboardEntry[], scope: FigureScope): void {
  const entry = entries.find(({ name }) => name === system);
  if (entry !== undefined) navigate(["run", entry.run.id, "rows"], buildRowsQuery(entry, scope));
}

/** The charts that answer which system to pick, and the choice of systems for all charts. */
function LeaderboardAnswerCharts({ group, entries, scope }: LeaderboardChartsProps) {
  const { selection, chosen } = useChosenEntries(entries, group);
  const data = useMemo(() => buildQualityCostChart(chosen), [chosen]);
  return (
    <>
      <AnswerCharts data={data} systems={selection.known} onPick={(picked) => openRows(picked, entries, scope)} />
      <SystemPicker {...selection} />
    </>
  );
}

interface MoreChartsProps extends LeaderboardChartsProps {
  title: string;
  /** The first board shows its main charts above the table, and the others below it. */
  isFirst: boolean;
}

/** Drawn when opened, since there may be many. */
function MoreCharts({ title, group, entries, scope, isFirst }: MoreChartsProps) {
  const [isShown, setShown] = useState(isFirst);
  return (
    <details class="part-charts" open={isShown} onToggle={({ currentTarget }) => setShown(currentTarget.open)}>
      <summary>
        {isFirst ? "Cost and speed" : "Charts"}
        <span class="unseen"> of {title}</span>
      </summary>
      {isShown && (
        <>
          {!isFirst && <LeaderboardAnswerCharts group={group} entries={entries} scope={scope} />}
          <CostSpeedCharts group={group} entries={entries} scope={scope} />
        </>
      )}
    </details>
  );
}

function CostSpeedCharts({ group, entries, scope }: LeaderboardChartsProps) {
  const { selection, chosen } = useChosenEntries(entries, group);
  const costSpeed = useMemo(() => buildCostSpeedChart(chosen), [chosen]);
  const radar = useMemo(() => buildRadarChart(chosen), [chosen]);
  const shared = {
    systems: selection.known,
    onPick: (picked: ChartSelection) => openRows(picked, entries, scope),
  };
  return (
    <div class="chart-grid">
      {costSpeed.points.some(({ leftOut }) => leftOut === null) && <CostSpeedChart data={costSpeed} {...shared} />}
      {radar.spokes.some(({ seconds }) => seconds !== null) && <SpeedRadar data={radar} {...shared} />}
    </div>
  );
}
