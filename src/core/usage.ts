import type { EvalRow } from "./row.js";
import type { Usage } from "./system.js";

/** Prompt tokens of all classes. */
export function countPromptTokens(usage: Usage): number {
  return usage.input + (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0);
}

/**
 * The usage of each call, because a price may depend on the prompt length of each; `total` alone if a call's usage is
 * unknown.
 */
export function listCallUsages({ metadata }: Pick<EvalRow, "metadata">, total: Usage): readonly Usage[] {
  const turns = metadata?.turnUsage;
  if (!Array.isArray(turns)) return [total];
  const known = turns.filter((usage): usage is Usage => usage !== null);
  const isWhole = (["input", "output"] as const).every(
    (name) => known.reduce((sum, usage) => sum + usage[name], 0) === total[name],
  );
  return isWhole ? known : [total];
}
