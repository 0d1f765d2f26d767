import type { Usage } from "../../core/system.js";
import { type Fields, fieldsOf } from "../../dialects/fields.js";
import { tokensOf } from "../own-figures.js";

/** The tokens of one step: input without what was cached, output without reasoning. Null when the step tells none. */
export function usageOf(tokens: Fields | null): Usage | null {
  if (tokens === null) return null;
  const cache = fieldsOf(tokens.cache) ?? {};
  const reasoning = tokensOf(tokens.reasoning);
  return {
    input: tokensOf(tokens.input),
    output: tokensOf(tokens.output) + reasoning,
    cacheRead: tokensOf(cache.read),
    cacheWrite: tokensOf(cache.write),
    reasoning,
  };
}
