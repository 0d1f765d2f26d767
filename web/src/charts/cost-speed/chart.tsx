import { useMemo } from "preact/hooks";
import type { CostSpeedChart as CostSpeedData, CostSpeedPoint } from "../../../../src/report/dashboard/contract.js";
import { AxisBelow, AxisLeft } from "../axes/draw.js";
import { ChartFrame } from "../frame/frame.js";
import type { LegendEntry } from "../frame/legend.js";
import { Plot } from "../plot/plot.js";
import type { ChartProps } from "../props.js";
import { Labels, Points } from "../scatter/points.js";
import { looksOf, type Series } from "../series.js";
import { isPlaced, layoutCostSpeed, markArea } from "./layout.js";
import { costSpeedNotes, costSpeedTable, costSpeedWords } from "./words.js";

interface Props extends ChartProps {
  data: CostSpeedData;
}

interface DrawnProps extends Pick<Props, "data" | "onPick"> {
  width: number;
  words: string;
  lookOf: (point: CostSpeedPoint) => Series;
}

/**
 * The cost of a pass against the time of a pass, failures charged on both, with the frontier of what is not beaten in both.
 * @example
 * <CostSpeedChart data={run.charts.costSpeed} onPick={({ system }) => goTo(["run", id], { system })} />
 */
export function CostSpeedChart({ data, title = "Cost–Speed Frontier", systems, onPick }: Props) {
  const words = costSpeedWords(data);
  const { nameOf, lookOf } = useMemo(() => pointLooks(data.points, systems), [data, systems]);
  return (
    <ChartFrame
      title={title}
      words={words}
      table={() => costSpeedTable(data)}
      legend={legendOf(data.points, nameOf, lookOf)}
      notes={costSpeedNotes(data)}
    >
      {data.points.some(isPlaced)
        ? (width) => <Drawn data={data} width={width} words={`${title}. ${words}`} lookOf={lookOf} onPick={onPick} />
        : null}
    </ChartFrame>
  );
}

function Drawn({ data, width, words, lookOf, onPick }: DrawnProps) {
  const layout = useMemo(() => layoutCostSpeed(data, width, lookOf), [data, width, lookOf]);
  const { height, area, x, y } = layout;
  const drawing = useMemo(
    () => (
      <>
        <AxisLeft axis={y} area={area} label="↑ seconds of all trials for each pass" lane="none" />
        <AxisBelow axis={x} area={area} label="cost of a pass →" lane="free" />
        <path class="front" d={layout.step} />
        <Points points={layout.points} />
        <Labels labels={layout.labels} />
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

/** Colour and shape tell the harness; the system where no two harnesses are there to tell apart. */
function pointLooks(points: readonly CostSpeedPoint[], systems: readonly string[] | undefined) {
  const harnesses = [...new Set(points.map(({ harness }) => harness ?? "no harness"))];
  const isByHarness = harnesses.length > 1;
  const series = isByHarness
    ? looksOf(undefined, harnesses)
    : looksOf(
        systems,
        points.map(({ system }) => system),
      );
  const nameOf = ({ system, harness }: CostSpeedPoint) => (isByHarness ? (harness ?? "no harness") : system);
  return { nameOf, lookOf: (point: CostSpeedPoint) => series(nameOf(point)) };
}

function legendOf(
  points: readonly CostSpeedPoint[],
  nameOf: (point: CostSpeedPoint) => string,
  lookOf: (point: CostSpeedPoint) => Series,
): LegendEntry[] {
  const looks = new Map(points.filter(isPlaced).map((point) => [nameOf(point), lookOf(point)]));
  const quiet = { kind: "mark", colour: "var(--quiet)", shape: "circle" } as const;
  return [
    ...[...looks]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, look]): LegendEntry => ({ name, glyph: { kind: "mark", ...look } })),
    { name: "frontier", glyph: { kind: "line", colour: "var(--text)" } },
    { name: "dominated", glyph: { ...quiet, isHollow: true } },
    { name: "10 % success", glyph: { ...quiet, area: markArea(0.1) / 2 } },
    { name: "100 % success", glyph: { ...quiet, area: markArea(1) / 2 } },
  ];
}
