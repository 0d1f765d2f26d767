import { formatNumber, MISSING } from "./format.js";

/** One unit and one precision for all values of a column, so that they can be compared at a glance. */
export interface ColumnFormat {
  /** Shown in the head of the column, such as "s" or "$ per 1,000". */
  readonly unit: string;
  readonly format: (value: number | null) => string;
}

export type ColumnKind = "score" | "share" | "usd" | "seconds" | "ms" | "count" | "rank" | "number";

/**
 * Chooses the unit by the largest value, and the precision by the smallest one.
 * @example
 * chooseColumnFormat("seconds", [0.62, 41.3]).format(0.62); // "0.62"
 * chooseColumnFormat("usd", [0.000057, 0.0172]).unit; // "$ per 1,000"
 */
export function chooseColumnFormat(kind: ColumnKind, values: readonly (number | null)[]): ColumnFormat {
  const sizes = values.flatMap((value) => (value === null || value === 0 ? [] : [Math.abs(value)]));
  const [least, most] = sizes.length === 0 ? [1, 1] : [Math.min(...sizes), Math.max(...sizes)];
  if (kind === "score") return createFormat("", 1, 3);
  if (kind === "share") return createFormat("%", 100, 1);
  if (kind === "usd") return chooseDollars(least, most);
  if (kind === "seconds") return chooseSeconds(most);
  if (kind === "ms") return scaleFormat(chooseSeconds(most / 1000), 1 / 1000);
  if (kind === "rank" || kind === "count")
    return createFormat("", 1, sizes.every(Number.isInteger) ? 0 : countDigits(least, 2));
  return { unit: "", format: (value) => formatNumber(value, 3) };
}

const MINUTE = 60;
const HOUR = 3600;

function chooseSeconds(most: number): ColumnFormat {
  if (most < 1) return createFormat("ms", 1000, most < 0.01 ? 3 : most < 0.1 ? 1 : 0);
  if (most < 10) return createFormat("s", 1, 2);
  if (most < 2 * MINUTE) return createFormat("s", 1, 1);
  return most < 2 * HOUR ? createFormat("min", 1 / MINUTE, 1) : createFormat("h", 1 / HOUR, 2);
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
