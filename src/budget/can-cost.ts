import type { Limits } from "../core/price.js";
import { dollars, pricesAt } from "./price.js";

/** How much a system is given in a trial: tokens of its prompt, and how often it is asked. */
export interface GivenPrompt {
  readonly tokens: number;
  readonly calls: number;
}

/** The most that a trial can cost, and what says so; null when nothing does. */
export interface CanCost {
  readonly usd: number;
  /** The prompt and the longest answers at their prices, or the limit of the trial where that is lower or all that is known. */
  readonly by: "tokens" | "limit";
}

/**
 * What a trial can cost before anything is known of others: its prompt and the longest answers it may get, at most its
 * limit. Each further turn is sent all that was said before.
 * @example
 * canCost({ price, maxCostUsd: 0.5, hardTimeoutMs: null, maxOutputTokens: 500 }, { tokens: 1200, calls: 1 });
 */
export function canCost(limits: Limits | null, prompt: GivenPrompt): CanCost | null {
  const limit = limits?.maxCostUsd ?? 0;
  const tokens = limits === null ? null : costOfTokens(limits, prompt);
  if (tokens !== null && (limit === 0 || tokens < limit)) return { usd: tokens, by: "tokens" };
  return limit > 0 ? { usd: limit, by: "limit" } : null;
}

function costOfTokens({ price, maxOutputTokens }: Limits, { tokens, calls }: GivenPrompt): number | null {
  if (price === null || maxOutputTokens === undefined) return null;
  const answers = maxOutputTokens * (calls - 1);
  const prices = pricesAt(price, tokens + answers);
  const sent = calls * tokens + (answers * calls) / 2;
  return dollars(Math.ceil(sent * prices.input + calls * maxOutputTokens * prices.output));
}
