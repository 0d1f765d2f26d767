import { scaleLinear } from "d3-scale";
import type { RadarChart as RadarData } from "../../../../src/report/dashboard/contract.js";
import { type Axis, createLinearAxis } from "../axes/axis.js";
import { formatSecondsTick } from "../axes/ticks.js";
import { type BarRows, computeBarRows } from "../bars/rows.js";
import { computeTickCount } from "../layout.js";
import type { Box, Mark } from "../plot/mark.js";
import { computeMaxSeconds, describeSpoke } from "./layout.js";

export interface SpeedBarsLayout {
  rows: BarRows;
  x: Axis;
  bars: readonly { system: string; box: Box; isClipped: boolean }[];
  marks: readonly Mark[];
}

/** The same data as bars, for fewer systems than a radar needs, or more than it can hold. */
export function computeSpeedBars(data: RadarData, width: number): SpeedBarsLayout {
  const rows = computeBarRows(
    data.spokes.map(({ system }) => system),
    { width, band: data.spokes.length > 12 ? 14 : 22 },
  );
  const reach = computeMaxSeconds(data);
  const x = createLinearAxis({
    values: [0, reach],
    range: [rows.left, rows.right],
    text: formatSecondsTick,
    count: computeTickCount(rows, 90),
  });
  const clip = scaleLinear([0, reach], [0, reach]).clamp(true);
  const bars = data.spokes.flatMap(({ system, seconds, isClipped }, index) => {
    const row = rows.rows[index];
    if (row === undefined || seconds === null) return [];
    const end = x.toPixel(clip(seconds));
    return [
      { system, isClipped, box: { x: rows.left, y: row.top, width: Math.max(end - rows.left, 1), height: row.band } },
    ];
  });
  const spokes = new Map(data.spokes.map((spoke) => [spoke.system, spoke]));
  const marks = bars.flatMap(({ system, box }): Mark[] => {
    const spoke = spokes.get(system);
    return spoke === undefined
      ? []
      : [{ ...describeSpoke(spoke), x: box.x + box.width, y: box.y + box.height / 2, box }];
  });
  return { rows, x, bars, marks };
}
