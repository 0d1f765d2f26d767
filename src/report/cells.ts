import type { Summary } from "../core/result.js";
import { getOwn } from "../core/shape.js";
import { formatNumber } from "./format.js";

/** One system of a report. */
export interface SystemLine {
  system: string;
  summary: Summary;
  /** True for agents, which work in many turns: their prompt and last message are not all of their tokens. */
  isAgent?: boolean;
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
