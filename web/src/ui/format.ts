import { formatNumber, formatDollars as formatPaid, formatPlural, formatSeconds } from "../../../src/report/format.js";

export { formatNumber, formatPlural, formatSeconds, formatShare } from "../../../src/report/format.js";

/** What stands where nothing was measured. */
export const MISSING = "–";

/**
 * A score or rate, always with the same number of digits, so that a column of them is aligned.
 * @example
 * formatScore(0.8234); // "0.82"
 */
export function formatScore(value: number | null | undefined, digits = 2): string {
  return value === null || value === undefined ? MISSING : value.toFixed(digits);
}

/** Dollars; what is free has no digits that suggest a price. */
export function formatDollars(value: number | null | undefined): string {
  return value === 0 ? "$0" : formatPaid(value);
}

/**
 * What a run cost, as far as it is known.
 * @example
 * formatRunCost({ costUsd: 3.13, unpricedSystems: 1 }); // "≥ $3.13, 1 system without a price"
 */
export function formatRunCost({
  costUsd,
  unpricedSystems,
}: {
  costUsd: number | null;
  unpricedSystems: number;
}): string {
  if (costUsd === null || unpricedSystems === 0) return formatDollars(costUsd);
  return `≥ ${formatDollars(costUsd)}, ${formatPlural(unpricedSystems, "system")} without a price`;
}

/**
 * A value with its interval.
 * @example
 * formatInterval({ value: 0.82, low: 0.75, high: 0.88 }); // "0.82 [0.75, 0.88]"
 */
export function formatInterval({ value, low, high }: Interval, format: Formatter = formatScore): string {
  if (value === null) return MISSING;
  return low === null || high === null ? format(value) : `${format(value)} [${format(low)}, ${format(high)}]`;
}

export interface Interval {
  value: number | null;
  low: number | null;
  high: number | null;
}

export type Formatter = (value: number | null) => string;

/** Milliseconds, as seconds and minutes. */
export function formatMilliseconds(value: number | null | undefined): string {
  return value === null || value === undefined ? MISSING : formatSeconds(value / 1000);
}

const COUNT_FORMAT = new Intl.NumberFormat("en-US");

/**
 * A count with its thousands apart.
 * @example
 * formatCount(12345); // "12,345"
 */
export function formatCount(value: number | null | undefined): string {
  return value === null || value === undefined ? MISSING : COUNT_FORMAT.format(value);
}

/** `1 run`, `20,000 runs`. */
export function formatQuantity(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/**
 * A value and what it was before, with as many digits as it takes to tell them apart.
 * @example
 * formatStep(0.61, 0.74); // "0.61 → 0.74"
 * formatStep(0.611, 0.614); // "0.611 → 0.614"
 */
export function formatStep(before: number, after: number): string {
  if (before === after) return formatScore(after);
  const digits = [2, 3, 4].find((count) => before.toFixed(count) !== after.toFixed(count)) ?? 4;
  return `${formatScore(before, digits)} → ${formatScore(after, digits)}`;
}

/** How much larger or smaller a value is than another, such as `+12 %`; a dash when the first was 0. */
export function formatGrowth(before: number, after: number): string {
  if (before === 0) return MISSING;
  const percent = (after / before - 1) * 100;
  return `${percent >= 0 ? "+" : "−"}${formatNumber(Math.abs(percent), 0)} %`;
}
