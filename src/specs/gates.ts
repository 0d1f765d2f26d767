import type { DatasetGate } from "../core/dataset.js";
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

/** The gates of a file; an empty list means none. */
export function gatesOf({ gate, type = "capability" }: RawSpec, runs: number): DatasetGate[] {
  if (gate === undefined) return [defaultGate(type, runs)];
  return Array.isArray(gate) ? gate : [gate];
}
