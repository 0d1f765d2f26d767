import type { Attempt, ErrorCategory, InfrastructureCategory, Spent } from "../core/index.js";
import type { AttemptResult, AttemptSuccess, SystemCall } from "./call.js";
import { getErrorSpend } from "./cost.js";
import { classifyError, toFailedAttempt } from "./failure.js";
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
