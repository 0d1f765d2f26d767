import { ARIA_HIDDEN, type Axis, computeTickCount, createLogAxis, type PlotArea, type TickFormatter } from "./axes.js";
import { buildShapePath, type SeriesLook } from "./looks.js";
import { estimateTextWidth, truncateName } from "./names.js";
import type { Box } from "./plot.js";

export interface ScatterPoint {
  readonly name: string;
  readonly x: number;
  readonly y: number;
  /** In square pixels. */
  readonly area: number;
  readonly look: SeriesLook;
  readonly isDominated: boolean;
  readonly whisker: { readonly low: number; readonly high: number } | null;
}

/** Dominated systems are hollow, faded and below the others. */
export function ScatterPoints({ points }: { points: readonly ScatterPoint[] }) {
  const behindFirst = [...points].sort((a, b) => Number(b.isDominated) - Number(a.isDominated));
  return (
    <g>
      {behindFirst.map((point) => (
        <ScatterMark key={point.name} point={point} />
      ))}
    </g>
  );
}

function ScatterMark({ point: { x, y, area, look, isDominated, whisker } }: { point: ScatterPoint }) {
  return (
    <g class={isDominated ? "dominated" : undefined}>
      {whisker !== null && <path class="whisker" d={buildWhiskerPath(x, whisker)} stroke={look.color} />}
      <path
        class={isDominated ? "mark hollow" : "mark"}
        transform={`translate(${x},${y})`}
        d={buildShapePath(look.shape, area)}
        fill={isDominated ? "var(--ground)" : look.color}
        stroke={look.color}
      />
    </g>
  );
}

/** A line with a short bar at each end. */
export function buildWhiskerPath(x: number, { low, high }: { low: number; high: number }): string {
  return `M${x - 3},${low}h6M${x},${low}V${high}M${x - 3},${high}h6`;
}

export function ScatterLabels({ labels }: { labels: readonly PlacedLabel[] }) {
  return (
    <g class="names" {...ARIA_HIDDEN}>
      {labels.map(({ name, text, x, y }) => (
        <text key={name} x={x} y={y}>
          {text}
        </text>
      ))}
    </g>
  );
}

interface LabeledMark {
  readonly name: string;
  readonly x: number;
  readonly y: number;
  readonly size: number;
  /** Added after the name where it fits. */
  readonly note?: string;
}

export interface PlacedLabel {
  readonly name: string;
  readonly text: string;
  readonly x: number;
  readonly y: number;
}

const LABEL_HEIGHT = 14;
const MAX_LABEL_WIDTH = 150;
const MAX_NOTE_WIDTH = 200;
const LABEL_GAP = 4;

/** Places labels beside their marks, as many as do not overlap; the first marks choose first. */
export function placeLabels(marks: readonly LabeledMark[], area: PlotArea): PlacedLabel[] {
  const covered = marks.map(({ x, y, size }) => ({ x: x - size, y: y - size, width: 2 * size, height: 2 * size }));
  const names: PlacedName[] = [];
  for (const mark of marks) {
    const text = truncateName(mark.name, MAX_LABEL_WIDTH);
    const taken = [...covered, ...names.map(({ box }) => box)];
    const box = listLabelBoxes(mark, estimateTextWidth(text)).find(
      (place) => isInsideArea(place, area) && isFreeOfOthers(place, taken),
    );
    if (box !== undefined) names.push({ mark, text, box });
  }
  // After all names, because a note must not take the space of a name.
  for (const name of names) Object.assign(name, appendNote(name, { covered, names, area }));
  return names.map(({ mark: { name }, text, box }) => ({ name, text, x: box.x, y: box.y + LABEL_HEIGHT - 3 }));
}

interface PlacedName {
  mark: LabeledMark;
  text: string;
  box: Box;
}

interface LabelSurroundings {
  covered: readonly Box[];
  names: readonly PlacedName[];
  area: PlotArea;
}

/** The name with its note, extended to the right or to the left; unchanged where neither fits. */
function appendNote(name: PlacedName, { covered, names, area }: LabelSurroundings): PlacedName {
  const { mark, text, box } = name;
  if (mark.note === undefined) return name;
  const noted = `${text} ${truncateName(mark.note, MAX_NOTE_WIDTH)}`;
  const width = estimateTextWidth(noted);
  const taken = [...covered, ...names.filter((other) => other !== name).map((other) => other.box)];
  const wider = [box.x, box.x + box.width - width]
    .map((x) => ({ ...box, x, width }))
    .find((place) => isInsideArea(place, area) && isFreeOfOthers(place, taken));
  return wider === undefined ? name : { mark, text: noted, box: wider };
}

/** Upper right first, where the step of a front does not cross it; then right, left, above and below. */
function listLabelBoxes({ x, y, size }: LabeledMark, width: number): Box[] {
  const at = (left: number, top: number): Box => ({ x: left, y: top, width, height: LABEL_HEIGHT });
  return [
    at(x + size, y - LABEL_HEIGHT - 1),
    at(x + size + LABEL_GAP, y - LABEL_HEIGHT / 2),
    at(x - size - LABEL_GAP - width, y - LABEL_HEIGHT / 2),
    at(x - width / 2, y - size - LABEL_GAP - LABEL_HEIGHT),
    at(x - width / 2, y + size + LABEL_GAP),
  ];
}

function isInsideArea(box: Box, { left, right, top, bottom }: PlotArea): boolean {
  return box.x >= left && box.x + box.width <= right && box.y >= top && box.y + box.height <= bottom;
}

function isFreeOfOthers(box: Box, taken: readonly Box[]): boolean {
  return !taken.some(
    (other) =>
      box.x < other.x + other.width &&
      other.x < box.x + box.width &&
      box.y < other.y + other.height &&
      other.y < box.y + box.height,
  );
}

interface PixelPoint {
  readonly x: number;
  readonly y: number;
}

/** The front as steps: horizontally to the next member, then vertically. */
export function buildStepPath(places: readonly PixelPoint[], end: number): string {
  const [first, ...others] = places;
  if (first === undefined) return "";
  return `M${roundPixels(first.x)},${roundPixels(first.y)}${others.map(({ x, y }) => `H${roundPixels(x)}V${roundPixels(y)}`).join("")}H${roundPixels(end)}`;
}

export interface HullMember {
  readonly cost: number;
  readonly quality: number;
}

const HULL_PIECES = 60;

/** Mixes of two systems lie on a straight line in dollars, which is a curve on a logarithmic axis. */
export function buildHullPath(members: readonly HullMember[], x: Axis, y: Axis): string {
  const places = members.flatMap((member, index) => [member, ...interpolateMembers(member, members[index + 1])]);
  const steps = places.map(({ cost, quality }) => `${roundPixels(x.toPixel(cost))},${roundPixels(y.toPixel(quality))}`);
  return members.length < 2 ? "" : `M${steps.join("L")}`;
}

/** Mixes of two members, evenly spaced over the decades between them. */
function interpolateMembers(from: HullMember, to: HullMember | undefined): HullMember[] {
  if (to === undefined || !(to.cost > from.cost)) return [];
  // Zero has no logarithm: from a free system, the curve begins four decades below the other one.
  const start = Math.max(from.cost, to.cost / 1e4);
  return Array.from({ length: HULL_PIECES }, (_, piece) => {
    const cost = start * (to.cost / start) ** ((piece + 1) / (HULL_PIECES + 1));
    const share = (cost - from.cost) / (to.cost - from.cost);
    return { cost, quality: from.quality + share * (to.quality - from.quality) };
  });
}

/** A tenth of a pixel is finer than anybody sees. */
function roundPixels(value: number): number {
  return Math.round(value * 10) / 10;
}

/** Logarithmic, since prices differ by powers of ten. */
export function createCostAxis(values: readonly number[], area: PlotArea, text: TickFormatter): Axis {
  return createLogAxis({ values, range: [area.left, area.right], text, count: computeTickCount(area) });
}
