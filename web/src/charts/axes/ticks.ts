import { formatNumber } from "../../ui/format.js";

/** Writes a value at an axis. */
export type TickFormatter = (value: number) => string;

const SUPERSCRIPT_DIGITS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** A number short enough for an axis; powers of ten where zeros would have to be counted. */
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

export function formatDollarTick(value: number): string {
  return `$${formatNumberTick(value)}`;
}

/** Seconds in the unit that reads best. */
export function formatSecondsTick(value: number): string {
  if (value >= 3600) return `${formatNumberTick(value / 3600)} h`;
  if (value >= 120) return `${formatNumberTick(value / 60)} min`;
  return value > 0 && value < 1 ? `${formatNumberTick(value * 1000)} ms` : `${formatNumberTick(value)} s`;
}

export function formatShareTick(value: number): string {
  return `${formatNumber(value * 100, 1)} %`;
}

/** Large counts in thousands and millions. */
export function formatCountTick(value: number): string {
  if (value >= 1e9) return formatNumberTick(value);
  if (value >= 1e6) return `${formatNumber(value / 1e6, 1)} M`;
  return value >= 1e4 ? `${formatNumber(value / 1e3, 1)} k` : formatNumberTick(value);
}

const MONTH_FORMAT = new Intl.DateTimeFormat("en-GB", { month: "short" });

/** A moment by what is new at it: the second, the time within a day, the day within a month, the month, the year. */
export function formatTimeTick(moment: Date): string {
  const [hours, minutes, seconds] = [moment.getHours(), moment.getMinutes(), moment.getSeconds()];
  if (seconds !== 0) return [hours, padTwoDigits(minutes), padTwoDigits(seconds)].join(":");
  if (hours !== 0 || minutes !== 0) return `${hours}:${padTwoDigits(minutes)}`;
  if (moment.getDate() !== 1) return `${moment.getDate()} ${MONTH_FORMAT.format(moment)}`;
  return moment.getMonth() === 0 ? String(moment.getFullYear()) : MONTH_FORMAT.format(moment);
}

function padTwoDigits(count: number): string {
  return String(count).padStart(2, "0");
}

/** The day of a run, such as `14 Nov`; empty when it has no date. */
export function formatDayTick(iso: string): string {
  const moment = new Date(iso);
  return Number.isNaN(moment.getTime()) ? "" : `${moment.getDate()} ${MONTH_FORMAT.format(moment)}`;
}
