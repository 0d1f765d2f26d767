import { useMemo } from "preact/hooks";
import type { StressFigures } from "../../../src/core/reliability.js";
import { formatNumber } from "../ui/index.js";
import { type Axis, BottomAxis, computeTickCount, createLinearAxis, formatNumberTick } from "./axes.js";
import { BarNames, type BarRows, computeBarRows } from "./bars.js";
import { ChartFrame, type ChartTableData } from "./frame.js";
import { assignSystemLooks, buildShapePath } from "./looks.js";
import { formatName, shortenName } from "./names.js";
import { type ChartProps, type Mark, Plot } from "./plot.js";

interface RobustnessChartProps extends ChartProps {
  data: readonly StressFigures[];
}

/** The pass rate under each kind of stress as a share of the one without, with intervals. */
export function RobustnessChart({ data, title = "Robustness", systems, onPick }: RobustnessChartProps) {
  const arms = useMemo(() => listMeasuredArms(data), [data]);
  const getLook = useMemo(
    () =>
      assignSystemLooks(
        systems,
        data.map(({ name }) => name),
      ),
    [systems, data],
  );
  const words = describeRobustness(arms, data.length);
  return (
    <ChartFrame title={title} words={words} table={() => buildRobustnessTable(arms)}>
      {arms.length === 0
        ? null
        : (width) => {
            const { rows, x, marks } = layOutRobustness(arms, width);
            return (
              <Plot width={width} height={rows.height} label={words} marks={marks} onPick={onPick}>
                <BottomAxis axis={x} area={rows} label="× pass rate without stress, 95 % interval" />
                <BarNames rows={rows} />
                <line
                  class="rule"
                  x1={x.toPixel(1)}
                  x2={x.toPixel(1)}
                  y1={rows.top}
                  y2={rows.bottom}
                  stroke="currentColor"
                  stroke-opacity={0.4}
                />
                {arms.map(({ name, ratio, low, high }, index) => {
                  const row = rows.rows[index];
                  if (row === undefined) return null;
                  const y = row.top + row.band / 2;
                  const { color, shape } = getLook(name);
                  return (
                    <g key={name}>
                      <line class="range" x1={x.toPixel(low)} x2={x.toPixel(high)} y1={y} y2={y} stroke={color} />
                      <path
                        class="mark"
                        transform={`translate(${x.toPixel(ratio)},${y})`}
                        d={buildShapePath(shape, 80)}
                        fill={color}
                        stroke={color}
                      />
                      <text class="value" x={rows.right + 8} y={y} dy="0.32em">
                        {`× ${formatNumber(ratio, 2)}`}
                      </text>
                    </g>
                  );
                })}
              </Plot>
            );
          }}
    </ChartFrame>
  );
}

/** An arm with a robustness and its interval. */
interface MeasuredArm {
  readonly name: string;
  readonly kind: string;
  readonly ratio: number;
  readonly low: number;
  readonly high: number;
  readonly tasks: number;
}

/** An interval without an upper bound is drawn to the largest bound of the others. */
function listMeasuredArms(data: readonly StressFigures[]): MeasuredArm[] {
  const most = Math.max(1, ...data.map(({ robustness: { value, high } }) => high ?? value ?? 0));
  return data.flatMap(({ name, kind, robustness: { value, low, high, tasks } }) =>
    value === null ? [] : [{ name, kind, ratio: value, low: low ?? 0, high: high ?? most, tasks }],
  );
}

interface RobustnessLayout {
  rows: BarRows;
  x: Axis;
  marks: readonly Mark[];
}

function layOutRobustness(arms: readonly MeasuredArm[], width: number): RobustnessLayout {
  const rows = computeBarRows(
    arms.map(({ kind }) => kind),
    { width, band: 18, after: 64 },
  );
  const x = createLinearAxis({
    values: arms.flatMap(({ ratio, low, high }) => [ratio, low, high]),
    range: [rows.left, rows.right],
    text: formatNumberTick,
    count: computeTickCount(rows, 90),
    include: [1],
  });
  const marks = arms.map((arm, index): Mark => {
    const row = rows.rows[index];
    return {
      id: arm.name,
      series: "all",
      x: x.toPixel(arm.ratio),
      y: (row?.top ?? 0) + (row?.band ?? 0) / 2,
      box: { x: rows.left, y: row?.top ?? 0, width: rows.right - rows.left, height: row?.band ?? 0 },
      title: formatName(arm.name),
      facts: [
        ["Robustness", `× ${formatNumber(arm.ratio, 2)} [${formatNumber(arm.low, 2)}, ${formatNumber(arm.high, 2)}]`],
        ["Tasks", String(arm.tasks)],
      ],
      selection: { system: arm.name },
    };
  });
  return { rows, x, marks };
}

function describeRobustness(arms: readonly MeasuredArm[], all: number): string {
  if (arms.length === 0)
    return all === 0 ? "No stress but repeated trials." : "No robustness yet, see the table for why.";
  const worst = arms.reduce((least, arm) => (arm.ratio < least.ratio ? arm : least));
  const lowered = arms.filter(({ high }) => high < 1).map(({ kind }) => shortenName(kind));
  const change =
    lowered.length === 0 ? "No interval lies below × 1." : `Below × 1 with its whole interval: ${lowered.join(", ")}.`;
  return `Lowest with ${shortenName(worst.kind)}: × ${formatNumber(worst.ratio, 2)}. ${change}`;
}

function buildRobustnessTable(arms: readonly MeasuredArm[]): ChartTableData {
  return {
    columns: ["Arm", "Robustness", "from", "to", "Tasks"],
    rows: arms.map(({ name, ratio, low, high, tasks }) => [
      formatName(name),
      formatNumber(ratio, 3),
      formatNumber(low, 3),
      formatNumber(high, 3),
      String(tasks),
    ]),
  };
}
