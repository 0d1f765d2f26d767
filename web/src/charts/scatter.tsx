import {
  ARIA_HIDDEN,
  type Axis,
  type AxisView,
  createLinearAxis,
  createLogAxis,
  type DurationUnit,
  type InvertibleAxis,
  type PlotArea,
  type TickFormatter,
} from "./axes.js";
import type { AxisScale, LegendEntry } from "./frame.js";
import { assignLooks, assignSystemLooks, buildShapePath, type SeriesLook } from "./looks.js";
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

/** Drawn before the lines and marks, so that the ground around letters cuts no hole into them. */
export function ScatterLabels({ labels }: { labels: readonly PlacedLabel[] }) {
  return (
    <g class="names" {...ARIA_HIDDEN}>
      {labels.map(({ name, leader }) => leader !== null && <line key={name} class="leader" {...leader} />)}
      {labels.map(({ name, text, x, y, isQuiet }) => (
        <text key={name} class={isQuiet ? "quiet-name" : undefined} x={x} y={y}>
          {text}
        </text>
      ))}
    </g>
  );
}

interface LabeledMark {
  readonly name: string;
  readonly text: string;
  readonly x: number;
  readonly y: number;
  /** Half its width. */
  readonly size: number;
  readonly isQuiet: boolean;
}

export interface PlacedLabel {
  readonly name: string;
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly isQuiet: boolean;
  /** From the mark to its label, unless they are beside each other. */
  readonly leader: { readonly x1: number; readonly y1: number; readonly x2: number; readonly y2: number } | null;
}

interface LabelSpace {
  area: PlotArea;
  /** Lines that labels should not cover, as boxes. */
  lines?: readonly Box[];
}

const LABEL_HEIGHT = 16;
/** From the top of a label to the line its letters stand on. */
const LABEL_BASELINE = 12;
const MAX_LABEL_WIDTH = 180;
const MAX_LABEL_SHARE = 0.45;
const LABEL_GAP = 4;
/** The first labels were placed without knowing the later ones: they may move. */
const PLACEMENT_ROUNDS = 3;

/**
 * Places a label for each mark, beside it or further away with a leader line; the first marks choose first. Labels never
 * cover marks or each other, and avoid lines. A label without room is left out: its mark can be hovered and focused.
 */
export function placeLabels(marks: readonly LabeledMark[], { area, lines = [] }: LabelSpace): PlacedLabel[] {
  const covered = marks.map(({ x, y, size }) => ({ x: x - size, y: y - size, width: 2 * size, height: 2 * size }));
  const room = Math.min(MAX_LABEL_WIDTH, (area.right - area.left) * MAX_LABEL_SHARE);
  const texts = marks.map(({ text }) => truncateName(text, room));
  const candidates = marks.map((mark, index) =>
    listLabelPlaces(mark, estimateTextWidth(texts[index] ?? "")).filter(
      ({ box }) => isBoxInside(box, area) && isFreeOfOthers(box, covered),
    ),
  );
  const chosen = new Map<number, LabelPlace>();
  for (let round = 0; round < PLACEMENT_ROUNDS; round++)
    for (const [index, places] of candidates.entries()) {
      chosen.delete(index);
      const labels = [...chosen.values()];
      const obstacles: Obstacles = {
        boxes: [...covered.filter((_, other) => other !== index), ...labels.map(({ box }) => box)],
        lines: [...lines, ...labels.flatMap(({ leader }) => (leader === null ? [] : listLeaderBoxes(leader)))],
      };
      const free = places.filter(({ box }) => isFreeOfOthers(box, obstacles.boxes));
      const best = findCheapest(free, (place) => computePlaceCost(place, obstacles));
      if (best !== null) chosen.set(index, best);
    }
  return marks.flatMap(({ name, isQuiet }, index) => {
    const place = chosen.get(index);
    if (place === undefined) return [];
    const { box, leader } = place;
    return [{ name, text: texts[index] ?? "", isQuiet, x: box.x, y: box.y + LABEL_BASELINE, leader }];
  });
}

interface Obstacles {
  /** Other marks and labels. */
  boxes: readonly Box[];
  /** Small boxes along lines. */
  lines: readonly Box[];
}

interface LabelPlace {
  box: Box;
  leader: PlacedLabel["leader"];
  /** How far from the best place it is. */
  cost: number;
}

const LINE_COST = 100;
/** For each pixel of width: a line along a name makes it unreadable, one across it does not. */
const LINE_WIDTH_COST = 4;
const CROSSED_LEADER_COST = 170;

function computePlaceCost({ box, leader, cost }: LabelPlace, { boxes, lines }: Obstacles): number {
  const under = lines.filter((line) => isOverlapping(box, line));
  const width = under.reduce((sum, line) => sum + measureSharedWidth(box, line), 0);
  const onLine = under.length === 0 ? 0 : LINE_COST + LINE_WIDTH_COST * width;
  const pieces = leader === null ? [] : listLeaderBoxes(leader);
  const crossed = pieces.some((piece) => boxes.some((other) => isOverlapping(piece, other)));
  return cost + onLine + (crossed ? CROSSED_LEADER_COST : 0);
}

function measureSharedWidth(box: Box, other: Box): number {
  return Math.min(box.x + box.width, other.x + other.width) - Math.max(box.x, other.x);
}

function findCheapest(places: readonly LabelPlace[], getCost: (place: LabelPlace) => number): LabelPlace | null {
  let [best, least]: [LabelPlace | null, number] = [null, Number.POSITIVE_INFINITY];
  for (const place of places) {
    const cost = getCost(place);
    if (cost < least) [best, least] = [place, cost];
  }
  return best;
}

const LEADER_LENGTHS = [16, 28, 42, 58, 78, 100, 130];
const LEADER_DIRECTIONS = 16;

/** Beside the mark, beginning at the upper right, where the step of a front does not cross it; then in wider circles. */
function listLabelPlaces({ x, y, size }: LabeledMark, width: number): LabelPlace[] {
  const at = (left: number, top: number): Box => ({ x: left, y: top, width, height: LABEL_HEIGHT });
  const [left, right] = [x - size - LABEL_GAP - width, x + size + LABEL_GAP];
  const [above, middle, below] = [y - LABEL_HEIGHT - 1, y - LABEL_HEIGHT / 2, y + 1];
  const near = [
    at(x + size, above),
    at(right, middle),
    at(left, middle),
    at(x - width / 2, y - size - LABEL_GAP - LABEL_HEIGHT),
    at(x - width / 2, y + size + LABEL_GAP),
    at(x + size, below),
    at(x - size - width, above),
    at(x - size - width, below),
  ].map((box, index) => ({ box, leader: null, cost: index * 2 }));
  const far = LEADER_LENGTHS.flatMap((length) =>
    Array.from({ length: LEADER_DIRECTIONS }, (_, turn): LabelPlace => {
      const angle = (turn / LEADER_DIRECTIONS) * 2 * Math.PI - Math.PI / 3;
      const [across, down] = [Math.cos(angle), Math.sin(angle)];
      const end = { x: x + across * (size + length), y: y + down * (size + length) };
      const box = at(
        end.x + (across > 0.3 ? 2 : across < -0.3 ? -2 - width : -width / 2),
        end.y + (down > 0.3 ? 0 : down < -0.3 ? -LABEL_HEIGHT : -LABEL_HEIGHT / 2),
      );
      const leader = { x1: x + across * size, y1: y + down * size, x2: end.x, y2: end.y };
      return { box, leader, cost: 20 + length };
    }),
  );
  return [...near, ...far];
}

const LEADER_PIECES = 8;

/** Small boxes along a line. */
function listLeaderBoxes({ x1, y1, x2, y2 }: NonNullable<PlacedLabel["leader"]>): Box[] {
  return Array.from({ length: LEADER_PIECES }, (_, piece) => {
    const share = (piece + 0.5) / LEADER_PIECES;
    return { x: x1 + (x2 - x1) * share - 1, y: y1 + (y2 - y1) * share - 1, width: 2, height: 2 };
  });
}

function isBoxInside(box: Box, { left, right, top, bottom }: PlotArea): boolean {
  return box.x >= left && box.x + box.width <= right && box.y >= top && box.y + box.height <= bottom;
}

function isFreeOfOthers(box: Box, taken: readonly Box[]): boolean {
  return !taken.some((other) => isOverlapping(box, other));
}

function isOverlapping(box: Box, other: Box): boolean {
  return (
    box.x < other.x + other.width &&
    other.x < box.x + box.width &&
    box.y < other.y + other.height &&
    other.y < box.y + box.height
  );
}

/** The interval of a point, for `placeLabels`. */
export function listWhiskerBoxes({ x, whisker }: ScatterPoint): Box[] {
  if (whisker === null) return [];
  const { low, high } = whisker;
  return [{ x: x - 2, y: Math.min(low, high), width: 4, height: Math.max(Math.abs(low - high), 1) }];
}

/** The steps of a front, for `placeLabels`. */
export function listStepBoxes(places: readonly PixelPoint[], end: number): Box[] {
  return places.flatMap(({ x, y }, index) => {
    const next = places[index + 1];
    const across = { x, y: y - 1, width: Math.max((next?.x ?? end) - x, 1), height: 2 };
    if (next === undefined) return [across];
    return [across, { x: next.x - 1, y: Math.min(y, next.y), width: 2, height: Math.max(Math.abs(next.y - y), 1) }];
  });
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
  const steps = listHullPlaces(members, x, y).map((place) => `${roundPixels(place.x)},${roundPixels(place.y)}`);
  return members.length < 2 ? "" : `M${steps.join("L")}`;
}

function listHullPlaces(members: readonly HullMember[], x: Axis, y: Axis): PixelPoint[] {
  return members
    .flatMap((member, index) => [member, ...interpolateMembers(member, members[index + 1])])
    .map(({ cost, quality }) => ({ x: x.toPixel(cost), y: y.toPixel(quality) }));
}

/** The hull, for `placeLabels`. */
export function listHullBoxes(members: readonly HullMember[], x: Axis, y: Axis): Box[] {
  return listHullPlaces(members, x, y).map((place) => ({ x: place.x - 1, y: place.y - 1, width: 2, height: 2 }));
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

/** What the look of a point depends on. */
interface LookedPoint {
  readonly system: string;
  readonly harness: string | null;
}

/** Color shows the system; shape shows the harness when there are several. */
export function chooseScatterLooks(
  points: readonly LookedPoint[],
  systems: readonly string[] | undefined,
): (point: LookedPoint) => SeriesLook {
  const bySystem = assignSystemLooks(
    systems,
    points.map(({ system }) => system),
  );
  const harnesses = listHarnesses(points);
  const byHarness = assignLooks(harnesses);
  return ({ system, harness }) => ({
    color: bySystem(system).color,
    shape: harnesses.length > 1 ? byHarness(harness ?? "").shape : bySystem(system).shape,
  });
}

/** The shapes of harnesses; empty when there is only one. Systems have their names beside them. */
export function buildHarnessLegend(points: readonly LookedPoint[]): LegendEntry[] {
  const harnesses = listHarnesses(points);
  const byHarness = assignLooks(harnesses);
  if (harnesses.length < 2) return [];
  return harnesses.map((harness) => ({
    name: harness || "no harness",
    glyph: { kind: "mark", color: "var(--quiet)", shape: byHarness(harness).shape },
  }));
}

function listHarnesses(points: readonly LookedPoint[]): string[] {
  return [...new Set(points.map(({ harness }) => harness ?? ""))].sort();
}

interface ValueAxisOptions {
  values: readonly number[];
  range: readonly [number, number];
  text: TickFormatter;
  count: number;
  scale: AxisScale;
  duration?: DurationUnit | undefined;
  view?: AxisView | undefined;
}

/** For costs and times: logarithmic unless chosen otherwise, since they differ by powers of ten. */
export function createScaledAxis({ scale, ...options }: ValueAxisOptions): InvertibleAxis {
  return scale === "log" ? createLogAxis(options) : createLinearAxis({ ...options, include: [0] });
}
