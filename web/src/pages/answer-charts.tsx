import type { QualityCostChart as QualityCostData } from "../../../src/report/dashboard/contract.js";
import { type ChartSelection, QualityBars, QualityCostChart } from "../charts/index.js";

interface AnswerChartsProps {
  data: QualityCostData;
  /** Every system of the page, in the order of their colors. */
  systems: readonly string[];
  onPick: (picked: ChartSelection) => void;
}

/** Quality with intervals, and quality against cost. A single system needs no chart, and an empty one is not drawn. */
export function AnswerCharts({ data, systems, onPick }: AnswerChartsProps) {
  const scored = data.points.filter(({ quality }) => quality !== null);
  const drawn = scored.filter(({ cost }) => cost !== null);
  if (systems.length < 2 || scored.length === 0) return null;
  return (
    <div class="answer-charts">
      <QualityBars data={data.points} systems={systems} onPick={onPick} />
      {drawn.length > 0 && <QualityCostChart data={data} systems={systems} onPick={onPick} />}
    </div>
  );
}
