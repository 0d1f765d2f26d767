import type { Attempt, ErrorCategory } from "../core/index.js";
import { describeError, type InfrastructureCategory, isTrialError, type Spent } from "../core/index.js";
import type { AttemptResult, AttemptSuccess, SystemCall } from "./call.js";
import { getErrorSpend } from "./cost.js";
import { NotRunError } from "./gate.js";

/** How the system part of a trial ended: with something to grade, with an infrastructure error, or not run. */
export type TrialEnding =
  | { kind: "gradable"; category: ErrorCategory; returned: AttemptSuccess }
  | {
      kind: "error";
      category: InfrastructureCategory;
      attempt: Attempt;
      call: SystemCall;
      /** What was used before the failure, if the system reports it. */
      spent: Spent | null;
    }
  | {
      kind: "skipped";
      /** Why the trial was not run; null if the run was interrupted. */
      reason: string | null;
    };

/** Classifies the result of an attempt. Failures while the run is being stopped do not count: the trial runs again on resume. */
export function classifyAttempt(attempted: AttemptResult, signal: AbortSignal): TrialEnding {
  if (attempted.kind === "returned") {
    return { kind: "gradable", category: attempted.output.stopped ?? "none", returned: attempted };
  }
  const { error, durationMs, call } = attempted;
  if (signal.aborted) return { kind: "skipped", reason: null };
  if (error instanceof NotRunError) return { kind: "skipped", reason: error.message };
  const attempt = toFailedAttempt(error, durationMs);
  return { kind: "error", category: classifyError(error), attempt, call, spent: getErrorSpend(error) };
}

/** The record of a failed call. */
export function toFailedAttempt(error: unknown, durationMs: number): Attempt {
  return { errorCategory: classifyError(error), message: describeError(error), durationMs };
}

const TIMEOUT_CODES = new Set<unknown>([
  "ETIMEDOUT",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
]);
const NETWORK_CODES = new Set<unknown>([
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EPIPE",
  "UND_ERR_SOCKET",
]);

/** Guards against cyclic `cause` chains. */
const MAX_CAUSES = 10;

/** The category of any thrown value: our own errors carry it, others are recognized by name, status or code. */
function classifyError(error: unknown, depth = 0): InfrastructureCategory {
  if (isTrialError(error)) return error.category;
  if (typeof error !== "object" || error === null || depth > MAX_CAUSES) return "system_error";
  const { name, status, code, cause } = error as { name?: unknown; status?: unknown; code?: unknown; cause?: unknown };
  if (status === 429) return "rate_limit";
  if (name === "TimeoutError" || status === 408 || status === 504 || TIMEOUT_CODES.has(code)) return "timeout";
  if (typeof status === "number" && status >= 400) return "api_error";
  if (NETWORK_CODES.has(code)) return "api_error";
  return cause === undefined ? "system_error" : classifyError(cause, depth + 1);
}
