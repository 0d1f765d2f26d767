import type { Usage } from "../../core/system.js";
import { type Fields, fieldsOf } from "../../models/dialects/fields.js";
import { countOf } from "../own-figures.js";

/** The tokens of one step: input without what was cached, output without reasoning. Null when the step tells none. */
export function usageOf(tokens: Fields | null): Usage | null {
  if (tokens === null) return null;
  const cache = fieldsOf(tokens.cache) ?? {};
  const reasoning = countOf(tokens.reasoning);
  return {
    input: countOf(tokens.input),
    output: countOf(tokens.output) + reasoning,
    cacheRead: countOf(cache.read),
    cacheWrite: countOf(cache.write),
    reasoning,
  };
}
