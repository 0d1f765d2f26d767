import type { GatewayRequest } from "../budget/gateway/index.js";
import { countAllTokens } from "../budget/gateway/receipt.js";
import { OTHER_MODEL_NOTE } from "../core/row.js";
import type { Usage } from "../core/system.js";
import { type AgentEnd, type AgentFigures, isSameModel } from "./adapter.js";

/** Filters requests on paths where a model answers. */
export function filterModelCalls(requests: readonly GatewayRequest[]): GatewayRequest[] {
  return requests.filter(({ dialect }) => dialect !== null);
}

/** True when the model returned anything: a stream that broke counts, one that never began does not. */
function wasAnswered({ ending, ttftMs }: GatewayRequest): boolean {
  return ending === "answered" || ttftMs !== null;
}

/**
 * True when an agent called its model and never got an answer. An agent that reports usage got answers outside the
 * gateway.
 */
export function isUnanswered(requests: readonly GatewayRequest[], own: AgentFigures): boolean {
  const calls = filterModelCalls(requests);
  return calls.length > 0 && !calls.some(wasAnswered) && !hasUsage(own.usage);
}

/** Programs report a usage of 0 when every call failed. */
export function hasUsage(usage: Readonly<Usage> | null): usage is Usage {
  return usage !== null && countAllTokens(usage) > 0;
}

/** The program's own figures, without usage and cost if it used nothing. */
export function omitEmptyFigures(own: AgentFigures): AgentFigures {
  return hasUsage(own.usage) ? own : { ...own, usage: null, costUsd: null };
}

/** A called model with its usage. */
export interface CalledModel {
  readonly name: string;
  calls: number;
  tokens: number;
}

/** The models that answered, the most used first. */
export function countCalledModels(requests: readonly GatewayRequest[]): CalledModel[] {
  const models = new Map<string, CalledModel>();
  for (const request of filterModelCalls(requests).filter(wasAnswered)) {
    const name = request.model ?? "";
    const called = models.get(name) ?? { name, calls: 0, tokens: 0 };
    called.calls += 1;
    called.tokens += request.usage === null ? 0 : countAllTokens(request.usage);
    models.set(name, called);
  }
  return [...models.values()].sort((a, b) => b.tokens - a.tokens || b.calls - a.calls);
}

/**
 * Describes that an agent mainly used another model than requested; null when it did not. Calls to additional small models
 * are fine.
 */
export function findOtherModel(asked: string | null, called: readonly CalledModel[]): string | null {
  const [main] = called;
  if (asked === null || main === undefined || isSameModel(asked, main.name)) return null;
  const names = called.map(({ name }) => name);
  return `${OTHER_MODEL_NOTE}: requested ${asked}, but ${names.join(", ")} ${called.length === 1 ? "was" : "were"} called`;
}

type StoppedEnd = Extract<AgentEnd, { kind: "stopped" }>;

/** How the last answer ended, for programs that do not report that it was truncated or refused. */
export function findLastStop(requests: readonly GatewayRequest[], called: readonly CalledModel[]): StoppedEnd | null {
  const last = filterModelCalls(requests)
    .filter((request) => wasAnswered(request) && request.model === called[0]?.name)
    .at(-1);
  if (last?.finish === "truncated")
    return { kind: "stopped", reason: "truncated", message: "The model's last answer reached its maximum length." };
  return last?.finish === "refused"
    ? { kind: "stopped", reason: "refused", message: "The model declined to answer." }
    : null;
}
