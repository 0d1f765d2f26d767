import { type InfrastructureCategory, type Spent, TrialError } from "../core/errors.js";
import type { GatewayRequest } from "../gateway/index.js";
import type { AgentEnd } from "./adapter.js";
import type { AgentRun, AgentRunEnd } from "./agent-run.js";

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
}

/** Why a trial of an agent failed: its model's endpoint, or the program itself. */
export function failureOf(failure: Failure): TrialError {
  const { end, requests, spent, run } = failure;
  const trouble = troubleWith(requests);
  const status = (end?.kind === "failed" ? end.status : null) ?? trouble?.status ?? null;
  const isEndpoints = status !== null || trouble !== null;
  const category = isEndpoints ? categoryOf(status) : "system_error";
  // The bill of a trial that is run again begins anew: what was paid for would be lost.
  const hasSpent = run.reader.figures.usage !== null || requests.some(({ usage }) => usage !== null);
  const hasWorked = hasSpent || run.events.some(({ type }) => type === "assistant_message" || type === "tool_call");
  const mayRetry = !hasWorked && isEndpoints && isTransient(status);
  return new TrialError(category, messageOf(failure, trouble), {
    spent,
    ...(mayRetry && { retry: { afterMs: null } }),
  });
}

/** The last request, when it is the one that failed: a program that went on from an earlier failure did not end with it. */
function troubleWith(requests: readonly GatewayRequest[]): GatewayRequest | null {
  const last = requests.filter(({ dialect }) => dialect !== null).at(-1);
  return last !== undefined && (last.ending === "failed" || last.ending === "refused") ? last : null;
}

function categoryOf(status: number | null): InfrastructureCategory {
  if (status === 429) return "rate_limit";
  return status === 408 || status === 504 ? "timeout" : "api_error";
}

/** Worth another try; without a status, a connection that broke. */
function isTransient(status: number | null): boolean {
  return status === null || status === 408 || status === 429 || status >= 500;
}

function messageOf({ name, end, exit, run }: Failure, trouble: GatewayRequest | null): string {
  const said = end === null || end.kind === "done" ? null : end.message;
  const heard = trouble?.message?.replace(/\.$/, "") ?? null;
  if (said !== null) return heard === null || said.includes(heard) ? `${name}: ${said}` : `${name}: ${said} (${heard})`;
  const stderr = run.stderr === "" ? "" : ` It said: ${run.stderr.slice(-STDERR_SHOWN)}`;
  const endpoint = heard === null ? "" : ` Its last call failed: ${heard.replace(/\.$/, "")}.`;
  return `${name} ended (${waysOut(exit)}) without saying how its work ended.${endpoint}${stderr}`;
}

function waysOut({ code, signal }: AgentRunEnd): string {
  return signal === null ? `exit code ${code ?? "unknown"}` : `by ${signal}`;
}
