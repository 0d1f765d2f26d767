import { max, ticks as roundTicks } from "d3-array";
import { scaleLinear } from "d3-scale";
import type { RadarChart } from "../../../../src/report/dashboard/contract.js";
import { formatSeconds } from "../../ui/format.js";
import { secondsTick } from "../axes/ticks.js";
import { fitted, shown } from "../names.js";
import type { Mark } from "../plot/mark.js";
import { isMeasured, type Spoke } from "./words.js";

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
export function reachOf({ spokes, limitSeconds }: RadarChart): number {
  const longest = max(spokes, ({ seconds }) => seconds ?? 0) ?? 0;
  const reach = Math.min(longest, limitSeconds ?? longest);
  return reach > 0 ? reach : 1;
}

const NAME_ROOM = 130;

/** Places every system on a spoke, the first at the top and the others clockwise. */
export function layoutRadar(data: RadarChart, width: number): RadarLayout {
  const height = Math.round(Math.min(Math.max(width * 0.6, 280), 400));
  const middle = { x: width / 2, y: height / 2 };
  const radius = Math.max(50, Math.min(height / 2 - 30, width / 2 - Math.min(NAME_ROOM, width * 0.24)));
  const scale = scaleLinear([0, reachOf(data)], [0, radius]).clamp(true);
  const at = (index: number, distance: number) => placeAt(middle, angleOf(index, data.spokes.length), distance);
  const points = data.spokes.map((spoke, index) =>
    isMeasured(spoke) ? { system: spoke.system, isClipped: spoke.isClipped, ...at(index, scale(spoke.seconds)) } : null,
  );
  return {
    height,
    middle,
    rings: roundTicks(0, reachOf(data), 4)
      .slice(1)
      .map((seconds) => ({ radius: scale(seconds), text: secondsTick(seconds) })),
    spokes: data.spokes.map(({ system }, index) => ({ system, ...at(index, radius) })),
    names: data.spokes.map(({ system }, index) => nameAt(system, { ...at(index, radius + 12), middle, width })),
    points: points.filter((point) => point !== null),
    outline: outlineOf(points),
    marks: data.spokes.flatMap((spoke, index) => markOf(spoke, points[index] ?? null)),
  };
}

function angleOf(index: number, count: number): number {
  return (index / count) * 2 * Math.PI - Math.PI / 2;
}

function placeAt(middle: { x: number; y: number }, angle: number, distance: number): { x: number; y: number } {
  return { x: middle.x + Math.cos(angle) * distance, y: middle.y + Math.sin(angle) * distance };
}

interface NamePlace {
  x: number;
  y: number;
  middle: { x: number; y: number };
  width: number;
}

function nameAt(system: string, { x, y, middle, width }: NamePlace): RadarLayout["names"][number] {
  const isCentred = Math.abs(x - middle.x) < 8;
  const anchor = isCentred ? "middle" : x > middle.x ? "start" : "end";
  const room = isCentred ? 200 : x > middle.x ? width - x : x;
  return { system, text: fitted(system, room), x, y: y + (isCentred && y < middle.y ? 0 : 4), anchor };
}

/** Lines between neighbours that were both measured; the last is a neighbour of the first. */
function outlineOf(points: readonly (RadarPoint | null)[]): string {
  return points
    .map((from, index) => {
      const to = points[(index + 1) % points.length] ?? null;
      return from === null || to === null ? "" : `M${from.x},${from.y}L${to.x},${to.y}`;
    })
    .join("");
}

function markOf(spoke: Spoke, point: RadarPoint | null): Mark[] {
  return point === null ? [] : [{ ...factsOfSpoke(spoke), x: point.x, y: point.y }];
}

/** A system's mark but for its place. */
export function factsOfSpoke({ system, seconds, isClipped }: Spoke): Omit<Mark, "x" | "y"> {
  return {
    id: system,
    series: "all",
    title: shown(system),
    facts: [["Median time to success", `${formatSeconds(seconds)}${isClipped ? " (cut in the drawing)" : ""}`]],
    picked: { system },
  };
}
