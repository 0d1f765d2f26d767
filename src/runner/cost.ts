import type { EvalRow, Output, TrialBill, TrialBudget, Usage } from "../core/index.js";
import { isTrialError, type Spent } from "../core/index.js";
import type { AttemptResult } from "./call.js";

type TrialCostFields = Pick<EvalRow, "usage" | "costUsd" | "costSource" | "partial" | "overshootUsd" | "costKilledAt">;

/**
 * The usage and cost of a trial. A cost reported by the provider wins; otherwise tokens are priced, as reported or, until
 * then, as estimated from the text. Without a price the cost is unknown, not 0.
 */
export function resolveCost(output: Output, budget: TrialBill | null): TrialCostFields {
  // The bill also includes calls that were retried.
  const usage = readBudgetUsage(budget) ?? validateUsage(output.usage);
  const { costUsd, costSource } = resolveCostUsd(output, budget, usage !== null);
  const partial = output.partial === true || (budget?.isEstimated ?? false);
  return { usage, costUsd, costSource, partial, ...computeOvershoot(output, costUsd, budget) };
}

function resolveCostUsd(
  output: Output,
  budget: TrialBill | null,
  isUsed: boolean,
): Pick<TrialCostFields, "costUsd" | "costSource"> {
  const provided = toAmount(output.costUsd);
  if (provided !== null) return { costUsd: provided, costSource: "provider" };
  if (budget === null || !budget.isPriced) return { costUsd: null, costSource: "unknown" };
  if (budget.isEstimated) return { costUsd: budget.bill.costUsd, costSource: "estimated" };
  if (!isUsed) return { costUsd: null, costSource: "unknown" };
  return { costUsd: budget.bill.costUsd, costSource: isFromBatch(output) ? "batch" : "priced" };
}

function isFromBatch({ metadata }: Output): boolean {
  return metadata?.serviceTier === "batch";
}

const PICO = 1e12;

/** The cost at which the budget stopped the trial, and by how much the final bill exceeds the limit. */
function computeOvershoot(
  { stopped }: Output,
  costUsd: number | null,
  budget: TrialBill | null,
): Pick<TrialCostFields, "overshootUsd" | "costKilledAt"> {
  const max = budget?.maxCostUsd ?? 0;
  const over = costUsd === null || max === 0 ? 0 : Math.round((costUsd - max) * PICO) / PICO;
  const costKilledAt = stopped === "cost_killed" ? (budget?.costKilledAt ?? 0) : 0;
  return { overshootUsd: over > 0 ? over : null, costKilledAt };
}

/** Usage added to the bill, for a system that reports it nowhere else. */
function readBudgetUsage(budget: TrialBill | null): Usage | null {
  if (budget === null) return null;
  const { input, output, cacheRead, cacheWrite, cacheWrite1h, reasoning } = budget.usage;
  if (input + output + cacheRead + cacheWrite === 0) return null;
  return { input, output, ...omitZeros({ cacheRead, cacheWrite, cacheWrite1h, reasoning }) };
}

function omitZeros(counts: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
}

/** Returns a valid amount, or null: unknown is not zero. */
export function toAmount(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null;
}

/** Returns the reported usage, or null if it is invalid. */
export function validateUsage(usage: Usage | null | undefined): Usage | null {
  if (usage === undefined || usage === null) return null;
  const { input, output, cacheRead, cacheWrite, cacheWrite1h, reasoning } = usage;
  const given = Object.entries({ input, output, cacheRead, cacheWrite, cacheWrite1h, reasoning }).filter(
    ([, value]) => value != null,
  );
  const sensible =
    typeof input === "number" && typeof output === "number" && given.every(([, value]) => toAmount(value) !== null);
  // A part cannot be larger than its whole.
  return sensible && (cacheWrite1h ?? 0) <= (cacheWrite ?? 0) ? (Object.fromEntries(given) as unknown as Usage) : null;
}

/** Charges the usage reported at the end of a call, for a system that did not report it while working. */
export function chargeUsage(attempted: AttemptResult, budget: TrialBudget): void {
  const usage = validateUsage(getReportedOutput(attempted).usage);
  if (usage === null || readBudgetUsage(budget) !== null) return;
  if (Object.values(usage).every(Number.isSafeInteger)) budget.add(usage);
}

/** What a call reports as used: its output, or what was spent before it failed. */
function getReportedOutput(attempted: AttemptResult): Output {
  return attempted.kind === "returned" ? attempted.output : (getErrorSpend(attempted.error) ?? {});
}

/** What an error reports as spent before it; null if nothing. */
export function getErrorSpend(error: unknown): Spent | null {
  return isTrialError(error) ? (error.spent ?? null) : null;
}

/** The cost of a trial to the budget of the run; null if unknown. Cached and stored outputs were paid for earlier. */
export function computeTrialSpend(attempted: AttemptResult): number | null {
  const { isFromCache: wasPaid, wasStored } = attempted.call;
  return wasPaid || wasStored ? 0 : computeCallCost(attempted);
}

/** What a simulated user cost the budget of the run, as far as it is known. */
export function computeUserSpend({ call }: AttemptResult): number {
  return call.wasStored ? 0 : (call.userMeter.spent?.costUsd ?? 0);
}

/** The cost of all calls of a trial, including cached ones; null if unknown. */
function computeCallCost(attempted: AttemptResult): number | null {
  const { call } = attempted;
  const { costUsd } = resolveCost(getReportedOutput(attempted), call.budget);
  const billedUsd = call.budget?.bill.costUsd ?? 0;
  // A failed call most likely cost nothing. A system that reports no costs is assumed to have none.
  const isKnown = billedUsd > 0 || call.budget === null || (attempted.kind === "threw" && !call.wasCut);
  return costUsd ?? (isKnown ? billedUsd : null);
}
