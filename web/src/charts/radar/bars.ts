import { scaleLinear } from "d3-scale";
import type { RadarChart } from "../../../../src/report/dashboard/contract.js";
import { type Axis, linearAxis } from "../axes/axis.js";
import { secondsTick } from "../axes/ticks.js";
import { type BarRows, rowsFor } from "../bars/rows.js";
import { ticksAcross } from "../layout.js";
import type { Box, Mark } from "../plot/mark.js";
import { factsOfSpoke, reachOf } from "./layout.js";

export interface SpeedBars {
  rows: BarRows;
  x: Axis;
  bars: readonly { system: string; box: Box; isClipped: boolean }[];
  marks: readonly Mark[];
}

/** The same data as bars, for fewer systems than a radar needs, or more than it can hold. */
export function layoutSpeedBars(data: RadarChart, width: number): SpeedBars {
  const rows = rowsFor(
    data.spokes.map(({ system }) => system),
    { width, band: data.spokes.length > 12 ? 14 : 22 },
  );
  const reach = reachOf(data);
  const x = linearAxis({
    values: [0, reach],
    reach: [rows.left, rows.right],
    text: secondsTick,
    count: ticksAcross(rows, 90),
  });
  const clip = scaleLinear([0, reach], [0, reach]).clamp(true);
  const bars = data.spokes.flatMap(({ system, seconds, isClipped }, index) => {
    const row = rows.rows[index];
    if (row === undefined || seconds === null) return [];
    const end = x.place(clip(seconds));
    return [
      { system, isClipped, box: { x: rows.left, y: row.top, width: Math.max(end - rows.left, 1), height: row.band } },
    ];
  });
  const spokes = new Map(data.spokes.map((spoke) => [spoke.system, spoke]));
  const marks = bars.flatMap(({ system, box }): Mark[] => {
    const spoke = spokes.get(system);
    return spoke === undefined
      ? []
      : [{ ...factsOfSpoke(spoke), x: box.x + box.width, y: box.y + box.height / 2, box }];
  });
  return { rows, x, bars, marks };
}
