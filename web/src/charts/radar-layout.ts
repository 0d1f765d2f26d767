import { max } from "d3-array";
import { scaleLinear } from "d3-scale";
import { formatCount, formatDollars, formatSeconds } from "../ui/index.js";
import { createLinearAxis, formatCountTick, formatDollarTick, formatSecondsTick, type TickFormatter } from "./axes.js";
import { estimateTextWidth, formatName, truncateName } from "./names.js";
import type { Box, Mark } from "./plot.js";

/** One measure of each system, of which less is better. */
export interface RadarMeasure {
  readonly unit: "seconds" | "usd" | "tokens";
  /** Larger values are drawn at this one; null when nothing was measured. */
  readonly limit: number | null;
  readonly spokes: readonly RadarSpoke[];
}

export interface RadarSpoke {
  readonly system: string;
  readonly value: number | null;
  readonly isClipped: boolean;
}

interface UnitWords {
  /** The whole value, for labels and tables. */
  format: (value: number | null) => string;
  tick: TickFormatter;
  measure: string;
  best: string;
  worst: string;
  missing: string;
  /** Why a system has no spoke. */
  notShown: string;
}

export const UNIT_WORDS: Readonly<Record<RadarMeasure["unit"], UnitWords>> = {
  seconds: {
    format: formatSeconds,
    tick: formatSecondsTick,
    measure: "Median time to success",
    best: "fastest",
    worst: "slowest",
    missing: "No time to success was measured.",
    notShown: "nothing passed, or not measured",
  },
  usd: {
    format: formatDollars,
    tick: formatDollarTick,
    measure: "Cost per success",
    best: "cheapest",
    worst: "most expensive",
    missing: "No cost per success is known: nothing passed, or nothing has a price.",
    notShown: "nothing passed, or the cost is not known",
  },
  tokens: {
    format: formatCount,
    tick: formatCountTick,
    measure: "Output tokens per success",
    best: "shortest",
    worst: "longest",
    missing: "No cost per success is known: nothing passed, or nothing has a price or a number of tokens.",
    notShown: "nothing passed, or no output tokens are known",
  },
};

export type MeasuredSpoke = RadarSpoke & { readonly value: number };

export function isMeasuredSpoke(spoke: RadarSpoke): spoke is MeasuredSpoke {
  return spoke.value !== null;
}

/** The end of the spokes. */
export function computeReach({ spokes, limit }: RadarMeasure): number {
  const largest = max(spokes, ({ value }) => value ?? 0) ?? 0;
  const reach = Math.min(largest, limit ?? largest);
  return reach > 0 ? reach : 1;
}

interface RadarPoint {
  system: string;
  isClipped: boolean;
  x: number;
  y: number;
}

interface RadarName {
  system: string;
  text: string;
  /** The real value, also of a clipped system. */
  value: string;
  x: number;
  /** The line that the letters of the name stand on. */
  y: number;
  anchor: "start" | "middle" | "end";
  /** Around the name and its value. */
  box: Box;
}

interface RadarLayout {
  height: number;
  middle: { x: number; y: number };
  radius: number;
  /** The outermost is marked when values are clipped there. */
  rings: readonly { radius: number; text: string; isCut: boolean }[];
  spokes: readonly { system: string; x: number; y: number }[];
  names: readonly RadarName[];
  points: readonly RadarPoint[];
  marks: readonly Mark[];
}

const MIN_RADIUS = 50;
/** Above and below the circle: for a name and its value, which neighbors may push outwards. */
const NAME_MARGIN = 52;
/** Names wider than this are cut rather than that the circle shrinks; values are never cut. */
const MAX_NAME_SHARE = 0.26;
const MAX_NAME_WIDTH = 130;
const MAX_CENTERED_WIDTH = 200;
const NAME_GAP = 10;
/** Two lines of small text. */
const NAME_HEIGHT = 30;
const NAME_BASELINE = 12;
/** Rings nearer to the outermost one would put their label on its label. */
const MAX_INNER_RING = 0.88;
/** There is no room for "(clipped)" beside a value; the ring, the hollow mark and the note say it. */
const NARROW_RADAR = 480;

/** The lowest value is at the top, the others follow clockwise; systems without a value have no spoke. */
export function computeRadarLayout(measure: RadarMeasure, width: number): RadarLayout {
  const { unit } = measure;
  const measured = measure.spokes.filter(isMeasuredSpoke);
  const height = Math.round(Math.min(Math.max(width * 0.62, 300), 400));
  const middle = { x: width / 2, y: height / 2 };
  const labels = measured.map((spoke, index): RadarLabel => {
    const angle = (index / measured.length) * 2 * Math.PI - Math.PI / 2;
    const isMarked = spoke.isClipped && width >= NARROW_RADAR;
    const value = `${UNIT_WORDS[unit].format(spoke.value)}${isMarked ? " (clipped)" : ""}`;
    return { system: spoke.system, value, across: Math.cos(angle), down: Math.sin(angle) };
  });
  const radius = computeRadius(labels, { width, height });
  const scale = scaleLinear([0, computeReach(measure)], [0, radius]).clamp(true);
  const at = ({ across, down }: RadarLabel, distance: number) => ({
    x: middle.x + across * distance,
    y: middle.y + down * distance,
  });
  const points = labels.map((label, index) => ({
    system: label.system,
    isClipped: measured[index]?.isClipped ?? false,
    ...at(label, scale(measured[index]?.value ?? 0)),
  }));
  return {
    height,
    middle,
    radius,
    rings: listRings(measure, { radius, reach: computeReach(measure) }),
    spokes: labels.map((label) => ({ system: label.system, ...at(label, radius) })),
    names: placeRadarNames(labels, { middle, radius, width }),
    points,
    marks: measured.flatMap((spoke, index) => {
      const point = points[index];
      return point === undefined ? [] : [{ ...describeSpoke(spoke, unit), x: point.x, y: point.y }];
    }),
  };
}

interface RadarLabel {
  readonly system: string;
  readonly value: string;
  /** The direction of its spoke. */
  readonly across: number;
  readonly down: number;
}

function isCentered({ across }: RadarLabel): boolean {
  return Math.abs(across) < 0.05;
}

/** As large as the height allows and as the labels beside the circle leave room for. */
function computeRadius(labels: readonly RadarLabel[], { width, height }: { width: number; height: number }): number {
  const nameRoom = Math.min(MAX_NAME_WIDTH, width * MAX_NAME_SHARE);
  const limits = labels
    .filter((label) => !isCentered(label))
    .map(({ system, value, across }) => {
      const text = Math.max(
        estimateTextWidth(value),
        Math.min(estimateTextWidth(truncateName(system, nameRoom)), nameRoom),
      );
      return (width / 2 - text) / Math.abs(across) - NAME_GAP;
    });
  return Math.max(MIN_RADIUS, Math.min(height / 2 - NAME_MARGIN, ...limits));
}

interface NameSpace {
  middle: { x: number; y: number };
  radius: number;
  width: number;
}

/** Outside of the circle; those at the top and the bottom keep clear of their neighbors. */
function placeRadarNames(labels: readonly RadarLabel[], space: NameSpace): RadarName[] {
  const beside = [1, -1].flatMap((side) =>
    placeSide(
      labels.filter((label) => !isCentered(label) && label.across * side > 0),
      space,
    ),
  );
  const taken = beside.map(({ box }) => box);
  const centered = labels.filter(isCentered).map((label) => placeCenteredName(label, space, taken));
  const names = new Map([...beside, ...centered].map((name) => [name.system, name]));
  return labels.flatMap(({ system }) => names.get(system) ?? []);
}

/** The labels of one side, each moved away from the middle until it is clear of the one before it. */
function placeSide(labels: readonly RadarLabel[], space: NameSpace): RadarName[] {
  const lower = labels.filter(({ down }) => down > -0.01).sort((a, b) => a.down - b.down);
  const upper = labels.filter((label) => !lower.includes(label)).sort((a, b) => b.down - a.down);
  const below = stackNames(lower, 1, space);
  const above = stackNames(upper, -1, space, below[0]?.box.y);
  return [...above, ...below];
}

function stackNames(
  labels: readonly RadarLabel[],
  direction: 1 | -1,
  space: NameSpace,
  start = direction * Number.NEGATIVE_INFINITY,
): RadarName[] {
  let edge = start;
  return labels.map((label) => {
    const name = placeNameBeside(label, space);
    const top = direction === 1 ? Math.max(name.box.y, edge) : Math.min(name.box.y, edge - NAME_HEIGHT);
    edge = direction === 1 ? top + NAME_HEIGHT : top;
    return { ...name, y: top + NAME_BASELINE, box: { ...name.box, y: top } };
  });
}

function placeNameBeside(label: RadarLabel, { middle, radius, width }: NameSpace): RadarName {
  const isRight = label.across > 0;
  const x = middle.x + label.across * (radius + NAME_GAP);
  const text = truncateName(label.system, isRight ? width - x : x);
  const wide = Math.max(estimateTextWidth(text), estimateTextWidth(label.value));
  // How far above or below the middle the box begins: the circle is that high beside it.
  const near = radius + NAME_GAP - 4;
  const clear = Math.sqrt(Math.max(0, near ** 2 - (x - middle.x) ** 2));
  const center = label.down * (radius + NAME_GAP);
  const offset =
    label.down < 0
      ? Math.min(center - NAME_HEIGHT / 2, -clear - NAME_HEIGHT)
      : Math.max(center - NAME_HEIGHT / 2, clear);
  // Beside the middle, a label may span it.
  const top = middle.y + (clear === 0 ? center - NAME_HEIGHT / 2 : offset);
  return {
    ...describeRadarName(label, text),
    x,
    y: top + NAME_BASELINE,
    anchor: isRight ? "start" : "end",
    box: { x: isRight ? x : x - wide, y: top, width: wide, height: NAME_HEIGHT },
  };
}

function placeCenteredName(label: RadarLabel, { middle, radius }: NameSpace, taken: readonly Box[]): RadarName {
  const text = truncateName(label.system, MAX_CENTERED_WIDTH);
  const wide = Math.max(estimateTextWidth(text), estimateTextWidth(label.value));
  const left = middle.x - wide / 2;
  const others = taken.filter((box) => box.x < left + wide + 4 && left - 4 < box.x + box.width);
  const isBelow = label.down > 0;
  const edge = middle.y + (isBelow ? radius + NAME_GAP : -radius - NAME_GAP);
  const top = isBelow
    ? Math.max(edge, ...others.filter((box) => box.y > middle.y).map((box) => box.y + box.height))
    : Math.min(edge, ...others.filter((box) => box.y < middle.y).map((box) => box.y)) - NAME_HEIGHT;
  return {
    ...describeRadarName(label, text),
    x: middle.x,
    y: top + NAME_BASELINE,
    anchor: "middle",
    box: { x: left, y: top, width: wide, height: NAME_HEIGHT },
  };
}

function describeRadarName({ system, value }: RadarLabel, text: string): Pick<RadarName, "system" | "text" | "value"> {
  return { system, text, value };
}

function listRings(
  { unit, spokes }: RadarMeasure,
  { radius, reach }: { radius: number; reach: number },
): RadarLayout["rings"] {
  const { tick } = UNIT_WORDS[unit];
  const isCut = spokes.some(({ isClipped }) => isClipped);
  const { ticks, toPixel } = createLinearAxis({
    values: [0, reach],
    range: [0, radius],
    text: tick,
    count: 4,
    ...(unit === "seconds" ? { duration: "s" as const } : {}),
  });
  // A linear axis ends at a round number, the spokes at the largest value.
  const end = toPixel(reach) || 1;
  const inner = ticks.flatMap(({ at, text }) => {
    const share = at / end;
    return share > 0.01 && share <= (isCut ? MAX_INNER_RING : 1)
      ? [{ radius: share * radius, text, isCut: false }]
      : [];
  });
  return isCut ? [...inner, { radius, text: "clipped", isCut }] : inner;
}

/** A mark without its position. */
export function describeSpoke(
  { system, value, isClipped }: RadarSpoke,
  unit: RadarMeasure["unit"],
): Omit<Mark, "x" | "y"> {
  const { measure, format } = UNIT_WORDS[unit];
  return {
    id: system,
    series: "all",
    title: formatName(system),
    facts: [[measure, `${format(value)}${isClipped ? " (clipped in the chart)" : ""}`]],
    selection: { system },
  };
}
