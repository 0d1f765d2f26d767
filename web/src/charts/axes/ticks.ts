import { formatNumber } from "../../ui/format.js";

/** Writes a value at an axis. */
export type TickText = (value: number) => string;

const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** A number short enough for an axis; powers of ten where zeros would have to be counted. */
export function numberTick(value: number): string {
  const size = Math.abs(value);
  if (value === 0 || (size >= 1e-4 && size < 1e6)) return formatNumber(value, 4);
  const power = Math.floor(Math.log10(size) + 1e-9);
  const factor = formatNumber(value / 10 ** power, 1);
  return `${factor === "1" ? "" : `${factor}·`}10${raised(power)}`;
}

function raised(power: number): string {
  return String(power).replace(/./g, (letter) => (letter === "-" ? "⁻" : (RAISED[Number(letter)] ?? "")));
}

export function dollarsTick(value: number): string {
  return `$${numberTick(value)}`;
}

/** Seconds in the unit that reads best. */
export function secondsTick(value: number): string {
  if (value >= 3600) return `${numberTick(value / 3600)} h`;
  if (value >= 120) return `${numberTick(value / 60)} min`;
  return value > 0 && value < 1 ? `${numberTick(value * 1000)} ms` : `${numberTick(value)} s`;
}

export function shareTick(value: number): string {
  return `${formatNumber(value * 100, 1)} %`;
}

/** Large counts in thousands and millions. */
export function countTick(value: number): string {
  if (value >= 1e9) return numberTick(value);
  if (value >= 1e6) return `${formatNumber(value / 1e6, 1)} M`;
  return value >= 1e4 ? `${formatNumber(value / 1e3, 1)} k` : numberTick(value);
}

const MONTH = new Intl.DateTimeFormat("en-GB", { month: "short" });

/** A moment by what is new at it: the second, the time within a day, the day within a month, the month, the year. */
export function momentTick(moment: Date): string {
  const [hours, minutes, seconds] = [moment.getHours(), moment.getMinutes(), moment.getSeconds()];
  if (seconds !== 0) return [hours, twoDigits(minutes), twoDigits(seconds)].join(":");
  if (hours !== 0 || minutes !== 0) return `${hours}:${twoDigits(minutes)}`;
  if (moment.getDate() !== 1) return `${moment.getDate()} ${MONTH.format(moment)}`;
  return moment.getMonth() === 0 ? String(moment.getFullYear()) : MONTH.format(moment);
}

function twoDigits(count: number): string {
  return String(count).padStart(2, "0");
}

/** The day of a run, such as `14 Nov`; empty when it has no date. */
export function dayTick(iso: string): string {
  const moment = new Date(iso);
  return Number.isNaN(moment.getTime()) ? "" : `${moment.getDate()} ${MONTH.format(moment)}`;
}
