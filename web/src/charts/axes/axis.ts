import { extent, ticks as roundTicks } from "d3-array";
import { scaleLinear, scaleLog, scaleTime } from "d3-scale";
import { formatTimeTick, type TickFormatter } from "./ticks.js";

/** A place on an axis that carries a text. */
export interface Tick {
  readonly at: number;
  readonly text: string;
}

/** Where values stand, in pixels. */
export interface Axis {
  toPixel(value: number): number;
  readonly ticks: readonly Tick[];
  /** The place of zero on an axis that cannot hold it. */
  readonly zeroPosition: number | null;
}

/** From where to where an axis runs, in pixels: upwards when the first is larger. */
type PixelRange = readonly [from: number, to: number];

interface AxisOptions {
  values: readonly (number | null)[];
  range: PixelRange;
  text: TickFormatter;
  /** About how many ticks. */
  count: number;
}

/** How much of a logarithmic axis the lane for zero takes, in pixels. */
const ZERO_LANE_WIDTH = 44;
/** Nothing that is measured is beyond; powers of ten can be taken of all between. */
const MIN_LOG_VALUE = 1e-60;
const MAX_LOG_VALUE = 1e60;

/** A logarithmic axis, with a lane for zero before its beginning when one of the values is zero. */
export function createLogAxis({ values, range: [from, to], text, count }: AxisOptions): Axis {
  const positive = values.filter((value): value is number => value !== null && value > 0).map(clampToLogRange);
  const direction = Math.sign(to - from) || 1;
  const zero = values.includes(0) ? from + (direction * ZERO_LANE_WIDTH) / 2 : null;
  const domain = computeLogDomain(positive);
  const scale = scaleLog(domain, [zero === null ? from : from + direction * ZERO_LANE_WIDTH, to]).clamp(true);
  return {
    zeroPosition: zero,
    toPixel: (value) => (value > 0 ? scale(clampToLogRange(value)) : (zero ?? from)),
    ticks:
      positive.length === 0
        ? []
        : listLogTicks(domain, count).map((value) => ({ at: scale(value), text: text(value) })),
  };
}

function clampToLogRange(value: number): number {
  return Math.min(Math.max(value, MIN_LOG_VALUE), MAX_LOG_VALUE);
}

/** With some air on both sides, so that no mark sits on the edge. */
function computeLogDomain(values: readonly number[]): [number, number] {
  const [low = 1, high = 1] = extent(values);
  const decades = Math.log10(high / low);
  const air = 10 ** (decades === 0 ? 0.5 : Math.max(0.12, decades * 0.07));
  return [low / air, high * air];
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
  /** Values that the axis holds in any case, such as 0. */
  include?: readonly number[];
  /** The axis goes to no value beyond, such as 0 and 1 for shares, when no value does. */
  within?: readonly [number, number];
}

/** A linear axis from round number to round number. */
export function createLinearAxis({ values, range, text, count, include = [], within }: LinearAxisOptions): Axis {
  const [low = 0, high = 1] = extent([...values.filter((value) => value !== null), ...include]);
  const domain =
    within === undefined ? ensureSpan(low, high) : clampDomain(ensureSpan(low, high), { low, high, within });
  const scale = scaleLinear(domain, [...range]).nice(count);
  const [start = 0, end = 1] = scale.domain();
  return {
    zeroPosition: null,
    toPixel: (value) => scale(value),
    ticks: roundTicks(start, end, count).map((value) => ({ at: scale(value), text: text(value) })),
  };
}

/** Below this, values are 0 to an axis: there are no round numbers between numbers that are hardly any. */
const MIN_SPAN = 1e-290;

/** Values that differ by no more than a rounding get room around them: an axis without length has no places. */
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

/** An axis of moments, in milliseconds since 1970. */
export function createTimeAxis({ values, range: [from, to], count }: Omit<AxisOptions, "text">): Axis {
  const known = values.filter((value) => value !== null);
  const [low = 0, high = 0] = extent(known);
  const air = high > low ? (high - low) * 0.03 : 12 * 3600 * 1000;
  const scale = scaleTime([low - air, high + air], [from, to]);
  return {
    zeroPosition: null,
    toPixel: (value) => scale(value),
    ticks:
      known.length === 0
        ? []
        : scale.ticks(count).map((moment) => ({ at: scale(moment), text: formatTimeTick(moment) })),
  };
}
