import type { Price } from "../../core/price.js";
import type { CostSource } from "../../core/row.js";
import type { Usage } from "../../core/system.js";
import { promptOf } from "../../core/usage.js";
import type { DialectName, Finish } from "../../models/dialects/dialect.js";
import { costOf, dollars, picoDollars } from "../price.js";
import type { ProviderName } from "./provider.js";

/**
 * How a request ended. Each has exactly one: `answered` in full; `cut` by the budget; `abandoned` by the client; `failed`
 * upstream; `refused` by the gateway, before anything was spent; `unmetered` on a path where no model answers.
 */
export const ENDINGS = ["answered", "cut", "abandoned", "failed", "refused", "unmetered"] as const;

export type Ending = (typeof ENDINGS)[number];

/** One request that is over, for whoever wants to write down each. */
export interface GatewayRequest {
  readonly provider: ProviderName;
  /** Null for requests that were refused before it was known, and for unmetered ones. */
  readonly model: string | null;
  readonly dialect: DialectName | null;
  readonly ending: Ending;
  /** What the client was answered with; null when it got no answer. */
  readonly status: number | null;
  readonly usage: Readonly<Required<Usage>> | null;
  /** Null when it is not known. */
  readonly costUsd: number | null;
  /** The same in whole pico-dollars, whose sums are exact. */
  readonly costPico: number | null;
  readonly costSource: CostSource;
  readonly partial: boolean;
  /** When it arrived: milliseconds since 1970. */
  readonly startedAt: number;
  readonly durationMs: number;
  /** From its arrival to the first words of a streamed answer: text, thoughts, or arguments of a call; null for none. */
  readonly ttftMs: number | null;
  /** From the first words of a streamed answer to the last; null when all came in one piece. */
  readonly generationMs: number | null;
  /** How its answer ended; null when it did not come to its end. */
  readonly finish: Finish | null;
  /** Of a request that failed or was refused: what was said about it, in short and without keys. */
  readonly message: string | null;
}

/** What all requests for one model used. */
export interface ReceiptLine {
  readonly model: string;
  /** Those that were answered at least in part. */
  readonly requests: number;
  readonly usage: Readonly<Required<Usage>>;
  /** What is billed; null when nobody knows the price. */
  readonly costUsd: number | null;
  readonly costPico: number | null;
  /** What the price table says, beside a cost that the provider told. */
  readonly pricedUsd: number | null;
  /** Of the least certain of its requests. */
  readonly costSource: CostSource;
  readonly unpriced: boolean;
}

/** What a gateway did: every request has one ending, and the costs of the lines add up to the total, exactly in pico-dollars. */
export interface Receipt extends Readonly<Record<Ending, number>> {
  readonly requests: number;
  readonly byModel: readonly ReceiptLine[];
  /** Of all models whose price is known. */
  readonly totalUsd: number;
  readonly totalPico: number;
  readonly usage: Readonly<Required<Usage>>;
  /** Null when there is no limit. */
  readonly maxCostUsd: number | null;
  readonly maxTokens: number | null;
  readonly exceeded: boolean;
  /** The first total that exceeded the limit; 0 while none has. */
  readonly costKilledAt: number;
  /** True when some usage was never reported and is estimated, or some price is not known. */
  readonly partial: boolean;
  readonly durationMs: number;
  /** Models that were asked for and have no price. */
  readonly unknownModels: readonly string[];
  /** The paths of unmetered requests: what they cost is not in the total. */
  readonly unmeteredPaths: readonly string[];
}

export function lineOf(model: string, requests: number, figures: Figures): ReceiptLine {
  const { usage, pico, pricedPico, costSource } = figures;
  return {
    model,
    requests,
    usage,
    costUsd: pico === null ? null : dollars(pico),
    costPico: pico,
    pricedUsd: pricedPico === null ? null : dollars(pricedPico),
    costSource,
    unpriced: pico === null,
  };
}

/** What one request, or all requests of one model, used and cost. Costs are whole pico-dollars, so that sums are exact. */
export interface Figures {
  readonly usage: Readonly<Required<Usage>>;
  /** What is billed; null when nobody knows. */
  readonly pico: number | null;
  /** What the price table says, beside a cost that the provider told. */
  readonly pricedPico: number | null;
  readonly costSource: CostSource;
  /** True when a part of the usage was never reported. */
  readonly isEstimated: boolean;
}

/** What is known of an answer so far. */
export interface Known {
  readonly price: Price | null;
  /** As the provider reports it; null until it does. */
  readonly usage: Usage | null;
  readonly providerCostUsd: number | null;
  /** Tokens on top of what was reported. */
  readonly estimatedInput: number;
  readonly estimatedOutput: number;
}

/** Puts together what was reported and what had to be estimated. */
export function figuresOf({ price, usage, providerCostUsd, estimatedInput, estimatedOutput }: Known): Figures {
  const whole = wholeUsage(usage, estimatedInput, estimatedOutput);
  const pricedPico = price === null ? null : costOf(price, whole);
  const isEstimated = usage === null || estimatedInput + estimatedOutput > 0;
  // A cost that came before the last of the usage does not cover what was estimated on top.
  if (providerCostUsd !== null && !isEstimated)
    return { usage: whole, pico: picoDollars(providerCostUsd), pricedPico, costSource: "provider", isEstimated };
  const priced = isEstimated ? "estimated" : "priced";
  return {
    usage: whole,
    pico: pricedPico,
    pricedPico,
    costSource: pricedPico === null ? "unknown" : priced,
    isEstimated,
  };
}

function wholeUsage(usage: Usage | null, estimatedInput: number, estimatedOutput: number): Required<Usage> {
  return {
    input: (usage?.input ?? 0) + estimatedInput,
    output: (usage?.output ?? 0) + estimatedOutput,
    cacheRead: usage?.cacheRead ?? 0,
    cacheWrite: usage?.cacheWrite ?? 0,
    cacheWrite1h: usage?.cacheWrite1h ?? 0,
    reasoning: usage?.reasoning ?? 0,
  };
}

/** The tokens of all classes together. */
export function tokensOf(usage: Usage): number {
  return promptOf(usage) + usage.output;
}

/** From the least to the most reliable: a sum is as good as the worst of its parts. */
export const SOURCES: readonly CostSource[] = ["unknown", "estimated", "priced", "provider"];

export const NO_FIGURES: Figures = {
  usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0, reasoning: 0 },
  pico: 0,
  pricedPico: 0,
  costSource: "provider",
  isEstimated: false,
};

/** True when who keeps a total has to be told of the difference. */
export function isMoved(before: Figures | null, after: Figures): boolean {
  if (before === null || before.pico !== after.pico) return true;
  if (before.isEstimated !== after.isEstimated || before.costSource !== after.costSource) return true;
  return tokensOf(before.usage) !== tokensOf(after.usage);
}

export function addFigures(a: Figures, b: Figures): Figures {
  return {
    usage: {
      input: a.usage.input + b.usage.input,
      output: a.usage.output + b.usage.output,
      cacheRead: a.usage.cacheRead + b.usage.cacheRead,
      cacheWrite: a.usage.cacheWrite + b.usage.cacheWrite,
      cacheWrite1h: a.usage.cacheWrite1h + b.usage.cacheWrite1h,
      reasoning: a.usage.reasoning + b.usage.reasoning,
    },
    pico: sum(a.pico, b.pico),
    pricedPico: sum(a.pricedPico, b.pricedPico),
    costSource: SOURCES[Math.min(SOURCES.indexOf(a.costSource), SOURCES.indexOf(b.costSource))] ?? "unknown",
    isEstimated: a.isEstimated || b.isEstimated,
  };
}

function sum(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a + b;
}
