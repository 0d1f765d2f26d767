import type { GatewayRequest } from "../budget/gateway/index.js";
import { type InfrastructureCategory, type Outlook, type Spent, TrialError } from "../core/errors.js";
import type { AgentEvent } from "../core/trajectory.js";
import type { AgentEnd } from "./adapter.js";
import type { AgentRun, AgentRunEnd } from "./agent-run.js";
import { withoutKeys } from "./masked.js";
import { hasUsed, isUnanswered, modelCalls } from "./model-calls.js";

/** As much of what a program wrote to its stderr as fits a message. */
const STDERR_SHOWN = 600;

export interface Failure {
  readonly name: string;
  readonly end: AgentEnd | null;
  readonly run: AgentRun;
  readonly exit: AgentRunEnd;
  readonly requests: readonly GatewayRequest[];
  /** What was used up, and how far it came. */
  readonly spent: Spent;
  /** What must not be in its message: programs print what they were given, and what they have found. */
  readonly keys?: readonly string[];
  /** True when its time or its money was up: there is nothing left to try again with. */
  readonly wasStopped?: boolean;
}

/** Why a trial of an agent failed: its model's endpoint, or the program itself. */
export function failureOf(failure: Failure): TrialError {
  const { end, requests, spent, run, keys = [], wasStopped = false } = failure;
  const isSilent = isUnanswered(requests, run.reader.figures);
  const trouble = isSilent ? lastRefused(requests) : troubleWith(requests);
  const status = (end?.kind === "failed" ? end.status : null) ?? trouble?.status ?? null;
  const isEndpoints = isSilent || status !== null || trouble !== null;
  // An endpoint that said nothing at all until the trial was stopped took too long.
  const isHanging = isSilent && trouble === null;
  const category = isHanging ? "timeout" : isEndpoints ? categoryOf(status) : "system_error";
  // The bill of a trial that is run again begins anew: what was paid for would be lost.
  const hasSpent = hasUsed(run.reader.figures.usage) || requests.some(({ usage }) => hasUsed(usage));
  // What a program says without an answer of its model are words of its own, such as the error.
  const hasWorked = hasSpent || (!isSilent && run.events.some(isWork));
  const mayRetry = !wasStopped && !hasWorked && isEndpoints && isTransient(status);
  const outlook = hasWorked || !isEndpoints || isHanging ? null : readOutlook(status);
  return new TrialError(category, withoutKeys(messageOf(failure, trouble), keys), {
    spent,
    ...(mayRetry && { retry: { afterMs: null } }),
    ...(outlook !== null && { outlook }),
  });
}

/** Without a status, the connection to the endpoint broke. */
function readOutlook(status: number | null): Outlook | null {
  if (categoryOf(status) !== "api_error") return null;
  if (status === null || status >= 500) return "down";
  return [401, 403, 404].includes(status) ? "refused" : "rejected";
}

function isWork({ type }: AgentEvent): boolean {
  return type === "assistant_message" || type === "tool_call";
}

/** The last call that the endpoint itself refused or failed at; null when it never said anything. */
function lastRefused(requests: readonly GatewayRequest[]): GatewayRequest | null {
  return modelCalls(requests).findLast(({ ending }) => ending === "failed" || ending === "refused") ?? null;
}

/** The last request, when it is the one that failed: a program that went on from an earlier failure did not end with it. */
function troubleWith(requests: readonly GatewayRequest[]): GatewayRequest | null {
  const last = modelCalls(requests).at(-1);
  return last !== undefined && (last.ending === "failed" || last.ending === "refused") ? last : null;
}

function categoryOf(status: number | null): InfrastructureCategory {
  if (status === 429 || status === 529) return "rate_limit";
  return status === 408 || status === 504 || status === 524 ? "timeout" : "api_error";
}

/** Worth another try; without a status, a connection that broke. */
function isTransient(status: number | null): boolean {
  return status === null || status === 408 || status === 429 || status >= 500;
}

function messageOf(failure: Failure, trouble: GatewayRequest | null): string {
  const { name, end, exit, run, requests, wasStopped = false } = failure;
  const heard = trouble?.message?.replace(/\.$/, "") ?? null;
  if (wasStopped || end?.kind === "done") {
    const count = modelCalls(requests).length;
    const none = count === 1 ? "its model call was not answered" : `none of its ${count} model calls was answered`;
    return `${name}: ${none}${heard === null ? "" : `; the last one said: ${heard}`}.`;
  }
  const said = end === null ? null : end.message;
  if (said !== null) return heard === null || said.includes(heard) ? `${name}: ${said}` : `${name}: ${said} (${heard})`;
  const stderr = run.stderr === "" ? "" : ` It said: ${run.stderr.slice(-STDERR_SHOWN)}`;
  const endpoint = heard === null ? "" : ` Its last call failed: ${heard.replace(/\.$/, "")}.`;
  return `${name} ended (${waysOut(exit)}) without saying how its work ended.${endpoint}${stderr}`;
}

function waysOut({ code, signal }: AgentRunEnd): string {
  return signal === null ? `exit code ${code ?? "unknown"}` : `by ${signal}`;
}
