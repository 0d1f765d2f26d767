import type { ChartSelection } from "../props.js";

/** One thing that a tooltip tells, such as `["Cost", "$0.02"]`. */
export type TooltipFact = readonly [label: string, value: string];

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Something in a chart that can be pointed at, focused and picked. */
export interface Mark {
  readonly id: string;
  /** Marks of one series are stepped through with left and right, the series with up and down. */
  readonly series: string;
  readonly x: number;
  readonly y: number;
  /** Its extent when it is no point. */
  readonly box?: Box;
  readonly title: string;
  readonly facts: readonly TooltipFact[];
  readonly selection?: ChartSelection;
}

/** A mark in words, for those who hear it. */
export function describeMark({ title, facts }: Mark): string {
  return [title, ...facts.map(([label, value]) => `${label} ${value}`)].join(", ");
}

interface PointerPosition {
  x: number;
  y: number;
}

/** How far a pointer may be from a mark, in pixels. */
const MAX_POINTER_DISTANCE = 26;

/** The mark that a pointer means: the one that it is in, or the nearest that is near enough; -1 for none. */
export function findNearestMark(marks: readonly Mark[], place: PointerPosition): number {
  let [nearest, least] = [-1, MAX_POINTER_DISTANCE];
  for (const [index, mark] of marks.entries()) {
    const distance = measureDistance(mark, place);
    if (distance < least) [nearest, least] = [index, distance];
  }
  return nearest;
}

function measureDistance({ x, y, box }: Mark, place: PointerPosition): number {
  if (box === undefined) return Math.hypot(x - place.x, y - place.y);
  const across = Math.max(box.x - place.x, 0, place.x - box.x - box.width);
  const down = Math.max(box.y - place.y, 0, place.y - box.y - box.height);
  return Math.hypot(across, down) * 4;
}

/** Where an arrow key leads from a mark; the same mark at an end, and null for keys that lead nowhere. */
export function findNextMark(marks: readonly Mark[], from: number, key: string): number | null {
  const last = marks.length - 1;
  if (key === "ArrowRight") return Math.min(from + 1, last);
  if (key === "ArrowLeft") return Math.max(from - 1, 0);
  if (key === "Home") return 0;
  if (key === "End") return last;
  if (key === "ArrowDown") return findMarkInNextSeries(marks, from, 1);
  return key === "ArrowUp" ? findMarkInNextSeries(marks, from, -1) : null;
}

/** The mark nearest in x of the series before or after; the next mark when there is one series alone. */
function findMarkInNextSeries(marks: readonly Mark[], from: number, step: 1 | -1): number {
  const mark = marks[from];
  const names = [...new Set(marks.map(({ series }) => series))];
  if (mark === undefined || names.length < 2) return Math.min(Math.max(from + step, 0), marks.length - 1);
  const wanted = names[names.indexOf(mark.series) + step];
  let [best, least] = [from, Number.POSITIVE_INFINITY];
  for (const [index, { series, x }] of marks.entries()) {
    const distance = Math.abs(x - mark.x);
    if (series === wanted && distance < least) [best, least] = [index, distance];
  }
  return best;
}
