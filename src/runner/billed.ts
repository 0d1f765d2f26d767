import type { EvalRow } from "../core/row.js";
import type { Output, TrialBudget, Usage } from "../core/system.js";
import type { Attempted } from "./call.js";

type Billed = Pick<EvalRow, "usage" | "costUsd" | "costSource" | "partial" | "overshootUsd" | "costKilledAt">;

/**
 * What a trial used and cost. A cost that the provider reports is the billed one; else tokens are priced, as reported
 * or, while that is not known, as counted in the text. Without a price the cost is unknown, not 0.
 */
export function billed(output: Output, budget: TrialBudget | null): Billed {
  // The bill knows of calls that were made again, too.
  const usage = usedBy(budget) ?? usageOf(output.usage);
  const { costUsd, costSource } = costOf(output, budget, usage !== null);
  const partial = output.partial === true || (budget?.isEstimated ?? false);
  return { usage, costUsd, costSource, partial, ...stopped(costUsd, budget) };
}

function costOf(output: Output, budget: TrialBudget | null, isUsed: boolean): Pick<Billed, "costUsd" | "costSource"> {
  const provided = amount(output.costUsd);
  if (provided !== null) return { costUsd: provided, costSource: "provider" };
  if (budget === null || !budget.isPriced) return { costUsd: null, costSource: "unknown" };
  if (budget.isEstimated) return { costUsd: budget.bill.costUsd, costSource: "estimated" };
  return isUsed ? { costUsd: budget.bill.costUsd, costSource: "priced" } : { costUsd: null, costSource: "unknown" };
}

/** Where the budget stopped the trial, and by how much the bill is over it in the end. */
function stopped(costUsd: number | null, budget: TrialBudget | null): Pick<Billed, "overshootUsd" | "costKilledAt"> {
  if (budget === null || !budget.bill.exceeded) return { overshootUsd: null, costKilledAt: 0 };
  const over = costUsd === null || budget.maxCostUsd === 0 ? null : Math.max(0, costUsd - budget.maxCostUsd);
  return { overshootUsd: over, costKilledAt: budget.costKilledAt };
}

/** What was added to the bill, for a system that reports its usage nowhere else. */
function usedBy(budget: TrialBudget | null): Usage | null {
  if (budget === null) return null;
  const { input, output, cacheRead, cacheWrite, cacheWrite1h, reasoning } = budget.usage;
  if (input + output + cacheRead + cacheWrite === 0) return null;
  return { input, output, ...positive({ cacheRead, cacheWrite, cacheWrite1h, reasoning }) };
}

function positive(counts: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
}

/** A measured amount, or null: unknown is not zero, and nonsense is unknown. */
export function amount(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null;
}

/** Usage as a system reports it, or null when it is none that makes sense. */
export function usageOf(usage: Usage | null | undefined): Usage | null {
  if (usage === undefined || usage === null) return null;
  const { input, output, cacheRead, cacheWrite, cacheWrite1h, reasoning } = usage;
  const given = Object.entries({ input, output, cacheRead, cacheWrite, cacheWrite1h, reasoning }).filter(
    ([, value]) => value != null,
  );
  const sensible =
    typeof input === "number" && typeof output === "number" && given.every(([, value]) => amount(value) !== null);
  return sensible ? (Object.fromEntries(given) as unknown as Usage) : null;
}

/** Bills what an output reports, for a system that did not do so while it worked. */
export function charge(output: Output, budget: TrialBudget): void {
  const usage = usageOf(output.usage);
  if (usage === null || usedBy(budget) !== null) return;
  if (Object.values(usage).every(Number.isSafeInteger)) budget.add(usage);
}

/** What the budget of the run has to pay for a trial; null when nobody knows. What came from the cache was paid before. */
export function spentOn({ call, ...attempted }: Attempted): number | null {
  if (call.isCached) return 0;
  if (attempted.kind === "returned") return billed(attempted.output, call.budget).costUsd;
  return call.budget?.bill.costUsd ?? 0;
}
