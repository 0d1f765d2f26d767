import type { Usage } from "../../core/system.js";

/** Tokens as another tool reports them; null where it says nothing. */
export interface ReportedTokens {
  readonly input: number | null;
  readonly output: number | null;
  readonly cacheRead?: number | null;
  readonly cacheWrite?: number | null;
  readonly reasoning?: number | null;
  /** Whether `input` counts those of the cache as well. */
  readonly inputHoldsCache: boolean;
}

/** Usage in disjoint classes; null when nothing was reported, which all zeros say as well. */
export function usageFrom(tokens: ReportedTokens): Usage | null {
  const { input, output, cacheRead, cacheWrite, reasoning } = tokens;
  if ((input ?? 0) === 0 && (output ?? 0) === 0) return null;
  const cached = (cacheRead ?? 0) + (cacheWrite ?? 0);
  const isInside = tokens.inputHoldsCache && cached <= (input ?? 0);
  return {
    input: (input ?? 0) - (isInside ? cached : 0),
    output: output ?? 0,
    ...(cacheRead == null ? {} : { cacheRead }),
    ...(cacheWrite == null ? {} : { cacheWrite }),
    ...(reasoning == null ? {} : { reasoning }),
  };
}
