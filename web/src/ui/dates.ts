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
