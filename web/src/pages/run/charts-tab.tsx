import type { RunView } from "../../../../src/report/dashboard/contract.js";
import {
  type ChartSelection,
  CostSpeedChart,
  ErrorsChart,
  HeatMapChart,
  LatencyChart,
  PassCurvesChart,
  QualityCostChart,
  SpeedRadar,
  TokenCostChart,
} from "../../charts/index.js";
import { navigate } from "../../shell/route.js";
import { buildSelectionQuery } from "./picked-words.js";

/** Every chart of the run that has something to show. What is picked in one leads to the rows behind it. */
export function ChartsTab({ view }: { view: RunView }) {
  const { card, charts } = view;
  const shared = {
    systems: card.systems.map(({ system }) => system),
    onPick: (picked: ChartSelection) => navigate(["run", card.id, "rows"], buildSelectionQuery(picked)),
  };
  return (
    <div class="charts">
      <h2 class="unseen">Charts</h2>
      {charts.qualityCost.points.length > 0 && <QualityCostChart data={charts.qualityCost} {...shared} />}
      {charts.costSpeed.points.length > 0 && <CostSpeedChart data={charts.costSpeed} {...shared} />}
      {charts.radar.spokes.length > 0 && <SpeedRadar data={charts.radar} {...shared} />}
      {charts.passCurves.some(({ points }) => points.length > 1) && (
        <PassCurvesChart data={charts.passCurves} {...shared} />
      )}
      <ErrorsChart runs={[card]} by="system" {...shared} />
      {charts.tokenCosts.length > 0 && <TokenCostChart data={charts.tokenCosts} {...shared} />}
      {charts.latencies.some(({ n }) => n > 0) && <LatencyChart data={charts.latencies} {...shared} />}
      {charts.heatMaps.map((map) => (
        <HeatMapChart key={JSON.stringify([map.system, map.dataset, map.xField, map.yField])} data={map} {...shared} />
      ))}
    </div>
  );
}
