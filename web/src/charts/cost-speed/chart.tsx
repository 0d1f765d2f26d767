import { useMemo } from "preact/hooks";
import type { CostSpeedChart as CostSpeedData, CostSpeedPoint } from "../../../../src/report/dashboard/contract.js";
import { BottomAxis, LeftAxis } from "../axes/draw.js";
import { ChartFrame } from "../frame/frame.js";
import type { LegendEntry } from "../frame/legend.js";
import { Plot } from "../plot/plot.js";
import type { ChartProps } from "../props.js";
import { ScatterLabels, ScatterPoints } from "../scatter/points.js";
import { assignSystemLooks, type SeriesLook } from "../series.js";
import { computeCostSpeedLayout, computeMarkArea, hasCostAndTime } from "./layout.js";
import { buildCostSpeedTable, describeCostSpeed, listCostSpeedNotes } from "./words.js";

interface CostSpeedChartProps extends ChartProps {
  data: CostSpeedData;
}

interface CostSpeedPlotProps extends Pick<CostSpeedChartProps, "data" | "onPick"> {
  width: number;
  words: string;
  getLook: (point: CostSpeedPoint) => SeriesLook;
}

/**
 * The cost of a pass against the time of a pass, failures charged on both, with the frontier of what is not beaten in both.
 * @example
 * <CostSpeedChart data={run.charts.costSpeed} onPick={({ system }) => navigate(["run", id], { system })} />
 */
export function CostSpeedChart({ data, title = "Cost–Speed Frontier", systems, onPick }: CostSpeedChartProps) {
  const words = describeCostSpeed(data);
  const { getName, getLook } = useMemo(() => chooseCostSpeedLooks(data.points, systems), [data, systems]);
  return (
    <ChartFrame
      title={title}
      words={words}
      table={() => buildCostSpeedTable(data)}
      legend={buildCostSpeedLegend(data.points, getName, getLook)}
      notes={listCostSpeedNotes(data)}
    >
      {data.points.some(hasCostAndTime)
        ? (width) => (
            <CostSpeedPlot data={data} width={width} words={`${title}. ${words}`} getLook={getLook} onPick={onPick} />
          )
        : null}
    </ChartFrame>
  );
}

function CostSpeedPlot({ data, width, words, getLook, onPick }: CostSpeedPlotProps) {
  const layout = useMemo(() => computeCostSpeedLayout(data, width, getLook), [data, width, getLook]);
  const { height, area, x, y } = layout;
  const drawing = useMemo(
    () => (
      <>
        <LeftAxis axis={y} area={area} label="↑ seconds of all trials for each pass" zeroLabel="none" />
        <BottomAxis axis={x} area={area} label="cost of a pass →" zeroLabel="free" />
        <path class="front" d={layout.step} />
        <ScatterPoints points={layout.points} />
        <ScatterLabels labels={layout.labels} />
      </>
    ),
    [layout],
  );
  return (
    <Plot width={width} height={height} label={words} marks={layout.marks} onPick={onPick}>
      {drawing}
    </Plot>
  );
}

/** Color and shape tell the harness; the system where no two harnesses are there to tell apart. */
function chooseCostSpeedLooks(points: readonly CostSpeedPoint[], systems: readonly string[] | undefined) {
  const harnesses = [...new Set(points.map(({ harness }) => harness ?? "no harness"))];
  const isByHarness = harnesses.length > 1;
  const series = isByHarness
    ? assignSystemLooks(undefined, harnesses)
    : assignSystemLooks(
        systems,
        points.map(({ system }) => system),
      );
  const getName = ({ system, harness }: CostSpeedPoint) => (isByHarness ? (harness ?? "no harness") : system);
  return { getName, getLook: (point: CostSpeedPoint) => series(getName(point)) };
}

function buildCostSpeedLegend(
  points: readonly CostSpeedPoint[],
  getName: (point: CostSpeedPoint) => string,
  getLook: (point: CostSpeedPoint) => SeriesLook,
): LegendEntry[] {
  const looks = new Map(points.filter(hasCostAndTime).map((point) => [getName(point), getLook(point)]));
  const quiet = { kind: "mark", color: "var(--quiet)", shape: "circle" } as const;
  return [
    ...[...looks]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, look]): LegendEntry => ({ name, glyph: { kind: "mark", ...look } })),
    { name: "frontier", glyph: { kind: "line", color: "var(--text)" } },
    { name: "dominated", glyph: { ...quiet, isHollow: true } },
    { name: "10 % success", glyph: { ...quiet, area: computeMarkArea(0.1) / 2 } },
    { name: "100 % success", glyph: { ...quiet, area: computeMarkArea(1) / 2 } },
  ];
}
