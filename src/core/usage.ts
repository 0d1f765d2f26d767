import type { EvalRow } from "./row.js";
import type { Usage } from "./system.js";

/** The tokens of the prompt, however they were billed. */
export function promptOf(usage: Usage): number {
  return usage.input + (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0);
}

/**
 * What a trial used, call by call where that is known of all its calls, since a price may depend on the length of each
 * prompt; else `total` alone.
 */
export function usagesOf({ metadata }: Pick<EvalRow, "metadata">, total: Usage): readonly Usage[] {
  const turns = metadata?.turnUsage;
  if (!Array.isArray(turns)) return [total];
  const known = turns.filter((usage): usage is Usage => usage !== null);
  const isWhole = (["input", "output"] as const).every(
    (name) => known.reduce((sum, usage) => sum + usage[name], 0) === total[name],
  );
  return isWhole ? known : [total];
}
