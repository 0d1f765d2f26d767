import { type Gateway, type GatewayRequest, type GatewayTotal, startGateway } from "../budget/gateway/index.js";
import { PROVIDERS, type ProviderName } from "../budget/gateway/provider.js";
import { bundledPrice } from "../budget/index.js";
import type { Limits, Price } from "../core/price.js";
import type { TrialBudget } from "../core/system.js";
import type { AgentEvent } from "../core/trajectory.js";
import { isSameModel } from "./adapter.js";

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

/** A gateway for one trial: all its requests belong to that trial and are reported to its budget at once. */
export class AgentMeter {
  readonly requests: GatewayRequest[] = [];
  readonly #gateway: Gateway;

  private constructor(gateway: Gateway, requests: GatewayRequest[]) {
    this.#gateway = gateway;
    this.requests = requests;
  }

  static async open(upstreams: AgentUpstreams, limits: Limits, budget: TrialBudget | null): Promise<AgentMeter> {
    const requests: GatewayRequest[] = [];
    const gateway: Gateway = await startGateway({
      budget: {
        ...(budget !== null && budget.maxCostUsd > 0 && { maxCostUsd: budget.maxCostUsd }),
        ...(limits.maxTokens !== undefined && { maxTokens: limits.maxTokens }),
      },
      upstreams: upstreams.urls,
      keys: upstreams.keys,
      prices: upstreams.prices,
      // Agents also call small models besides the given one.
      priceOf: (model) => findReleasePrice(model, upstreams) ?? bundledPrice({ model }),
      allowInsecure: upstreams.allowInsecure,
      // Keys in our environment are not used: an agent only has the keys it was given.
      env: {},
      onRequest: (request) => void requests.push(request),
      onSpend: () => budget?.report(gateway.total()),
    });
    return new AgentMeter(gateway, requests);
  }

  /** Base URLs for each provider's clients. */
  get urls(): Readonly<Record<ProviderName, string>> {
    const at = (name: ProviderName) => this.#gateway.url + PROVIDERS[name].mount;
    return { openai: at("openai"), anthropic: at("anthropic"), google: at("google") };
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

/** An agent may call a dated release of the requested model. */
function findReleasePrice(called: string, { model, prices }: AgentUpstreams): Price | null {
  return model !== undefined && isSameModel(model, called) ? (prices.get(model) ?? null) : null;
}

/** Converts each answered request to an event at its end time. */
export function toUsageEvents(requests: readonly GatewayRequest[]): AgentEvent[] {
  return requests.flatMap(({ model, usage, costUsd, durationMs, startedAt }) =>
    usage === null
      ? []
      : [{ type: "token_usage", timestamp: startedAt + durationMs, model, usage, costUsd, durationMs } as const],
  );
}
