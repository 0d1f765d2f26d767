import { useMemo, useState } from "preact/hooks";
import { type ChartSelection, CostSpeedChart, QualityCostChart, SpeedRadar } from "../../charts/index.js";
import { navigate } from "../../shell/route.js";
import { buildRowsQuery, type FigureScope } from "./asked.js";
import { buildCostSpeedChart, buildQualityCostChart, buildRadarChart } from "./chart-data.js";
import type { LeaderboardEntry } from "./parts.js";

interface LeaderboardChartsProps {
  title: string;
  entries: readonly LeaderboardEntry[];
  scope: FigureScope;
  isOpen: boolean;
}

/** The charts of a leaderboard; drawn when they are opened, since there may be many parts. */
export function LeaderboardCharts({ title, entries, scope, isOpen }: LeaderboardChartsProps) {
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
  const systems = useMemo(() => entries.map(({ name }) => name), [entries]);
  const qualityCost = useMemo(() => buildQualityCostChart(entries), [entries]);
  const costSpeed = useMemo(() => buildCostSpeedChart(entries), [entries]);
  const radar = useMemo(() => buildRadarChart(entries), [entries]);
  const onPick = ({ system }: ChartSelection) => {
    const entry = entries.find(({ name }) => name === system);
    if (entry !== undefined) navigate(["run", entry.run.id, "rows"], buildRowsQuery(entry, scope));
  };
  return (
    <div class="chart-grid">
      <QualityCostChart data={qualityCost} systems={systems} onPick={onPick} />
      <CostSpeedChart data={costSpeed} systems={systems} onPick={onPick} />
      <SpeedRadar data={radar} systems={systems} onPick={onPick} />
    </div>
  );
}
