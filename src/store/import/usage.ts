import type { Usage } from "../../core/system.js";

/** Tokens as reported by another tool; null if it does not report them. */
export interface ReportedTokens {
  readonly input: number | null;
  readonly output: number | null;
  readonly cacheRead?: number | null;
  readonly cacheWrite?: number | null;
  readonly reasoning?: number | null;
  /** Whether `input` includes cached tokens. */
  readonly inputHoldsCache: boolean;
}

/** Usage in disjoint classes; null if nothing was reported. All zeros count as not reported. */
export function toUsage(tokens: ReportedTokens): Usage | null {
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
