import { max, ticks as roundTicks } from "d3-array";
import { scaleLinear } from "d3-scale";
import type { RadarChart as RadarData } from "../../../../src/report/dashboard/contract.js";
import { formatSeconds } from "../../ui/format.js";
import { formatSecondsTick } from "../axes/ticks.js";
import { formatName, truncateName } from "../names.js";
import type { Mark } from "../plot/mark.js";
import { isMeasuredSpoke, type RadarSpoke } from "./words.js";

/** A system on its spoke. */
interface RadarPoint {
  system: string;
  isClipped: boolean;
  x: number;
  y: number;
}

export interface RadarLayout {
  height: number;
  middle: { x: number; y: number };
  rings: readonly { radius: number; text: string }[];
  spokes: readonly { system: string; x: number; y: number }[];
  names: readonly { system: string; text: string; x: number; y: number; anchor: "start" | "middle" | "end" }[];
  points: readonly RadarPoint[];
  /** The outline through neighbours; open where one was not measured. */
  outline: string;
  marks: readonly Mark[];
}

/** How far the spokes reach, in seconds. */
export function computeMaxSeconds({ spokes, limitSeconds }: RadarData): number {
  const longest = max(spokes, ({ seconds }) => seconds ?? 0) ?? 0;
  const reach = Math.min(longest, limitSeconds ?? longest);
  return reach > 0 ? reach : 1;
}

const MAX_RADAR_NAME_WIDTH = 130;

/** Places every system on a spoke, the first at the top and the others clockwise. */
export function computeRadarLayout(data: RadarData, width: number): RadarLayout {
  const height = Math.round(Math.min(Math.max(width * 0.6, 280), 400));
  const middle = { x: width / 2, y: height / 2 };
  const radius = Math.max(50, Math.min(height / 2 - 30, width / 2 - Math.min(MAX_RADAR_NAME_WIDTH, width * 0.24)));
  const scale = scaleLinear([0, computeMaxSeconds(data)], [0, radius]).clamp(true);
  const at = (index: number, distance: number) =>
    computePointAtAngle(middle, computeAngle(index, data.spokes.length), distance);
  const points = data.spokes.map((spoke, index) =>
    isMeasuredSpoke(spoke)
      ? { system: spoke.system, isClipped: spoke.isClipped, ...at(index, scale(spoke.seconds)) }
      : null,
  );
  return {
    height,
    middle,
    rings: roundTicks(0, computeMaxSeconds(data), 4)
      .slice(1)
      .map((seconds) => ({ radius: scale(seconds), text: formatSecondsTick(seconds) })),
    spokes: data.spokes.map(({ system }, index) => ({ system, ...at(index, radius) })),
    names: data.spokes.map(({ system }, index) => placeRadarName(system, { ...at(index, radius + 12), middle, width })),
    points: points.filter((point) => point !== null),
    outline: buildRadarOutline(points),
    marks: data.spokes.flatMap((spoke, index) => createRadarMark(spoke, points[index] ?? null)),
  };
}

function computeAngle(index: number, count: number): number {
  return (index / count) * 2 * Math.PI - Math.PI / 2;
}

function computePointAtAngle(
  middle: { x: number; y: number },
  angle: number,
  distance: number,
): { x: number; y: number } {
  return { x: middle.x + Math.cos(angle) * distance, y: middle.y + Math.sin(angle) * distance };
}

interface RadarNamePosition {
  x: number;
  y: number;
  middle: { x: number; y: number };
  width: number;
}

function placeRadarName(system: string, { x, y, middle, width }: RadarNamePosition): RadarLayout["names"][number] {
  const isCentred = Math.abs(x - middle.x) < 8;
  const anchor = isCentred ? "middle" : x > middle.x ? "start" : "end";
  const room = isCentred ? 200 : x > middle.x ? width - x : x;
  return { system, text: truncateName(system, room), x, y: y + (isCentred && y < middle.y ? 0 : 4), anchor };
}

/** Lines between neighbours that were both measured; the last is a neighbour of the first. */
function buildRadarOutline(points: readonly (RadarPoint | null)[]): string {
  return points
    .map((from, index) => {
      const to = points[(index + 1) % points.length] ?? null;
      return from === null || to === null ? "" : `M${from.x},${from.y}L${to.x},${to.y}`;
    })
    .join("");
}

function createRadarMark(spoke: RadarSpoke, point: RadarPoint | null): Mark[] {
  return point === null ? [] : [{ ...describeSpoke(spoke), x: point.x, y: point.y }];
}

/** A system's mark but for its place. */
export function describeSpoke({ system, seconds, isClipped }: RadarSpoke): Omit<Mark, "x" | "y"> {
  return {
    id: system,
    series: "all",
    title: formatName(system),
    facts: [["Median time to success", `${formatSeconds(seconds)}${isClipped ? " (cut in the drawing)" : ""}`]],
    selection: { system },
  };
}
