import type { PlotArea } from "./axes/draw.js";

/** How high a chart of a width is: flat enough for a wide screen, high enough for a phone. */
export function computeChartHeight(width: number): number {
  return Math.round(Math.min(Math.max(width * 0.5, 260), 400));
}

/** The area left by the axes around it. */
export function computePlotArea(width: number, height: number, left = 52): PlotArea {
  return { left, right: width - 14, top: 26, bottom: height - 42 };
}

/** About how many ticks fit along a width. */
export function computeTickCount({ left, right }: PlotArea, each = 76): number {
  return Math.max(2, Math.floor((right - left) / each));
}
