import { formatNumber, MISSING } from "./format.js";

/** One unit and one precision for all values of a column, so that they can be compared at a glance. */
export interface ColumnFormat {
  /** Shown in the head of the column, such as "s" or "$ per 1,000". */
  readonly unit: string;
  readonly format: (value: number | null) => string;
}

export type ColumnKind = "score" | "share" | "usd" | "seconds" | "ms" | "count" | "rank" | "number";

/**
 * Chooses the unit by the largest value, or minutes and hours by the middle one, and the precision by the smallest one.
 * @example
 * chooseColumnFormat("seconds", [0.62, 41.3]).format(0.62); // "0.62"
 * chooseColumnFormat("usd", [0.000057, 0.0172]).unit; // "$ per 1,000"
 */
export function chooseColumnFormat(kind: ColumnKind, values: readonly (number | null)[]): ColumnFormat {
  const sizes = values.flatMap((value) => (value === null || value === 0 ? [] : [Math.abs(value)]));
  const sorted = sizes.toSorted((a, b) => a - b);
  const [least = 1, middle = 1, most = 1] = [sorted[0], sorted[sorted.length >> 1], sorted.at(-1)];
  if (kind === "score") return createFormat("", 1, 3);
  if (kind === "share") return createFormat("%", 100, 1);
  if (kind === "usd") return chooseDollars(least, most);
  if (kind === "seconds") return chooseSeconds(middle, most);
  if (kind === "ms") return scaleFormat(chooseSeconds(middle / 1000, most / 1000), 1 / 1000);
  if (kind === "rank" || kind === "count")
    return createFormat("", 1, sizes.every(Number.isInteger) ? 0 : countDigits(least, 2));
  return { unit: "", format: (value) => formatNumber(value, 3) };
}

/** The value to mark in a column. Null when there is nothing to choose from, or when most are equally good. */
export function findBestValue(values: readonly number[], isHigh: boolean): number | null {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const best = isHigh ? most : least;
  const count = values.filter((value) => value === best).length;
  return values.length < 2 || least === most || count * 2 > values.length ? null : best;
}

const MINUTE = 60;
const HOUR = 3600;

/** One slow system must not turn the minutes of all others into hundredths of an hour. */
function chooseSeconds(middle: number, most: number): ColumnFormat {
  if (most < 1) return createFormat("ms", 1000, most < 0.01 ? 3 : most < 0.1 ? 1 : 0);
  if (most < 10) return createFormat("s", 1, 2);
  if (middle < 2 * MINUTE) return createFormat("s", 1, 1);
  return middle < 2 * HOUR ? createFormat("min", 1 / MINUTE, 1) : createFormat("h", 1 / HOUR, 2);
}

/** If a cost is below a tenth of a cent, all of the column are given for a thousand. */
const MIN_DOLLARS = 0.001;

function chooseDollars(least: number, most: number): ColumnFormat {
  if (least < MIN_DOLLARS && most < 1000 * MIN_DOLLARS)
    return createFormat("$ per 1,000", 1000, countDigits(least * 1000, 2));
  return createFormat("$", 1, countDigits(least, 2));
}

const MAX_DIGITS = 3;

/** Enough decimals for the smallest value to keep two digits, within limits. */
function countDigits(least: number, digits: number): number {
  return Math.min(MAX_DIGITS, Math.max(digits, digits - 1 - Math.floor(Math.log10(least))));
}

function createFormat(unit: string, factor: number, digits: number): ColumnFormat {
  const text = new Intl.NumberFormat("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  const smallest = 10 ** -digits;
  return {
    unit,
    format: (value) => {
      if (value === null) return MISSING;
      const scaled = value * factor;
      // A value that is too small for the column is not zero.
      if (scaled !== 0 && Math.abs(scaled) < smallest / 2) return `< ${text.format(smallest)}`;
      return text.format(scaled);
    },
  };
}

function scaleFormat({ unit, format }: ColumnFormat, factor: number): ColumnFormat {
  return { unit, format: (value) => format(value === null ? null : value * factor) };
}
