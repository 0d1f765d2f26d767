import { useMemo } from "preact/hooks";
import type {
  QualityCostChart as QualityCostData,
  QualityCostPoint,
} from "../../../../src/report/dashboard/contract.js";
import { BottomAxis, LeftAxis } from "../axes/draw.js";
import { ChartFrame } from "../frame/frame.js";
import type { LegendEntry } from "../frame/legend.js";
import { Plot } from "../plot/plot.js";
import type { ChartProps } from "../props.js";
import { ScatterLabels, ScatterPoints } from "../scatter/points.js";
import { assignLooks, assignSystemLooks, type SeriesLook } from "../series.js";
import { computeQualityCostLayout, hasCostAndQuality } from "./layout.js";
import { getCostUnitWords } from "./units.js";
import { buildQualityCostTable, describeQualityCost, listQualityCostNotes } from "./words.js";

interface QualityCostChartProps extends ChartProps {
  data: QualityCostData;
}

interface QualityCostPlotProps extends Pick<QualityCostChartProps, "data" | "onPick"> {
  width: number;
  words: string;
  getLook: (point: QualityCostPoint) => SeriesLook;
}

/**
 * Quality against the cost of an attempt, or its tokens where no cost is known, with the front of the best for their price.
 * @example
 * <QualityCostChart data={run.charts.qualityCost} onPick={({ system }) => navigate(["run", id], { system })} />
 */
export function QualityCostChart({
  data,
  title = getCostUnitWords(data).title,
  systems,
  onPick,
}: QualityCostChartProps) {
  const words = describeQualityCost(data);
  const getLook = useMemo(() => chooseQualityCostLooks(data.points, systems), [data, systems]);
  return (
    <ChartFrame
      title={title}
      words={words}
      table={() => buildQualityCostTable(data)}
      legend={buildQualityCostLegend(data.points, getLook)}
      notes={listQualityCostNotes(data)}
    >
      {data.points.some(hasCostAndQuality)
        ? (width) => (
            <QualityCostPlot data={data} width={width} words={`${title}. ${words}`} getLook={getLook} onPick={onPick} />
          )
        : null}
    </ChartFrame>
  );
}

function QualityCostPlot({ data, width, words, getLook, onPick }: QualityCostPlotProps) {
  const layout = useMemo(() => computeQualityCostLayout(data, width, getLook), [data, width, getLook]);
  const { height, area, x, y } = layout;
  const drawing = useMemo(
    () => (
      <>
        <LeftAxis axis={y} area={area} label="↑ quality, with its interval" />
        <BottomAxis
          axis={x}
          area={area}
          label={getCostUnitWords(data).axis}
          zeroLabel={getCostUnitWords(data).nothing}
        />
        <path class="front" d={layout.step} />
        <path class="hull" d={layout.hull} />
        <ScatterPoints points={layout.points} />
        <ScatterLabels labels={layout.labels} />
      </>
    ),
    [layout, data],
  );
  return (
    <Plot width={width} height={height} label={words} marks={layout.marks} onPick={onPick}>
      {drawing}
    </Plot>
  );
}

/** Each system has its color; the shape tells the harness when there are several, else the system too. */
function chooseQualityCostLooks(points: readonly QualityCostPoint[], systems: readonly string[] | undefined) {
  const bySystem = assignSystemLooks(
    systems,
    points.map(({ system }) => system),
  );
  const harnesses = listHarnesses(points);
  const byHarness = assignLooks(harnesses);
  return ({ system, harness }: QualityCostPoint): SeriesLook => ({
    color: bySystem(system).color,
    shape: harnesses.length > 1 ? byHarness(harness ?? "").shape : bySystem(system).shape,
  });
}

function listHarnesses(points: readonly QualityCostPoint[]): string[] {
  return [...new Set(points.map(({ harness }) => harness ?? ""))].sort();
}

function buildQualityCostLegend(
  points: readonly QualityCostPoint[],
  getLook: (point: QualityCostPoint) => SeriesLook,
): LegendEntry[] {
  const placed = points.filter(hasCostAndQuality);
  const harnesses = listHarnesses(points);
  const byHarness = assignLooks(harnesses);
  return [
    ...placed.map(
      (point): LegendEntry => ({
        name: point.system,
        glyph: { kind: "mark", ...getLook(point), isHollow: point.dominatedBy.length > 0 },
      }),
    ),
    ...(harnesses.length > 1 ? harnesses : []).map(
      (harness): LegendEntry => ({
        name: `harness: ${harness || "none"}`,
        glyph: { kind: "mark", color: "var(--quiet)", shape: byHarness(harness).shape },
      }),
    ),
    { name: "front", glyph: { kind: "line", color: "var(--text)" } },
    { name: "convex hull", glyph: { kind: "line", color: "var(--quiet)", isDashed: true } },
    { name: "dominated", glyph: { kind: "mark", color: "var(--quiet)", shape: "circle", isHollow: true } },
  ];
}
