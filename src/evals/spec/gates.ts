import type { DatasetGate } from "../../core/dataset.js";
import type { EvalSpec } from "./spec.js";
import type { RawSpec } from "./spec-schema.js";

/**
 * What an eval is held to when its file says nothing: a capability has to be shown once for each stimulus, a regression
 * eval has to pass every time. The value is 1 and not the threshold of `scoring`: that is part of each trial's verdict
 * already, and would be counted twice.
 * @example
 * defaultGate("regression", 5); // { metric: "pass_hat_5", op: ">=", value: 1 }
 */
function defaultGate(type: EvalSpec["type"], runs: number): DatasetGate {
  // With a single trial both are the pass rate.
  const metric = runs === 1 ? "pass_rate" : `${type === "regression" ? "pass_hat" : "pass_at"}_${runs}`;
  return { metric, op: ">=", value: 1 };
}

/** Figures that are shares, whatever is measured. */
const SHARES = /^(?:pass_rate|mean_score|coverage|error_rate|pass_(?:at|hat)_\d+)$/;

const ADVICE = "give a value from 0 to 1 that decides something, such as 0.8 for 80 %.";

/**
 * What keeps a gate from deciding anything: a share is never above 1 and never below 0; null when it can.
 * @example
 * problemWithGate({ metric: "pass_rate", op: ">=", value: 80 }); // "the gate pass_rate >= 80 can never be met, …"
 */
export function problemWithGate({ metric, op, value }: DatasetGate): string | null {
  if (!SHARES.test(metric)) return null;
  const canHold = [0, 0.5, 1, value].some((share) => share >= 0 && share <= 1 && holds(share, op, value));
  if (!canHold) return `the gate ${metric} ${op} ${value} can never be met, as ${metric} is a share: ${ADVICE}`;
  if (value >= 0 && value <= 1) return null;
  return `the gate ${metric} ${op} ${value} is always met, as ${metric} is a share: ${ADVICE}`;
}

/** Whether a gate is met by every share there is. What was not measured meets none, so that it may still be meant. */
export function isAlwaysMet({ metric, op, value }: DatasetGate): boolean {
  return SHARES.test(metric) && ((op === ">=" && value <= 0) || (op === "<=" && value >= 1));
}

function holds(share: number, op: DatasetGate["op"], value: number): boolean {
  if (share === value) return op === ">=" || op === "<=" || op === "==";
  return share > value ? op === ">=" || op === ">" : op === "<=" || op === "<";
}

/** The gates of a file; an empty list means none. */
export function gatesOf({ gate, type = "capability" }: RawSpec, runs: number): DatasetGate[] {
  if (gate === undefined) return [defaultGate(type, runs)];
  return Array.isArray(gate) ? gate : [gate];
}
