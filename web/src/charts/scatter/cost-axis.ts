import { type Axis, createLogAxis } from "../axes/axis.js";
import type { PlotArea } from "../axes/draw.js";
import type { TickFormatter } from "../axes/ticks.js";
import { computeTickCount } from "../layout.js";

/** What systems cost, from left to right; by ratios, since prices differ by powers of ten. */
export function createCostAxis(values: readonly number[], area: PlotArea, text: TickFormatter): Axis {
  return createLogAxis({ values, range: [area.left, area.right], text, count: computeTickCount(area) });
}
