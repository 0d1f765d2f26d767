import type { Summary } from "../core/result.js";
import { ownValue } from "../core/shape.js";
import { formatNumber } from "./format.js";

/** One system of a report. */
export interface Line {
  system: string;
  summary: Summary;
  /** True when it works in many turns, so that question and last message are not the tokens of its work. */
  isAgent?: boolean;
}

/** A value with its interval; a dash when no task stands behind it. */
export function withInterval(key: string, digits = 3): (line: Line) => string {
  return ({ summary }) => {
    const value = measured(summary, key);
    const [low, high] = [summary[`${key}_ci_low`], summary[`${key}_ci_high`]];
    if (value === null || low == null) return formatNumber(value, digits);
    return `${formatNumber(value, digits)} [${formatNumber(low, digits)}, ${high == null ? "∞" : formatNumber(high, digits)}]`;
  };
}

/** A value that trials stand behind, as `counted` counts them. */
export function measured(summary: Summary, key: string, counted = key): number | null {
  return summary[`${counted}_n`] === 0 ? null : (ownValue(summary, key) ?? null);
}

/** How many tasks stand behind a value. */
export function tasksBehind(summary: Summary, key: string): number {
  return ownValue(summary, `${key}_n`) ?? 0;
}
