import { extent, ticks as roundTicks } from "d3-array";
import { scaleLinear, scaleLog, scaleTime } from "d3-scale";
import { momentTick, type TickText } from "./ticks.js";

/** A place on an axis that carries a text. */
export interface Tick {
  readonly at: number;
  readonly text: string;
}

/** Where values stand, in pixels. */
export interface Axis {
  place(value: number): number;
  readonly ticks: readonly Tick[];
  /** The place of zero on an axis that cannot hold it. */
  readonly lane: number | null;
}

/** From where to where an axis runs, in pixels: upwards when the first is larger. */
type Reach = readonly [from: number, to: number];

interface AxisOptions {
  values: readonly (number | null)[];
  reach: Reach;
  text: TickText;
  /** About how many ticks. */
  count: number;
}

/** How much of a logarithmic axis the lane for zero takes, in pixels. */
const LANE = 44;
/** Nothing that is measured is beyond; powers of ten can be taken of all between. */
const SMALLEST = 1e-60;
const LARGEST = 1e60;

/** A logarithmic axis, with a lane for zero before its beginning when one of the values is zero. */
export function logAxis({ values, reach: [from, to], text, count }: AxisOptions): Axis {
  const positive = values.filter((value): value is number => value !== null && value > 0).map(bounded);
  const direction = Math.sign(to - from) || 1;
  const lane = values.includes(0) ? from + (direction * LANE) / 2 : null;
  const domain = logDomain(positive);
  const scale = scaleLog(domain, [lane === null ? from : from + direction * LANE, to]).clamp(true);
  return {
    lane,
    place: (value) => (value > 0 ? scale(bounded(value)) : (lane ?? from)),
    ticks:
      positive.length === 0 ? [] : logTicks(domain, count).map((value) => ({ at: scale(value), text: text(value) })),
  };
}

function bounded(value: number): number {
  return Math.min(Math.max(value, SMALLEST), LARGEST);
}

/** With some air on both sides, so that no mark sits on the edge. */
function logDomain(values: readonly number[]): [number, number] {
  const [low = 1, high = 1] = extent(values);
  const decades = Math.log10(high / low);
  const air = 10 ** (decades === 0 ? 0.5 : Math.max(0.12, decades * 0.07));
  return [low / air, high * air];
}

/** Powers of ten, fewer of them over many decades; with 2 and 5, or plain round numbers, over few. */
export function logTicks([low, high]: readonly [number, number], count: number): number[] {
  const first = Math.ceil(Math.log10(low));
  const last = Math.floor(Math.log10(high));
  const step = Math.max(1, Math.ceil((last - first + 1) / Math.max(2, count)));
  const powers: number[] = [];
  for (let power = first; power <= last; power += step) powers.push(Number(`1e${power}`));
  if (powers.length >= 3) return powers;
  const finer = between(low, high, [1, 2, 5]);
  return finer.length >= 2 && finer.length <= count + 2 ? finer : sparse(low, high, { powers, count });
}

function between(low: number, high: number, factors: readonly number[]): number[] {
  const found: number[] = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power++)
    for (const factor of factors) found.push(Number(`${factor}e${power}`));
  return found.filter((value) => value >= low && value <= high);
}

function sparse(low: number, high: number, { powers, count }: { powers: number[]; count: number }): number[] {
  if (powers.length >= 2) return powers;
  return roundTicks(low, high, count).filter((value) => value > 0);
}

interface LinearOptions extends AxisOptions {
  /** Values that the axis holds in any case, such as 0. */
  include?: readonly number[];
  /** The axis goes to no value beyond, such as 0 and 1 for shares, when no value does. */
  within?: readonly [number, number];
}

/** A linear axis from round number to round number. */
export function linearAxis({ values, reach, text, count, include = [], within }: LinearOptions): Axis {
  const [low = 0, high = 1] = extent([...values.filter((value) => value !== null), ...include]);
  const domain = within === undefined ? airy(low, high) : clamped(airy(low, high), { low, high, within });
  const scale = scaleLinear(domain, [...reach]).nice(count);
  const [start = 0, end = 1] = scale.domain();
  return {
    lane: null,
    place: (value) => scale(value),
    ticks: roundTicks(start, end, count).map((value) => ({ at: scale(value), text: text(value) })),
  };
}

/** Below this, values are 0 to an axis: there are no round numbers between numbers that are hardly any. */
const LEAST = 1e-290;

/** Values that differ by no more than a rounding get room around them: an axis without length has no places. */
function airy(low: number, high: number): [number, number] {
  const size = Math.max(Math.abs(low), Math.abs(high));
  if (high - low > Math.max(size * 1e-9, LEAST)) return [low, high];
  const air = size < LEAST ? 1 : size * 0.1;
  return [low - air, high + air];
}

interface Bounds {
  low: number;
  high: number;
  within: readonly [number, number];
}

function clamped([start, end]: [number, number], { low, high, within: [least, most] }: Bounds): [number, number] {
  return [low >= least ? Math.max(start, least) : start, high <= most ? Math.min(end, most) : end];
}

/** An axis of moments, in milliseconds since 1970. */
export function timeAxis({ values, reach: [from, to], count }: Omit<AxisOptions, "text">): Axis {
  const known = values.filter((value) => value !== null);
  const [low = 0, high = 0] = extent(known);
  const air = high > low ? (high - low) * 0.03 : 12 * 3600 * 1000;
  const scale = scaleTime([low - air, high + air], [from, to]);
  return {
    lane: null,
    place: (value) => scale(value),
    ticks:
      known.length === 0 ? [] : scale.ticks(count).map((moment) => ({ at: scale(moment), text: momentTick(moment) })),
  };
}
