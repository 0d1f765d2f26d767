import { type Attempt, describeError, type InfrastructureCategory, isTrialError, type Outlook } from "../core/index.js";

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
export function classifyError(error: unknown, depth = 0): InfrastructureCategory {
  if (isTrialError(error)) return error.category;
  if (typeof error !== "object" || error === null || depth > MAX_CAUSES) return "system_error";
  const { name, status, code, cause } = error as { name?: unknown; status?: unknown; code?: unknown; cause?: unknown };
  if (status === 429) return "rate_limit";
  if (name === "TimeoutError" || status === 408 || status === 504 || TIMEOUT_CODES.has(code)) return "timeout";
  if (typeof status === "number" && status >= 400) return "api_error";
  if (NETWORK_CODES.has(code)) return "api_error";
  return cause === undefined ? "system_error" : classifyError(cause, depth + 1);
}

/** What an error says about the next calls to the same endpoint; null if nothing. */
export function findOutlook(error: unknown): Outlook | null {
  return isTrialError(error) ? (error.outlook ?? null) : null;
}
