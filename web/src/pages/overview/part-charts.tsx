import { useMemo, useState } from "preact/hooks";
import { CostSpeedChart, type Picked, QualityCostChart, SpeedRadar } from "../../charts/index.js";
import { goTo } from "../../shell/route.js";
import { type Asked, rowsQuery } from "./asked.js";
import { costSpeedOf, qualityCostOf, radarOf } from "./chart-data.js";
import type { Entry } from "./parts.js";

interface PartChartsProps {
  title: string;
  entries: readonly Entry[];
  asked: Asked;
  isOpen: boolean;
}

/** The charts of a leaderboard; drawn when they are opened, since there may be many parts. */
export function PartCharts({ title, entries, asked, isOpen }: PartChartsProps) {
  const [isShown, setShown] = useState(isOpen);
  return (
    <details class="part-charts" open={isShown} onToggle={({ currentTarget }) => setShown(currentTarget.open)}>
      <summary>
        Charts<span class="unseen"> of {title}</span>
      </summary>
      {isShown && <Charts entries={entries} asked={asked} />}
    </details>
  );
}

function Charts({ entries, asked }: { entries: readonly Entry[]; asked: Asked }) {
  const systems = useMemo(() => entries.map(({ name }) => name), [entries]);
  const qualityCost = useMemo(() => qualityCostOf(entries), [entries]);
  const costSpeed = useMemo(() => costSpeedOf(entries), [entries]);
  const radar = useMemo(() => radarOf(entries), [entries]);
  const onPick = ({ system }: Picked) => {
    const entry = entries.find(({ name }) => name === system);
    if (entry !== undefined) goTo(["run", entry.run.id, "rows"], rowsQuery(entry, asked));
  };
  return (
    <div class="chart-grid">
      <QualityCostChart data={qualityCost} systems={systems} onPick={onPick} />
      <CostSpeedChart data={costSpeed} systems={systems} onPick={onPick} />
      <SpeedRadar data={radar} systems={systems} onPick={onPick} />
    </div>
  );
}
