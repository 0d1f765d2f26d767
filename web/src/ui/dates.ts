/** A day and a time, such as `14 Nov 2026, 16:05`, where the reader is unless a time zone is given. */
export function formatMoment(iso: string, timeZone?: string): string {
  return shown(iso, { ...DAY, ...TIME, ...zone(timeZone) });
}

/** A time of day, such as `16:05`. */
export function formatTime(iso: string, timeZone?: string): string {
  return shown(iso, { ...TIME, ...zone(timeZone) });
}

/** A day, such as `14 Nov 2026`. */
export function formatDay(iso: string, timeZone?: string): string {
  return shown(iso, { ...DAY, ...zone(timeZone) });
}

const DAY = { day: "numeric", month: "short", year: "numeric" } as const;

const TIME = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;

function zone(timeZone: string | undefined): { timeZone?: string } {
  return timeZone === undefined ? {} : { timeZone };
}

function shown(iso: string, options: Intl.DateTimeFormatOptions): string {
  const date = new Date(iso);
  return Number.isNaN(date.getTime()) ? iso : new Intl.DateTimeFormat("en-GB", options).format(date);
}

/** The day of a moment as date fields write it, such as `2026-11-14`; empty when it is no moment. */
export function dayOf(iso: string): string {
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
export function isWithin(iso: string, { from, to }: DayRange): boolean {
  const day = dayOf(iso);
  return (!from || day >= from) && (!to || day <= to);
}
