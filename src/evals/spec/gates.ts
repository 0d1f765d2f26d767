import type { DatasetGate } from "../../core/index.js";
import type { EvalSpec } from "./spec.js";
import type { RawSpec } from "./spec-schema.js";

/**
 * The gate of an eval that declares none: a capability must be shown once for each test case, a regression eval must
 * pass every time. The value is 1 and not the threshold of `scoring`, which is already part of each trial's verdict.
 * @example
 * createDefaultGate("regression", 5); // { metric: "pass_hat_5", op: ">=", value: 1 }
 */
function createDefaultGate(type: EvalSpec["type"], runs: number): DatasetGate {
  // With a single trial, both equal the pass rate.
  const metric = runs === 1 ? "pass_rate" : `${type === "regression" ? "pass_hat" : "pass_at"}_${runs}`;
  return { metric, op: ">=", value: 1 };
}

/** Metrics that are always shares. */
const SHARE_METRICS = /^(?:pass_rate|mean_score|coverage|error_rate|pass_(?:at|hat)_\d+)$/;

const ADVICE = "use a value from 0 to 1 that decides something, such as 0.8 for 80 %.";

/**
 * Returns why a gate cannot decide anything (a share is always between 0 and 1), or null if it can.
 * @example
 * findGateProblem({ metric: "pass_rate", op: ">=", value: 80 }); // "the gate pass_rate >= 80 can never be met, …"
 */
export function findGateProblem({ metric, op, value }: DatasetGate): string | null {
  if (!SHARE_METRICS.test(metric)) return null;
  const canHold = [0, 0.5, 1, value].some((share) => share >= 0 && share <= 1 && meetsGate(share, op, value));
  if (!canHold) return `the gate ${metric} ${op} ${value} can never be met, because ${metric} is a share: ${ADVICE}`;
  if (value >= 0 && value <= 1) return null;
  return `the gate ${metric} ${op} ${value} is always met, because ${metric} is a share: ${ADVICE}`;
}

/** True if every share meets the gate. An unmeasured value meets no gate, so such a gate may be intended. */
export function isAlwaysMet({ metric, op, value }: DatasetGate): boolean {
  return SHARE_METRICS.test(metric) && ((op === ">=" && value <= 0) || (op === "<=" && value >= 1));
}

function meetsGate(share: number, op: DatasetGate["op"], value: number): boolean {
  if (share === value) return op === ">=" || op === "<=" || op === "==";
  return share > value ? op === ">=" || op === ">" : op === "<=" || op === "<";
}

/** An empty list means no gates. */
export function resolveSpecGates({ gate, type = "capability" }: RawSpec, runs: number): DatasetGate[] {
  if (gate === undefined) return [createDefaultGate(type, runs)];
  return Array.isArray(gate) ? gate : [gate];
}
