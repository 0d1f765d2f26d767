import { useMemo } from "preact/hooks";
import type {
  QualityCostChart as QualityCostData,
  QualityCostPoint,
} from "../../../../src/report/dashboard/contract.js";
import { AxisBelow, AxisLeft } from "../axes/draw.js";
import { ChartFrame } from "../frame/frame.js";
import type { LegendEntry } from "../frame/legend.js";
import { Plot } from "../plot/plot.js";
import type { ChartProps } from "../props.js";
import { Labels, Points } from "../scatter/points.js";
import { looksOf, type Series, seriesOf } from "../series.js";
import { isPlaced, layoutQualityCost } from "./layout.js";
import { costWords } from "./units.js";
import { qualityCostNotes, qualityCostTable, qualityCostWords } from "./words.js";

interface Props extends ChartProps {
  data: QualityCostData;
}

interface DrawnProps extends Pick<Props, "data" | "onPick"> {
  width: number;
  words: string;
  lookOf: (point: QualityCostPoint) => Series;
}

/**
 * Quality against the cost of an attempt, or its tokens where no cost is known, with the front of the best for their price.
 * @example
 * <QualityCostChart data={run.charts.qualityCost} onPick={({ system }) => goTo(["run", id], { system })} />
 */
export function QualityCostChart({ data, title = costWords(data).title, systems, onPick }: Props) {
  const words = qualityCostWords(data);
  const lookOf = useMemo(() => pointLooks(data.points, systems), [data, systems]);
  return (
    <ChartFrame
      title={title}
      words={words}
      table={() => qualityCostTable(data)}
      legend={legendOf(data.points, lookOf)}
      notes={qualityCostNotes(data)}
    >
      {data.points.some(isPlaced)
        ? (width) => <Drawn data={data} width={width} words={`${title}. ${words}`} lookOf={lookOf} onPick={onPick} />
        : null}
    </ChartFrame>
  );
}

function Drawn({ data, width, words, lookOf, onPick }: DrawnProps) {
  const layout = useMemo(() => layoutQualityCost(data, width, lookOf), [data, width, lookOf]);
  const { height, area, x, y } = layout;
  const drawing = useMemo(
    () => (
      <>
        <AxisLeft axis={y} area={area} label="↑ quality, with its interval" />
        <AxisBelow axis={x} area={area} label={costWords(data).axis} lane={costWords(data).nothing} />
        <path class="front" d={layout.step} />
        <path class="hull" d={layout.hull} />
        <Points points={layout.points} />
        <Labels labels={layout.labels} />
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

/** Each system has its colour; the shape tells the harness when there are several, else the system too. */
function pointLooks(points: readonly QualityCostPoint[], systems: readonly string[] | undefined) {
  const bySystem = looksOf(
    systems,
    points.map(({ system }) => system),
  );
  const harnesses = harnessesOf(points);
  const byHarness = seriesOf(harnesses);
  return ({ system, harness }: QualityCostPoint): Series => ({
    colour: bySystem(system).colour,
    shape: harnesses.length > 1 ? byHarness(harness ?? "").shape : bySystem(system).shape,
  });
}

function harnessesOf(points: readonly QualityCostPoint[]): string[] {
  return [...new Set(points.map(({ harness }) => harness ?? ""))].sort();
}

function legendOf(points: readonly QualityCostPoint[], lookOf: (point: QualityCostPoint) => Series): LegendEntry[] {
  const placed = points.filter(isPlaced);
  const harnesses = harnessesOf(points);
  const byHarness = seriesOf(harnesses);
  return [
    ...placed.map(
      (point): LegendEntry => ({
        name: point.system,
        glyph: { kind: "mark", ...lookOf(point), isHollow: point.dominatedBy.length > 0 },
      }),
    ),
    ...(harnesses.length > 1 ? harnesses : []).map(
      (harness): LegendEntry => ({
        name: `harness: ${harness || "none"}`,
        glyph: { kind: "mark", colour: "var(--quiet)", shape: byHarness(harness).shape },
      }),
    ),
    { name: "front", glyph: { kind: "line", colour: "var(--text)" } },
    { name: "convex hull", glyph: { kind: "line", colour: "var(--quiet)", isDashed: true } },
    { name: "dominated", glyph: { kind: "mark", colour: "var(--quiet)", shape: "circle", isHollow: true } },
  ];
}
