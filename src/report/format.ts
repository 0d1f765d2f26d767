import type { Summary } from "../core/result.js";
import { getOwn } from "../core/shape.js";

/** What a system is, as far as its trials show it. Columns that say nothing about a kind are not shown for it. */
export type SystemKind = "compressor" | "memory" | "model" | "agent" | "other";

/** Few digits, and a dash for a missing value. */
export function formatNumber(value: number | null | undefined, digits = 3): string {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (value === Number.POSITIVE_INFINITY) return "∞";
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return String(value);
  const size = Math.abs(value);
  if (size >= 1000) return value.toFixed(0);
  if (size >= 100) return value.toFixed(1);
  return size >= 0.001 ? String(Number(value.toFixed(digits))) : value.toPrecision(2);
}

export function formatShare(value: number | null | undefined): string {
  return value === null || value === undefined ? "–" : `${Number((value * 100).toFixed(1))} %`;
}

export function formatDollars(value: number | null | undefined): string {
  if (value === null || value === undefined) return "–";
  if (!Number.isFinite(value)) return "∞";
  return `$${value >= 0.01 || value === 0 ? value.toFixed(value >= 1 ? 2 : 4) : formatTinyAmount(value)}`;
}

/** Below this, nobody counts the zeros. */
const MIN_DECIMAL_AMOUNT = 1e-9;

/** Two digits after the zeros: one style from cents to billionths. */
function formatTinyAmount(value: number): string {
  const size = Math.abs(value);
  if (size >= 0.01 || size < MIN_DECIMAL_AMOUNT) return value.toPrecision(2);
  return value.toFixed(1 - Math.floor(Math.log10(size)));
}

export function formatSeconds(value: number | null | undefined): string {
  if (value === null || value === undefined) return "–";
  const whole = Math.round(value);
  const minutes = Math.round(value / 60);
  if (whole >= 3600) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  if (value >= 60) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  if (value >= 1) return `${value.toFixed(2)} s`;
  return `${formatNumber(value * 1000, 2)} ms`;
}

/** `1 trial`, `3 trials`. */
export function formatPlural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

const BYTE_UNITS = ["B", "kB", "MB", "GB", "TB"];

/**
 * @example
 * formatBytes(1_234_567); // "1.2 MB"
 */
export function formatBytes(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value >= 1000 && unit < BYTE_UNITS.length - 1) [value, unit] = [value / 1000, unit + 1];
  return `${unit === 0 ? value : value.toFixed(value < 100 ? 1 : 0)} ${BYTE_UNITS[unit]}`;
}

/** Characters that control a terminal or change the reading order: control characters except tab and line feed, and bidi controls. */
const CONTROL_CHARACTERS = /(?![\t\n])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/gu;

/**
 * Makes text safe to print. Titles, names, ids and messages come from files and models: an escape sequence could clear the
 * screen, rename the window or hide text.
 * @example
 * replaceControlCharacters("\u001b[2Jdone"); // "�[2Jdone"
 */
export function replaceControlCharacters(text: string): string {
  return text.replace(/\r\n/g, "\n").replace(CONTROL_CHARACTERS, "\ufffd");
}

/** One system of a report. */
export interface SystemLine {
  system: string;
  summary: Summary;
  /** Default: a compressor. */
  kind?: SystemKind;
}

/** Shows a value with its interval, or a dash when it is based on no task. */
export function createIntervalCell(key: string, digits = 3): (line: SystemLine) => string {
  return ({ summary }) => {
    const value = getMeasured(summary, key);
    const [low, high] = [summary[`${key}_ci_low`], summary[`${key}_ci_high`]];
    if (value === null || low == null) return formatNumber(value, digits);
    return `${formatNumber(value, digits)} [${formatNumber(low, digits)}, ${high == null ? "∞" : formatNumber(high, digits)}]`;
  };
}

/** Returns null when no trials were measured; `counted` names the counter. */
export function getMeasured(summary: Summary, key: string, counted = key): number | null {
  return summary[`${counted}_n`] === 0 ? null : (getOwn(summary, key) ?? null);
}

export function countTasks(summary: Summary, key: string): number {
  return getOwn(summary, `${key}_n`) ?? 0;
}

/** Cuts a text to a number of characters, without splitting a surrogate pair. */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text;
  const last = text.charCodeAt(most - 1);
  const isHalf = last >= 0xd800 && last < 0xdc00;
  return text.slice(0, isHalf ? most - 1 : most);
}
