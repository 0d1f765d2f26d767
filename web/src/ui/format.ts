import { formatNumber, formatDollars as formatPaid, formatPlural, formatSeconds } from "../../../src/report/format.js";

export { formatNumber, formatPlural, formatSeconds, formatShare } from "../../../src/report/format.js";

/** Stands for values that were not measured. */
export const MISSING = "–";

/**
 * A score or rate with a fixed number of digits, so that columns are aligned.
 * @example
 * formatScore(0.8234); // "0.82"
 */
export function formatScore(value: number | null | undefined, digits = 2): string {
  return value === null || value === undefined ? MISSING : value.toFixed(digits);
}

/** A cost of zero has no decimals, which would suggest a price. */
export function formatDollars(value: number | null | undefined): string {
  return value === 0 ? "$0" : formatPaid(value);
}

/**
 * The known cost of a run.
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

/** In seconds and minutes. */
export function formatMilliseconds(value: number | null | undefined): string {
  return value === null || value === undefined ? MISSING : formatSeconds(value / 1000);
}

const COUNT_FORMAT = new Intl.NumberFormat("en-US");

/**
 * A count with thousands separators.
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
 * A previous and a current value, with as many digits as needed to show a difference.
 * @example
 * formatStep(0.61, 0.74); // "0.61 → 0.74"
 * formatStep(0.611, 0.614); // "0.611 → 0.614"
 */
export function formatStep(before: number, after: number): string {
  if (before === after) return formatScore(after);
  const digits = [2, 3, 4].find((count) => before.toFixed(count) !== after.toFixed(count)) ?? 4;
  return `${formatScore(before, digits)} → ${formatScore(after, digits)}`;
}

/** The relative change, such as `+12 %`; a dash when the first value is 0. */
export function formatGrowth(before: number, after: number): string {
  if (before === 0) return MISSING;
  const percent = (after / before - 1) * 100;
  return `${percent >= 0 ? "+" : "−"}${formatNumber(Math.abs(percent), 0)} %`;
}

/** A date and time, such as `14 Nov 2026, 16:05`, in the local time zone by default. */
export function formatMoment(iso: string, timeZone?: string): string {
  return formatDate(iso, MOMENT_FORMAT, timeZone);
}

/** A time of day, such as `16:05`. */
export function formatTime(iso: string, timeZone?: string): string {
  return formatDate(iso, TIME_FORMAT, timeZone);
}

/** A day, such as `14 Nov 2026`. */
export function formatDay(iso: string, timeZone?: string): string {
  return formatDate(iso, DAY_FORMAT, timeZone);
}

// Created once: that takes a hundred times longer than using one, and a list has thousands of dates.
const DAY_FORMAT = createDateFormat({ day: "numeric", month: "short", year: "numeric" });
const TIME_FORMAT = createDateFormat({ hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const MOMENT_FORMAT = createDateFormat({ ...DAY_FORMAT.options, ...TIME_FORMAT.options });

interface DateFormat {
  options: Intl.DateTimeFormatOptions;
  local: Intl.DateTimeFormat;
}

function createDateFormat(options: Intl.DateTimeFormatOptions): DateFormat {
  return { options, local: new Intl.DateTimeFormat("en-GB", options) };
}

function formatDate(iso: string, { options, local }: DateFormat, timeZone: string | undefined): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return iso;
  const format = timeZone === undefined ? local : new Intl.DateTimeFormat("en-GB", { ...options, timeZone });
  return format.format(date);
}

/** The local day as in date fields, such as `2026-11-14`; empty for an invalid date. */
export function getLocalDay(iso: string): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return "";
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()]
    .map((part) => String(part).padStart(2, "0"))
    .join("-");
}

/** Both days are included; a missing one is no limit. */
export interface DayRange {
  from?: string | undefined;
  to?: string | undefined;
}

export function isWithinDays(iso: string, { from, to }: DayRange): boolean {
  if (!from && !to) return true;
  const day = getLocalDay(iso);
  return (!from || day >= from) && (!to || day <= to);
}
