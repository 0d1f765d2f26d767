import { type Axis, logAxis } from "../axes/axis.js";
import type { Area } from "../axes/draw.js";
import type { TickText } from "../axes/ticks.js";
import { ticksAcross } from "../layout.js";

/** What systems cost, from left to right; by ratios, since prices differ by powers of ten. */
export function costAxis(values: readonly number[], area: Area, text: TickText): Axis {
  return logAxis({ values, reach: [area.left, area.right], text, count: ticksAcross(area) });
}
