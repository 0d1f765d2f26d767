import { type Gateway, type GatewayRequest, type GatewayTotal, startGateway } from "../budget/gateway/index.js";
import { PROVIDERS, type ProviderName } from "../budget/gateway/provider.js";
import { bundledPrice } from "../budget/index.js";
import type { Limits, Price } from "../core/price.js";
import type { TrialBudget } from "../core/system.js";
import type { AgentEvent } from "../core/trajectory.js";
import { isSameModel } from "./adapter.js";

/** Where an agent's calls go. */
export interface Upstreams {
  /** Instead of the providers' own addresses. */
  readonly urls: Readonly<Partial<Record<ProviderName, string>>>;
  /** Put in the place of whatever key the agent sends. */
  readonly keys: Readonly<Partial<Record<ProviderName, string>>>;
  /** By the name of the model; others have the bundled price. */
  readonly prices: ReadonlyMap<string, Price>;
  /** The model that was asked for: a release of it costs what it costs. */
  readonly model?: string;
  /** Lets keys travel over plain http to another machine. */
  readonly allowInsecure: boolean;
}

/** A gateway for one trial: whatever goes through it is that trial's, and is told to its budget at once. */
export class AgentMeter {
  readonly requests: GatewayRequest[] = [];
  readonly #gateway: Gateway;

  private constructor(gateway: Gateway, requests: GatewayRequest[]) {
    this.#gateway = gateway;
    this.requests = requests;
  }

  static async open(upstreams: Upstreams, limits: Limits, budget: TrialBudget | null): Promise<AgentMeter> {
    const requests: GatewayRequest[] = [];
    const gateway: Gateway = await startGateway({
      budget: {
        ...(budget !== null && budget.maxCostUsd > 0 && { maxCostUsd: budget.maxCostUsd }),
        ...(limits.maxTokens !== undefined && { maxTokens: limits.maxTokens }),
      },
      upstreams: upstreams.urls,
      keys: upstreams.keys,
      prices: upstreams.prices,
      // Agents call small models besides the one they were told to use.
      priceOf: (model) => priceOfRelease(model, upstreams) ?? bundledPrice({ model }),
      allowInsecure: upstreams.allowInsecure,
      // Keys of our own environment are nobody's here: an agent has those it was given.
      env: {},
      onRequest: (request) => void requests.push(request),
      onSpend: () => budget?.report(gateway.total()),
    });
    return new AgentMeter(gateway, requests);
  }

  /** Where the clients of each provider are pointed at. */
  get urls(): Readonly<Record<ProviderName, string>> {
    const at = (name: ProviderName) => this.#gateway.url + PROVIDERS[name].mount;
    return { openai: at("openai"), anthropic: at("anthropic"), google: at("google") };
  }

  /** What a program needs in its environment to find the gateway. */
  get env(): Readonly<Record<string, string>> {
    return this.#gateway.env;
  }

  /** What its address must not be shown with. */
  get secret(): string {
    return new URL(this.#gateway.url).pathname.slice(1);
  }

  get total(): GatewayTotal {
    return this.#gateway.total();
  }

  /** True when a model was reached through the gateway, so that its figures are the trial's. */
  get isInPath(): boolean {
    return this.requests.some(({ usage }) => usage !== null);
  }

  /** Ends what is still open, and bills it. */
  close(): Promise<void> {
    return this.#gateway.close();
  }
}

/** An agent may call a dated release of the model that it was told to use. */
function priceOfRelease(called: string, { model, prices }: Upstreams): Price | null {
  return model !== undefined && isSameModel(model, called) ? (prices.get(model) ?? null) : null;
}

/** Each answered request as an event, at the moment it was over. */
export function usageEvents(requests: readonly GatewayRequest[]): AgentEvent[] {
  return requests.flatMap(({ model, usage, costUsd, durationMs, startedAt }) =>
    usage === null
      ? []
      : [{ type: "token_usage", timestamp: startedAt + durationMs, model, usage, costUsd, durationMs } as const],
  );
}
