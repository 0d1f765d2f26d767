import type { ErrorCategory } from "../../core/row.js";
import { BadRecord, flagOf, type JsonObject, objectOf, textOf } from "./fields.js";
import type { RowFields } from "./format.js";
import { graded, ungraded } from "./verdict.js";

/** Failures of the endpoint or of the machinery: they say nothing about quality. */
const INFRASTRUCTURE: Readonly<Record<string, "api_error" | "rate_limit" | "system_error">> = {
  api_error: "api_error",
  quota_exhausted: "api_error",
  rate_limit: "rate_limit",
  wire_drift: "system_error",
};

/** Ends that are graded, but have a name of their own. Its `timeout` is a limit of the benchmark, not of the endpoint. */
const STOPPED: Readonly<Record<string, ErrorCategory>> = {
  cost_killed: "cost_killed",
  timeout: "time_killed",
  refused: "refused",
};

type Outcome = Pick<RowFields, "outcome" | "errorCategory" | "scores" | "primaryField" | "passed">;

const CHECKS = ["compile_ok", "runtime_ok", "stdout_ok"] as const;

/** What became of a trial: it passed when its program compiled, ran, and wrote what was expected. */
export function ailangOutcome(record: JsonObject): Outcome {
  if (isNoMeasurement(record)) return ungraded("error", "system_error");
  const checks = CHECKS.map((name) => [name, flagOf(record, name)] as const);
  if (checks.every(([, ok]) => ok === undefined)) throw new BadRecord(`it has none of ${CHECKS.join(", ")}`);
  const passed = checks.every(([, ok]) => ok !== false) && flagOf(record, "stdout_ok") === true;
  const category = textOf(record, "error_category") ?? "none";
  const infrastructure = Object.hasOwn(INFRASTRUCTURE, category) ? INFRASTRUCTURE[category] : undefined;
  if (!passed && infrastructure !== undefined) return ungraded("error", infrastructure);
  const stopped = Object.hasOwn(STOPPED, category) ? STOPPED[category] : undefined;
  const others = checks.flatMap(([name, ok]) => (ok === undefined ? [] : [[name, Number(ok)] as const]));
  return graded({ passed, others, ...(stopped === undefined ? {} : { stopped }) });
}

/** Later versions mark records of runs in which the harness itself had failed. */
function isNoMeasurement(record: JsonObject): boolean {
  return flagOf(objectOf(record, "validity"), "valid") === false;
}
