import { extent, ticks as roundTicks } from "d3-array";
import { scaleLinear, scaleLog, scaleTime } from "d3-scale";
import { formatNumber } from "../ui/index.js";
import { estimateTextWidth } from "./names.js";

export interface Tick {
  readonly at: number;
  readonly text: string;
}

/** Maps values to pixels. */
export interface Axis {
  readonly toPixel: (value: number) => number;
  readonly ticks: readonly Tick[];
  /** Where zero is drawn on an axis that cannot hold it. */
  readonly zeroPosition: number | null;
}

/** An axis that can tell the value at a pixel, so that a part of the chart can be selected. */
export interface InvertibleAxis extends Axis {
  readonly toValue: (pixel: number) => number;
}

/** The part of an axis that is shown after zooming in, in values. */
export type AxisView = readonly [low: number, high: number];

/** In pixels; upwards when the first is larger. */
type PixelRange = readonly [from: number, to: number];

interface AxisOptions {
  values: readonly (number | null)[];
  range: PixelRange;
  text: TickFormatter;
  /** An approximate number of ticks. */
  count: number;
  /** Set when the values are durations: ticks are then round in seconds, minutes or hours. */
  duration?: DurationUnit | undefined;
  /** Default: all values. */
  view?: AxisView | undefined;
}

export type DurationUnit = "s" | "ms";

/** In pixels, of a logarithmic axis. */
const ZERO_LANE_WIDTH = 44;
/** Beyond these, powers of ten overflow. */
const MIN_LOG_VALUE = 1e-60;
const MAX_LOG_VALUE = 1e60;

/** A logarithmic axis; zero gets a separate position before its beginning when one of the values is zero. */
export function createLogAxis({ values, range: [from, to], text, count, duration, view }: AxisOptions): InvertibleAxis {
  const positive = values.filter((value): value is number => value !== null && value > 0).map(clampToLogRange);
  const direction = Math.sign(to - from) || 1;
  const hasZero = values.includes(0) && (view === undefined || view[0] <= 0);
  const zero = hasZero ? from + (direction * ZERO_LANE_WIDTH) / 2 : null;
  const start = hasZero ? from + direction * ZERO_LANE_WIDTH : from;
  const domain = limitLogDomain(computeLogDomain(positive), view);
  const scale = scaleLog(domain, [start, to]).clamp(view === undefined);
  const ticks =
    duration === undefined ? listLogTicks(domain, count) : listLogDurationTicks(domain, { count, duration });
  return {
    zeroPosition: zero,
    toPixel: (value) => (value > 0 ? scale(clampToLogRange(value)) : (zero ?? from - (view ? direction * 1000 : 0))),
    toValue: (pixel) => (hasZero && (pixel - start) * direction < 0 ? 0 : scale.invert(pixel)),
    ticks: positive.length === 0 ? [] : ticks.map((value) => ({ at: scale(value), text: text(value) })),
  };
}

function clampToLogRange(value: number): number {
  return Math.min(Math.max(value, MIN_LOG_VALUE), MAX_LOG_VALUE);
}

/** With a margin on both sides, so that no mark is on the edge. */
function computeLogDomain(values: readonly number[]): [number, number] {
  const [low = 1, high = 1] = extent(values);
  const decades = Math.log10(high / low);
  const air = 10 ** (decades === 0 ? 0.5 : Math.max(0.12, decades * 0.07));
  return [low / air, high * air];
}

/** A view may begin at zero, which has a position of its own. */
function limitLogDomain([low, high]: [number, number], view: AxisView | undefined): [number, number] {
  if (view === undefined) return [low, high];
  const start = view[0] > 0 ? clampToLogRange(view[0]) : low;
  return [start, view[1] > start ? clampToLogRange(view[1]) : high];
}

/** Powers of ten, fewer of them over many decades; with 2 and 5, or plain round numbers, over few. */
export function listLogTicks([low, high]: readonly [number, number], count: number): number[] {
  const first = Math.ceil(Math.log10(low));
  const last = Math.floor(Math.log10(high));
  const step = Math.max(1, Math.ceil((last - first + 1) / Math.max(2, count)));
  const powers: number[] = [];
  for (let power = first; power <= last; power += step) powers.push(Number(`1e${power}`));
  if (powers.length >= 3) return powers;
  const finer = listMultiplesOfPowers(low, high, [1, 2, 5]);
  return finer.length >= 2 && finer.length <= count + 2 ? finer : chooseSparseTicks(low, high, { powers, count });
}

function listMultiplesOfPowers(low: number, high: number, factors: readonly number[]): number[] {
  const found: number[] = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power++)
    for (const factor of factors) found.push(Number(`${factor}e${power}`));
  return found.filter((value) => value >= low && value <= high);
}

function chooseSparseTicks(
  low: number,
  high: number,
  { powers, count }: { powers: number[]; count: number },
): number[] {
  if (powers.length >= 2) return powers;
  return roundTicks(low, high, count).filter((value) => value > 0);
}

interface LinearAxisOptions extends AxisOptions {
  /** Values that the axis always includes, such as 0. */
  include?: readonly number[];
  /** The axis does not extend beyond these limits, such as 0 and 1 for shares, unless a value does. */
  within?: readonly [number, number];
}

/** A linear axis that begins and ends at round numbers. */
export function createLinearAxis({
  values,
  range,
  text,
  count,
  duration,
  include = [],
  within,
  view,
}: LinearAxisOptions): InvertibleAxis {
  if (view !== undefined) return createLinearView({ range, text, count, duration, view });
  const [low = 0, high = 1] = extent([...values.filter((value) => value !== null), ...include]);
  const domain =
    within === undefined ? ensureSpan(low, high) : clampDomain(ensureSpan(low, high), { low, high, within });
  const scale = scaleLinear(domain, [...range]);
  const ticks =
    duration === undefined ? listNiceTicks(scale.nice(count), count) : listDurationTicks(domain, { count, duration });
  if (duration !== undefined) scale.domain([ticks[0] ?? 0, ticks.at(-1) ?? 1]);
  return {
    zeroPosition: null,
    toPixel: (value) => scale(value),
    toValue: (pixel) => scale.invert(pixel),
    ticks: ticks.map((value) => ({ at: scale(value), text: text(value) })),
  };
}

/** Begins and ends where the reader chose. */
function createLinearView({
  range,
  text,
  count,
  duration,
  view: [low, high],
}: Omit<AxisOptions, "values" | "view"> & { view: AxisView }): InvertibleAxis {
  const scale = scaleLinear([low, high], [...range]);
  const ticks =
    duration === undefined
      ? roundTicks(low, high, count)
      : listDurationTicks([low, high], { count, duration }).filter((value) => value >= low && value <= high);
  return {
    zeroPosition: null,
    toPixel: (value) => scale(value),
    toValue: (pixel) => scale.invert(pixel),
    ticks: ticks.map((value) => ({ at: scale(value), text: text(value) })),
  };
}

function listNiceTicks(scale: { domain(): number[] }, count: number): number[] {
  const [start = 0, end = 1] = scale.domain();
  return roundTicks(start, end, count);
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Durations that people read at a glance, from a second to half a day. */
const ROUND_SECONDS = [
  1,
  2,
  5,
  10,
  30,
  ...[1, 2, 5, 10, 30].map((minutes) => minutes * MINUTE),
  ...[1, 2, 6, 12].map((hours) => hours * HOUR),
];

interface DurationTickOptions {
  count: number;
  duration: DurationUnit;
}

/** Round durations within a span: decimal below a second and above a day. */
function listRoundDurations(low: number, high: number): number[] {
  const short = low < 1 ? listMultiplesOfPowers(low, Math.min(high, 0.999), [1, 2, 5]) : [];
  const long = high >= DAY ? listMultiplesOfPowers(Math.max(low, DAY) / DAY, high / DAY, [1, 2, 5]) : [];
  return [...short, ...ROUND_SECONDS, ...long.map((days) => days * DAY)].filter(
    (value) => value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9),
  );
}

const UNITS_PER_SECOND: Readonly<Record<DurationUnit, number>> = { s: 1, ms: 1000 };

/** Round durations are far apart on a logarithmic axis, so there is room for more of them than for other ticks. */
const DURATION_TICKS_SHARE = 1.6;

/** Round durations over a logarithmic span, thinned to about `count` of them. */
export function listLogDurationTicks(
  [low, high]: readonly [number, number],
  { count, duration }: DurationTickOptions,
): number[] {
  const factor = UNITS_PER_SECOND[duration];
  const all = listRoundDurations(low / factor, high / factor);
  const step = Math.max(1, Math.ceil(all.length / (DURATION_TICKS_SHARE * Math.max(count, 2))));
  const kept = all.filter((_, index) => index % step === 0);
  return (kept.length > 1 ? kept : listLogTicks([low / factor, high / factor], count)).map((value) => value * factor);
}

/** Multiples of a round duration that cover a span. */
export function listDurationTicks(
  [low, high]: readonly [number, number],
  { count, duration }: DurationTickOptions,
): number[] {
  const factor = UNITS_PER_SECOND[duration];
  const smallest = (high - low) / factor / Math.max(count, 2);
  const [step = smallest] = listRoundDurations(smallest, Math.max(smallest * 10, 2));
  const first = Math.floor(low / factor / step + 1e-9);
  const last = Math.ceil(high / factor / step - 1e-9);
  return Array.from({ length: last - first + 1 }, (_, index) =>
    Number(((first + index) * step * factor).toPrecision(12)),
  );
}

/** Smaller spans count as empty: there are no round numbers between subnormal numbers. */
const MIN_SPAN = 1e-290;

/** Widens a span that is only a rounding error: an axis without length has no positions. */
function ensureSpan(low: number, high: number): [number, number] {
  const size = Math.max(Math.abs(low), Math.abs(high));
  if (high - low > Math.max(size * 1e-9, MIN_SPAN)) return [low, high];
  const air = size < MIN_SPAN ? 1 : size * 0.1;
  return [low - air, high + air];
}

interface DomainBounds {
  low: number;
  high: number;
  within: readonly [number, number];
}

function clampDomain(
  [start, end]: [number, number],
  { low, high, within: [least, most] }: DomainBounds,
): [number, number] {
  return [low >= least ? Math.max(start, least) : start, high <= most ? Math.min(end, most) : end];
}

/** Nearer runs share a tick, in pixels. */
const MIN_RUN_TICK_DISTANCE = 6;

/** An axis of times, in milliseconds since 1970, with a tick at each of them and dates where there is room. */
export function createTimeAxis({
  values,
  range: [from, to],
  view,
}: Pick<AxisOptions, "values" | "range" | "view">): InvertibleAxis {
  const known = [...new Set(values.filter((value) => value !== null))].sort((a, b) => a - b);
  const [low = 0, high = 0] = extent(known);
  const air = high > low ? (high - low) * 0.03 : 12 * 3600 * 1000;
  const scale = scaleTime(view ?? [low - air, high + air], [from, to]);
  const shown = known.filter((value) => view === undefined || (value >= view[0] && value <= view[1]));
  const ticks: Tick[] = [];
  let [named, end]: [Date | null, number] = [null, 0];
  for (const value of shown) {
    const [at, moment] = [scale(value), new Date(value)];
    const text = formatTimeTick(moment, named);
    const half = estimateTextWidth(text) / 2;
    const place = Math.min(Math.max(at, half), to + MAX_OVERHANG - half);
    const hasRoom = place - half >= end;
    if (hasRoom) [named, end] = [moment, place + half + MIN_TICK_GAP];
    if (hasRoom || at - (ticks.at(-1)?.at ?? Number.NEGATIVE_INFINITY) >= MIN_RUN_TICK_DISTANCE)
      ticks.push({ at, text: hasRoom ? text : "" });
  }
  return {
    zeroPosition: null,
    toPixel: (value) => scale(value),
    toValue: (pixel) => scale.invert(pixel).getTime(),
    ticks,
  };
}

/** The rectangle in which the data are drawn. */
export interface PlotArea {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

interface AxisProps {
  axis: Axis;
  area: PlotArea;
  label: string;
  /** Shown where zero is. */
  zeroLabel?: string;
}

export function BottomAxis({ axis, area, label, zeroLabel }: AxisProps) {
  const from = axis.zeroPosition === null ? 0 : axis.zeroPosition + estimateTextWidth(zeroLabel ?? "") / 2 + 6;
  const texts = selectReadableTicks(axis.ticks, { from, right: area.right });
  return (
    <g class="axis" {...ARIA_HIDDEN}>
      <line class="base" x1={area.left} x2={area.right} y1={area.bottom} y2={area.bottom} />
      {axis.ticks.map(({ at }) => (
        <line key={at} class="grid" x1={at} x2={at} y1={area.top} y2={area.bottom} />
      ))}
      {texts.map(({ at, text }) => (
        <text key={at} x={at} y={area.bottom + 16} text-anchor="middle">
          {text}
        </text>
      ))}
      {axis.zeroPosition !== null && (
        <g>
          <line class="lane" x1={axis.zeroPosition + 22} x2={axis.zeroPosition + 22} y1={area.top} y2={area.bottom} />
          <text x={axis.zeroPosition} y={area.bottom + 16} text-anchor="middle">
            {zeroLabel}
          </text>
        </g>
      )}
      <text class="label" x={area.right} y={area.bottom + 34} text-anchor="end">
        {label}
      </text>
    </g>
  );
}

/** The label is above the axis, so that it can be read without turning the head. */
export function LeftAxis({ axis, area, label, zeroLabel }: AxisProps) {
  return (
    <g class="axis" {...ARIA_HIDDEN}>
      {axis.ticks.map(({ at, text }) => (
        <g key={at}>
          <line class="grid" x1={area.left} x2={area.right} y1={at} y2={at} />
          <text x={area.left - 8} y={at} dy="0.32em" text-anchor="end">
            {text}
          </text>
        </g>
      ))}
      {axis.zeroPosition !== null && (
        <g>
          <line class="lane" x1={area.left} x2={area.right} y1={axis.zeroPosition - 22} y2={axis.zeroPosition - 22} />
          <text x={area.left - 8} y={axis.zeroPosition} dy="0.32em" text-anchor="end">
            {zeroLabel}
          </text>
        </g>
      )}
      <text class="label" x={0} y={12}>
        {label}
      </text>
    </g>
  );
}

/** Later dates are typing errors, and would squeeze the others together. */
const MAX_TIMESTAMP = Date.UTC(2200, 0);

/**
 * A date in milliseconds since 1970; null when it is invalid or after 2200.
 * @example
 * parseTimestamp("2026-11-14T12:00:00Z"); // 1794657600000
 * parseTimestamp("soon"); // null
 */
export function parseTimestamp(iso: string): number | null {
  const moment = Date.parse(iso);
  return moment >= 0 && moment < MAX_TIMESTAMP ? moment : null;
}

/** How far tick texts may extend beyond the area, in pixels. */
const MAX_OVERHANG = 12;
const MIN_TICK_GAP = 6;

/** Where texts fit: from the end of the zero label to a little beyond the right end of the area. */
interface TickRoom {
  from: number;
  right: number;
}

/** The ticks whose texts do not overlap the one before; texts at an edge are moved inwards. */
export function selectReadableTicks(ticks: readonly Tick[], { from, right }: TickRoom): Tick[] {
  const kept: Tick[] = [];
  let end = from;
  for (const { at, text } of [...ticks].sort((a, b) => a.at - b.at)) {
    const half = estimateTextWidth(text) / 2;
    const place = Math.min(Math.max(at, half), right + MAX_OVERHANG - half);
    if (text === "" || place - half < end) continue;
    end = place + half + MIN_TICK_GAP;
    kept.push({ at: place, text });
  }
  return kept;
}

export type TickFormatter = (value: number) => string;

const SUPERSCRIPT_DIGITS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** A number short enough for an axis; a power of ten where zeros would have to be counted. */
export function formatNumberTick(value: number): string {
  const size = Math.abs(value);
  if (value === 0 || (size >= 1e-4 && size < 1e6)) return formatNumber(value, 4);
  const power = Math.floor(Math.log10(size) + 1e-9);
  const factor = formatNumber(value / 10 ** power, 1);
  return `${factor === "1" ? "" : `${factor}·`}10${formatSuperscript(power)}`;
}

function formatSuperscript(power: number): string {
  return String(power).replace(/./g, (letter) => (letter === "-" ? "⁻" : (SUPERSCRIPT_DIGITS[Number(letter)] ?? "")));
}

/** Decimals, as in tables: `$0.00001`, never a power of ten beside them. */
export function formatDollarTick(value: number): string {
  if (value >= 1e6 && value < 1e9) return `$${formatNumber(value / 1e6, 1)} M`;
  return `$${value < 1e-3 && value >= 1e-9 ? formatDecimal(value) : formatNumberTick(value)}`;
}

function formatDecimal(value: number): string {
  return value.toFixed(2 - Math.floor(Math.log10(value) + 1e-9)).replace(/0+$/, "");
}

/**
 * A duration in one unit if it is round there, else in two.
 * @example
 * formatSecondsTick(300); // "5 min"
 * formatSecondsTick(5400); // "1 h 30 min"
 */
export function formatSecondsTick(value: number): string {
  if (value === 0) return "0 s";
  if (value < 1) return `${formatNumberTick(value * 1000)} ms`;
  if (value < MINUTE) return `${formatNumberTick(value)} s`;
  if (value >= DAY) return formatTwoUnits(value, { large: DAY, small: HOUR, names: ["d", "h"] });
  return value >= HOUR
    ? formatTwoUnits(value, { large: HOUR, small: MINUTE, names: ["h", "min"] })
    : formatTwoUnits(value, { large: MINUTE, small: 1, names: ["min", "s"] });
}

interface TwoUnits {
  large: number;
  small: number;
  names: readonly [string, string];
}

function formatTwoUnits(value: number, { large, small, names: [largeName, smallName] }: TwoUnits): string {
  const count = Math.round(value / small);
  const rest = count % (large / small);
  const whole = `${formatNumberTick(Math.floor(count / (large / small)))} ${largeName}`;
  return rest === 0 ? whole : `${whole} ${rest} ${smallName}`;
}

export function formatShareTick(value: number): string {
  return `${formatNumber(value * 100, 1)} %`;
}

export function formatCountTick(value: number): string {
  if (value >= 1e9) return formatNumberTick(value);
  if (value >= 1e6) return `${formatNumber(value / 1e6, 1)} M`;
  return value >= 1e4 ? `${formatNumber(value / 1e3, 1)} k` : formatNumberTick(value);
}

const MONTH_FORMAT = new Intl.DateTimeFormat("en-GB", { month: "short" });

/** The largest unit that differs from the tick named before: year, day, minute or second. */
function formatTimeTick(moment: Date, named: Date | null): string {
  const day = formatDay(moment);
  if (named === null) return day;
  if (named.getFullYear() !== moment.getFullYear()) return `${day} ${moment.getFullYear()}`;
  if (formatDay(named) !== day) return day;
  const minute = `${moment.getHours()}:${padTwoDigits(moment.getMinutes())}`;
  return moment.getTime() - named.getTime() < 60_000 ? `${minute}:${padTwoDigits(moment.getSeconds())}` : minute;
}

function formatDay(moment: Date): string {
  return `${moment.getDate()} ${MONTH_FORMAT.format(moment)}`;
}

function padTwoDigits(count: number): string {
  return String(count).padStart(2, "0");
}

/** The day of a run, such as `14 Nov`; empty when it has no date. */
export function formatDayTick(iso: string): string {
  const moment = new Date(iso);
  return Number.isNaN(moment.getTime()) ? "" : formatDay(moment);
}

/** Low enough for a wide screen, high enough for a phone. */
export function computeChartHeight(width: number): number {
  return Math.round(Math.min(Math.max(width * 0.5, 260), 400));
}

const MIN_LEFT_MARGIN = 40;

/** As wide as the widest label of the left axis. */
export function measureLeftMargin({ ticks }: Axis, zeroLabel = ""): number {
  const widths = [zeroLabel, ...ticks.map(({ text }) => text)].map(estimateTextWidth);
  return Math.max(MIN_LEFT_MARGIN, 12 + Math.max(...widths));
}

export function computePlotArea(width: number, height: number, left = 52): PlotArea {
  return { left, right: width - 14, top: 26, bottom: height - 42 };
}

export function computeTickCount({ left, right }: PlotArea, each = 76): number {
  return Math.max(2, Math.floor((right - left) / each));
}

/** For axes and names, which the labels of the marks repeat for screen readers. */
export const ARIA_HIDDEN = { "aria-hidden": "true" } as const;
