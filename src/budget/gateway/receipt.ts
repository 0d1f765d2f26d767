import type { CallFaultKind, CostSource, Price, Usage } from "../../core/index.js";
import { countPromptTokens } from "../../core/index.js";
import type { Finish, GatewayDialectName } from "../../models/index.js";
import { computeCost, toDollars, toPicoDollars } from "../price.js";
import type { ProviderName } from "./provider.js";

/**
 * How a request ended. Each request has exactly one ending: `answered` in full; `cut` by the budget; `abandoned` by the
 * client; `failed` upstream; `refused` by the gateway before anything was spent; `unmetered` on a path without a model's answer.
 */
export const REQUEST_ENDINGS = ["answered", "cut", "abandoned", "failed", "refused", "unmetered"] as const;

export type RequestEnding = (typeof REQUEST_ENDINGS)[number];

/** The record of one finished request. */
export interface GatewayRequest {
  readonly provider: ProviderName;
  /** Null for requests refused before the model was known, and for unmetered ones. */
  readonly model: string | null;
  readonly dialect: GatewayDialectName | null;
  readonly ending: RequestEnding;
  /** The status sent to the client; null when it got no answer. */
  readonly status: number | null;
  readonly usage: Readonly<Required<Usage>> | null;
  /** Null when unknown. */
  readonly costUsd: number | null;
  /** The same in whole pico-dollars, for exact sums. */
  readonly costPico: number | null;
  readonly costSource: CostSource;
  readonly partial: boolean;
  /** Arrival time in milliseconds since 1970. */
  readonly startedAt: number;
  readonly durationMs: number;
  /** From arrival to the first streamed text, reasoning or tool call arguments; null when nothing was streamed. */
  readonly ttftMs: number | null;
  /** From the first streamed text to the last; null when all came in one chunk. */
  readonly generationMs: number | null;
  /** How the answer ended; null when it did not finish. */
  readonly finish: Finish | null;
  /** The same in the provider's own word. */
  readonly finishReason: string | null;
  /** The error of a failed or refused request, shortened and without keys. */
  readonly message: string | null;
  /** The fault that was injected into it; null for none. */
  readonly fault: CallFaultKind | null;
}

/** The usage of all requests for one model. */
export interface ReceiptLine {
  readonly model: string;
  /** Requests that were at least partly answered. */
  readonly requests: number;
  readonly usage: Readonly<Required<Usage>>;
  /** The billed cost; null when the price is unknown. */
  readonly costUsd: number | null;
  readonly costPico: number | null;
  /** The cost according to the price table, when the provider reported its own. */
  readonly pricedUsd: number | null;
  /** The least certain source of its requests. */
  readonly costSource: CostSource;
  readonly unpriced: boolean;
}

/** The totals of a gateway. Every request has one ending, and the costs of the lines add up to the total, exactly in pico-dollars. */
export interface Receipt extends Readonly<Record<RequestEnding, number>> {
  readonly requests: number;
  readonly byModel: readonly ReceiptLine[];
  /** Over all models with a known price. */
  readonly totalUsd: number;
  readonly totalPico: number;
  readonly usage: Readonly<Required<Usage>>;
  /** Null for no limit. */
  readonly maxCostUsd: number | null;
  readonly maxTokens: number | null;
  readonly exceeded: boolean;
  /** The first total that exceeded the limit; 0 while none has. */
  readonly costKilledAt: number;
  /** True when some usage is estimated because it was never reported, or some price is unknown. */
  readonly partial: boolean;
  readonly durationMs: number;
  /** Requested models without a price. */
  readonly unknownModels: readonly string[];
  /** Paths of unmetered requests; their cost is not in the total. */
  readonly unmeteredPaths: readonly string[];
}

export function toReceiptLine(model: string, requests: number, figures: RequestFigures): ReceiptLine {
  const { usage, pico, pricedPico, costSource } = figures;
  return {
    model,
    requests,
    usage,
    costUsd: pico === null ? null : toDollars(pico),
    costPico: pico,
    pricedUsd: pricedPico === null ? null : toDollars(pricedPico),
    costSource,
    unpriced: pico === null,
  };
}

/** Usage and cost of one request, or of all requests for one model. Costs are whole pico-dollars, so that sums are exact. */
export interface RequestFigures {
  readonly usage: Readonly<Required<Usage>>;
  /** The billed cost; null when unknown. */
  readonly pico: number | null;
  /** The cost according to the price table, when the provider reported its own. */
  readonly pricedPico: number | null;
  readonly costSource: CostSource;
  /** True when part of the usage was never reported. */
  readonly isEstimated: boolean;
}

/** What is known about an answer so far. */
export interface FiguresInput {
  readonly price: Price | null;
  /** As reported by the provider; null until then. */
  readonly usage: Usage | null;
  readonly providerCostUsd: number | null;
  /** Tokens beyond the reported usage. */
  readonly estimatedInput: number;
  readonly estimatedOutput: number;
}

/** Combines reported and estimated usage. */
export function computeFigures({
  price,
  usage,
  providerCostUsd,
  estimatedInput,
  estimatedOutput,
}: FiguresInput): RequestFigures {
  const whole = addEstimatedUsage(usage, estimatedInput, estimatedOutput);
  const pricedPico = price === null ? null : computeCost(price, whole);
  const isEstimated = usage === null || estimatedInput + estimatedOutput > 0;
  // A cost reported before the final usage does not include the estimated part.
  if (providerCostUsd !== null && !isEstimated)
    return { usage: whole, pico: toPicoDollars(providerCostUsd), pricedPico, costSource: "provider", isEstimated };
  const priced = isEstimated ? "estimated" : "priced";
  return {
    usage: whole,
    pico: pricedPico,
    pricedPico,
    costSource: pricedPico === null ? "unknown" : priced,
    isEstimated,
  };
}

function addEstimatedUsage(usage: Usage | null, estimatedInput: number, estimatedOutput: number): Required<Usage> {
  return {
    input: (usage?.input ?? 0) + estimatedInput,
    output: (usage?.output ?? 0) + estimatedOutput,
    cacheRead: usage?.cacheRead ?? 0,
    cacheWrite: usage?.cacheWrite ?? 0,
    cacheWrite1h: usage?.cacheWrite1h ?? 0,
    reasoning: usage?.reasoning ?? 0,
  };
}

/** Counts the tokens of all classes. */
export function countAllTokens(usage: Usage): number {
  return countPromptTokens(usage) + usage.output;
}

/** From least to most reliable. A sum is as reliable as its worst part. */
export const COST_SOURCES: readonly CostSource[] = ["unknown", "estimated", "priced", "provider"];

export const ZERO_FIGURES: RequestFigures = {
  usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0, reasoning: 0 },
  pico: 0,
  pricedPico: 0,
  costSource: "provider",
  isEstimated: false,
};

export function hasChangedFigures(before: RequestFigures | null, after: RequestFigures): boolean {
  if (before === null || before.pico !== after.pico) return true;
  if (before.isEstimated !== after.isEstimated || before.costSource !== after.costSource) return true;
  return countAllTokens(before.usage) !== countAllTokens(after.usage);
}

export function addFigures(a: RequestFigures, b: RequestFigures): RequestFigures {
  return {
    usage: {
      input: a.usage.input + b.usage.input,
      output: a.usage.output + b.usage.output,
      cacheRead: a.usage.cacheRead + b.usage.cacheRead,
      cacheWrite: a.usage.cacheWrite + b.usage.cacheWrite,
      cacheWrite1h: a.usage.cacheWrite1h + b.usage.cacheWrite1h,
      reasoning: a.usage.reasoning + b.usage.reasoning,
    },
    pico: addOrNull(a.pico, b.pico),
    pricedPico: addOrNull(a.pricedPico, b.pricedPico),
    costSource:
      COST_SOURCES[Math.min(COST_SOURCES.indexOf(a.costSource), COST_SOURCES.indexOf(b.costSource))] ?? "unknown",
    isEstimated: a.isEstimated || b.isEstimated,
  };
}

function addOrNull(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a + b;
}
