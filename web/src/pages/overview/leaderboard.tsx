import { useMemo, useState } from "preact/hooks";
import { formatOrder, parseOrder } from "../../../../src/report/dashboard/order.js";
import {
  type ChartSelection,
  CostSpeedChart,
  QualityBars,
  QualityCostChart,
  SpeedRadar,
  SystemPicker,
  selectSystems,
} from "../../charts/index.js";
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
import { AnswerSkeleton, AnswerStrip } from "../answer-strip.js";
import {
  buildEntryKey,
  buildRowsAddress,
  buildRowsQuery,
  chooseRankingCost,
  type FigureScope,
  formatDatasetNames,
  type LeaderboardEntry,
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
  /** Whether its charts are open from the start. */
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
      <TokenNote entries={entries} />
      <SortableTable
        caption={`Systems on ${title}`}
        rows={entries}
        columns={columns}
        rowKey={buildEntryKey}
        order={parseOrder(route.query.sort, { key: "quality", isDescending: true })}
        onOrder={(order) => updateQuery(route, { sort: formatOrder(order) })}
      />
      <LeaderboardCharts title={title} entries={entries} scope={{ dataset, tag }} isOpen={isFirst} />
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
  const runs = new Map(
    entries.flatMap(({ passedOver }) => (passedOver === null ? [] : [[passedOver.run.id, passedOver]])),
  );
  return (
    <>
      {[...runs.values()].map(({ run, reason }) => (
        <p key={run.id} class="banner" role="note">
          <span aria-hidden="true">⚠</span> A newer run is left out, because {reason}:{" "}
          <a href={buildAddress(["run", run.id])}>{revealLine(run.title)}</a>, {formatMoment(run.createdAt)}.
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
  const loaded = useLoadState(async () => (id === null ? null : (await source.getRun(id)).picks), [source, id]);
  const answer = useMemo(() => (id === null ? pickFromCards(entries) : loaded.value), [entries, id, loaded.value]);
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

function TokenNote({ entries }: { entries: readonly LeaderboardEntry[] }) {
  if (chooseRankingCost(entries) === "cost_per_pass_usd" || entries.every(({ rank }) => rank === null)) return null;
  return (
    <p class="quiet">Not every system here has a price, so Pareto ranks use quality and output tokens per pass.</p>
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
  title: string;
  entries: readonly LeaderboardEntry[];
  scope: FigureScope;
  isOpen: boolean;
}

/** Drawn when opened, since there may be many. */
function LeaderboardCharts({ title, entries, scope, isOpen }: LeaderboardChartsProps) {
  const [isShown, setShown] = useState(isOpen);
  return (
    <details class="part-charts" open={isShown} onToggle={({ currentTarget }) => setShown(currentTarget.open)}>
      <summary>
        Charts<span class="unseen"> of {title}</span>
      </summary>
      {isShown && <ChartGrid entries={entries} scope={scope} />}
    </details>
  );
}

function ChartGrid({ entries, scope }: { entries: readonly LeaderboardEntry[]; scope: FigureScope }) {
  const route = useRoute();
  const systems = useMemo(() => entries.map(({ name }) => name), [entries]);
  const selection = selectSystems(route, systems);
  const shown = useMemo(
    () => entries.filter(({ name }) => selection.isSelected(name)),
    [entries, systems, route.query.systems],
  );
  const qualityCost = useMemo(() => buildQualityCostChart(shown), [shown]);
  const costSpeed = useMemo(() => buildCostSpeedChart(shown), [shown]);
  const radar = useMemo(() => buildRadarChart(shown), [shown]);
  const onPick = ({ system }: ChartSelection) => {
    const entry = entries.find(({ name }) => name === system);
    if (entry !== undefined) navigate(["run", entry.run.id, "rows"], buildRowsQuery(entry, scope));
  };
  return (
    <div class="chart-grid">
      <SystemPicker {...selection} />
      <QualityBars data={qualityCost.points} systems={systems} onPick={onPick} />
      <QualityCostChart data={qualityCost} systems={systems} onPick={onPick} />
      <CostSpeedChart data={costSpeed} systems={systems} onPick={onPick} />
      <SpeedRadar data={radar} systems={systems} onPick={onPick} />
    </div>
  );
}
