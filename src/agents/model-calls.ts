import type { GatewayRequest } from "../budget/gateway/index.js";
import { tokensOf } from "../budget/gateway/receipt.js";
import { ANOTHER_MODEL } from "../core/row.js";
import type { Usage } from "../core/system.js";
import { type AgentEnd, type AgentFigures, isSameModel } from "./adapter.js";

/** Calls to a model, as the gateway has seen them; paths where no model answers are none. */
export function modelCalls(requests: readonly GatewayRequest[]): GatewayRequest[] {
  return requests.filter(({ dialect }) => dialect !== null);
}

/** Whether a model said anything in reply: a stream that broke in the middle did, one that never began did not. */
function wasAnswered({ ending, ttftMs }: GatewayRequest): boolean {
  return ending === "answered" || ttftMs !== null;
}

/**
 * Whether an agent asked its model and never got an answer. One that says it has used something was answered by another
 * way than the gateway.
 */
export function isUnanswered(requests: readonly GatewayRequest[], own: AgentFigures): boolean {
  const calls = modelCalls(requests);
  return calls.length > 0 && !calls.some(wasAnswered) && !hasUsed(own.usage);
}

/** Programs print a final count also when every call has failed: then it is 0. */
export function hasUsed(usage: Readonly<Usage> | null): usage is Usage {
  return usage !== null && tokensOf(usage) > 0;
}

/** What the program says it has used, where that is anything. */
export function usedFigures(own: AgentFigures): AgentFigures {
  return hasUsed(own.usage) ? own : { ...own, usage: null, costUsd: null };
}

/** A model that was called, and how much went to it. */
export interface CalledModel {
  readonly name: string;
  calls: number;
  tokens: number;
}

/** The models that have answered, the one that did most of the work first. */
export function calledModels(requests: readonly GatewayRequest[]): CalledModel[] {
  const models = new Map<string, CalledModel>();
  for (const request of modelCalls(requests).filter(wasAnswered)) {
    const name = request.model ?? "";
    const called = models.get(name) ?? { name, calls: 0, tokens: 0 };
    called.calls += 1;
    called.tokens += request.usage === null ? 0 : tokensOf(request.usage);
    models.set(name, called);
  }
  return [...models.values()].sort((a, b) => b.tokens - a.tokens || b.calls - a.calls);
}

/**
 * What is to be said of an agent that did its work with another model than the one it was given; null when it did not.
 * Agents call small models besides the one that works: as long as that is the one asked for, they may.
 */
export function anotherModel(asked: string | null, called: readonly CalledModel[]): string | null {
  const [main] = called;
  if (asked === null || main === undefined || isSameModel(asked, main.name)) return null;
  const names = called.map(({ name }) => name);
  return `${ANOTHER_MODEL}: ${asked} was asked for, ${names.join(", ")} ${called.length === 1 ? "was" : "were"} called`;
}

type Stop = Extract<AgentEnd, { kind: "stopped" }>;

/** How the answer ended with which the work did, for programs that do not say that it was cut short or declined. */
export function lastFinish(requests: readonly GatewayRequest[], called: readonly CalledModel[]): Stop | null {
  const last = modelCalls(requests)
    .filter((request) => wasAnswered(request) && request.model === called[0]?.name)
    .at(-1);
  if (last?.finish === "truncated")
    return { kind: "stopped", reason: "truncated", message: "The model's last answer reached its longest length." };
  return last?.finish === "refused"
    ? { kind: "stopped", reason: "refused", message: "The model declined to answer." }
    : null;
}
