import {
  countAllTokens,
  findPrice,
  type Gateway,
  type GatewayRequest,
  type GatewayTotal,
  PROVIDERS,
  type ProviderName,
  startGateway,
} from "../budget/index.js";
import type { Limits, Price, TrialContext, TrialKey, Usage } from "../core/index.js";
import { OTHER_MODEL_NOTE } from "../core/index.js";
import { isSameModel, type Traffic, type WrapTransport } from "../models/index.js";
import type { AgentEnd, AgentFigures } from "./adapter.js";
import { WireTimeline } from "./wire/index.js";

/** Where an agent's model calls go. */
export interface AgentUpstreams {
  /** URLs to use instead of the providers' own. */
  readonly urls: Readonly<Partial<Record<ProviderName, string>>>;
  /** Replace any key the agent sends. */
  readonly keys: Readonly<Partial<Record<ProviderName, string>>>;
  /** By model name; other models have the bundled price. */
  readonly prices: ReadonlyMap<string, Price>;
  /** The requested model: its releases have the same price. */
  readonly model?: string;
  /** Allows sending keys over plain http to another machine. */
  readonly allowInsecure: boolean;
}

/** What records or replays the calls of a trial. */
export interface TrialTraffic {
  readonly traffic: Traffic;
  readonly trial: TrialKey;
  /** Answers the calls that are not replayed; null for the model that the agent names. */
  readonly thenModel: string | null;
}

/** A gateway for one trial: all its requests belong to that trial and are reported to its budget at once. */
export class AgentMeter {
  readonly requests: readonly GatewayRequest[];
  /** What the agent did, as far as its model calls show it. */
  readonly wire: WireTimeline;
  readonly #gateway: Gateway;

  private constructor(gateway: Gateway, requests: readonly GatewayRequest[], wire: WireTimeline) {
    this.#gateway = gateway;
    this.requests = requests;
    this.wire = wire;
  }

  static async open(
    upstreams: AgentUpstreams,
    limits: Limits,
    { budget, faults, traffic }: Pick<TrialContext, "budget" | "faults"> & { traffic?: TrialTraffic | null },
  ): Promise<AgentMeter> {
    const requests: GatewayRequest[] = [];
    const wire = new WireTimeline();
    const gateway: Gateway = await startGateway({
      budget: {
        ...(budget !== null && budget.maxCostUsd > 0 && { maxCostUsd: budget.maxCostUsd }),
        ...(limits.maxTokens !== undefined && { maxTokens: limits.maxTokens }),
      },
      upstreams: upstreams.urls,
      keys: upstreams.keys,
      prices: upstreams.prices,
      // Agents also call small models besides the given one.
      priceOf: (model) => findReleasePrice(model, upstreams) ?? findPrice({ model }),
      allowInsecure: upstreams.allowInsecure,
      ...(faults !== undefined && { faults }),
      ...(traffic != null && { wrap: wrapForTrial(traffic), selectModel: (model) => selectModel(model, traffic) }),
      // Keys in our environment are not used: an agent only has the keys it was given.
      env: {},
      observer: wire,
      onRequest: (request) => void requests.push(request),
      onSpend: () => budget?.report(gateway.total()),
    });
    traffic?.traffic.addName(traffic.trial, gateway.url, "gateway");
    return new AgentMeter(gateway, requests, wire);
  }

  /** Base URLs for each provider's clients. */
  get urls(): Readonly<Record<ProviderName, string>> {
    const at = (name: ProviderName) => this.#gateway.url + PROVIDERS[name].mount;
    return { openai: at("openai"), anthropic: at("anthropic"), google: at("google") };
  }

  /** The port of this machine on which it listens. */
  get port(): number {
    return Number(new URL(this.#gateway.url).port);
  }

  /** Environment variables that make a program use the gateway. */
  get env(): Readonly<Record<string, string>> {
    return this.#gateway.env;
  }

  /** The secret part of its URL, to be masked in outputs. */
  get secret(): string {
    return new URL(this.#gateway.url).pathname.slice(1);
  }

  get total(): GatewayTotal {
    return this.#gateway.total();
  }

  /** True when a model was called through the gateway, so that its figures apply. */
  get isInPath(): boolean {
    return this.requests.some(({ usage }) => usage !== null);
  }

  /** Ends and bills open requests. */
  close(): Promise<void> {
    return this.#gateway.close();
  }
}

/** All requests of a gateway belong to its trial. */
function wrapForTrial({ traffic, trial }: TrialTraffic): WrapTransport {
  return (network) => {
    const inner = traffic.wrap(network);
    return { send: (request) => inner.send({ ...request, trial }) };
  };
}

function selectModel(model: string, { traffic, trial, thenModel }: TrialTraffic): string {
  return traffic.startTurn(trial) ? model : (thenModel ?? model);
}

/** An agent may call a dated release of the requested model. */
function findReleasePrice(called: string, { model, prices }: AgentUpstreams): Price | null {
  return model !== undefined && isSameModel(model, called) ? (prices.get(model) ?? null) : null;
}

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
  if (last?.finish !== "refused") return null;
  const why = last.finishReason === null ? "" : ` (${last.finishReason})`;
  return { kind: "stopped", reason: "refused", message: `The model declined to answer${why}.` };
}
