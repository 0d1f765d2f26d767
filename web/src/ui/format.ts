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

/** A day and a time, such as `14 Nov 2026, 16:05`, where the reader is unless a time zone is given. */
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

// Made once: making one costs a hundred times more than using it, and a list has thousands of dates.
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

/** The day of a moment as date fields write it, such as `2026-11-14`; empty when it is no moment. */
export function getLocalDay(iso: string): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return "";
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()]
    .map((part) => String(part).padStart(2, "0"))
    .join("-");
}

/** A first and a last day, both part of it; one that is not given is no limit. */
export interface DayRange {
  from?: string | undefined;
  to?: string | undefined;
}

/** Whether a moment lies within some days of the reader's calendar. */
export function isWithinDays(iso: string, { from, to }: DayRange): boolean {
  if (!from && !to) return true;
  const day = getLocalDay(iso);
  return (!from || day >= from) && (!to || day <= to);
}
