import type { DatasetGate } from "../../core/dataset.js";
import { ownValue } from "../../core/own-value.js";
import type { Summary } from "../../core/result.js";

/** A gate, and whether it was passed. What was not measured passes no gate. */
export interface GateResult extends DatasetGate {
  readonly actual: number | null;
  readonly passed: boolean;
}

/** Sums of decimals are not exact: a figure that is the value must reach it. */
const ROUNDING = 1e-9;

const HOLDS: Readonly<Record<DatasetGate["op"], (actual: number, value: number) => boolean>> = {
  ">=": (actual, value) => actual >= value - ROUNDING,
  "<=": (actual, value) => actual <= value + ROUNDING,
  ">": (actual, value) => actual > value + ROUNDING,
  "<": (actual, value) => actual < value - ROUNDING,
  "==": (actual, value) => Math.abs(actual - value) <= ROUNDING,
};

/**
 * The key of the summary that a gate is about. One trial passes as often as the pass rate says, and a run with a single
 * trial of each stimulus has no figures of several.
 * @example
 * gatedKey("pass_at_1"); // "pass_rate"
 */
export function gatedKey(metric: string): string {
  return /^pass_(?:at|hat)_1$/.test(metric) ? "pass_rate" : metric;
}

/**
 * Holds a figure of a summary against its gate.
 * @example
 * heldAgainst({ metric: "pass_rate", op: ">=", value: 0.8 }, { pass_rate: 0.9 }).passed; // true
 */
export function heldAgainst(gate: DatasetGate, summary: Summary): GateResult {
  const key = gatedKey(gate.metric);
  const isCounted = summary[`${key}_n`] !== 0;
  const actual = isCounted ? (ownValue(summary, key) ?? null) : null;
  return { ...gate, actual, passed: actual !== null && HOLDS[gate.op](actual, gate.value) };
}
