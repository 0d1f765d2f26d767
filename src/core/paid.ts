import type { EvalRow } from "./row.js";

/** What a run has paid for a trial: what was in the cache or in a recording was paid for before. */
export function paidFor({
  costUsd,
  judgeCostUsd,
  cached,
}: Pick<EvalRow, "costUsd" | "judgeCostUsd" | "cached">): number {
  return (cached ? 0 : (costUsd ?? 0)) + (judgeCostUsd ?? 0);
}
