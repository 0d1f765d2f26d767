import { isTrialError, type Spent } from "../core/errors.js";
import type { EvalRow } from "../core/row.js";
import type { Output, TrialBill, TrialBudget, Usage } from "../core/system.js";
import type { Attempted } from "./call.js";

type Billed = Pick<EvalRow, "usage" | "costUsd" | "costSource" | "partial" | "overshootUsd" | "costKilledAt">;

/**
 * What a trial used and cost. A cost that the provider reports is the billed one; else tokens are priced, as reported
 * or, while that is not known, as counted in the text. Without a price the cost is unknown, not 0.
 */
export function billed(output: Output, budget: TrialBill | null): Billed {
  // The bill knows of calls that were made again, too.
  const usage = usedBy(budget) ?? usageOf(output.usage);
  const { costUsd, costSource } = costOf(output, budget, usage !== null);
  const partial = output.partial === true || (budget?.isEstimated ?? false);
  return { usage, costUsd, costSource, partial, ...overLimit(output, costUsd, budget) };
}

function costOf(output: Output, budget: TrialBill | null, isUsed: boolean): Pick<Billed, "costUsd" | "costSource"> {
  const provided = amount(output.costUsd);
  if (provided !== null) return { costUsd: provided, costSource: "provider" };
  if (budget === null || !budget.isPriced) return { costUsd: null, costSource: "unknown" };
  if (budget.isEstimated) return { costUsd: budget.bill.costUsd, costSource: "estimated" };
  return isUsed ? { costUsd: budget.bill.costUsd, costSource: "priced" } : { costUsd: null, costSource: "unknown" };
}

const PICO = 1e12;

/** Where the budget stopped the trial, and by how much the bill is over its limit in the end. */
function overLimit(
  { stopped }: Output,
  costUsd: number | null,
  budget: TrialBill | null,
): Pick<Billed, "overshootUsd" | "costKilledAt"> {
  const max = budget?.maxCostUsd ?? 0;
  const over = costUsd === null || max === 0 ? 0 : Math.round((costUsd - max) * PICO) / PICO;
  const costKilledAt = stopped === "cost_killed" ? (budget?.costKilledAt ?? 0) : 0;
  return { overshootUsd: over > 0 ? over : null, costKilledAt };
}

/** What was added to the bill, for a system that reports its usage nowhere else. */
function usedBy(budget: TrialBill | null): Usage | null {
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
  // A part that is larger than its whole is nonsense.
  return sensible && (cacheWrite1h ?? 0) <= (cacheWrite ?? 0) ? (Object.fromEntries(given) as unknown as Usage) : null;
}

/** Bills what a call reports in the end, for a system that did not do so while it worked. */
export function charge(attempted: Attempted, budget: TrialBudget): void {
  const usage = usageOf(reportOf(attempted).usage);
  if (usage === null || usedBy(budget) !== null) return;
  if (Object.values(usage).every(Number.isSafeInteger)) budget.add(usage);
}

/** What a call says it used: its output, or what was used up before it failed. */
function reportOf(attempted: Attempted): Output {
  return attempted.kind === "returned" ? attempted.output : (spentOf(attempted.error) ?? {});
}

/** What an error says was used up before it, when it does. */
export function spentOf(error: unknown): Spent | null {
  return isTrialError(error) ? (error.spent ?? null) : null;
}

/** What the budget of the run has to pay for a trial; null when nobody knows. What was there already was paid before. */
export function spentOn(attempted: Attempted): number | null {
  const { wasPaid, wasStored } = attempted.call;
  return wasPaid || wasStored ? 0 : costOfCalls(attempted);
}

/** What the calls of a trial have cost, whenever that was; null when nobody knows. */
function costOfCalls(attempted: Attempted): number | null {
  const { call } = attempted;
  const { costUsd } = billed(reportOf(attempted), call.budget);
  const billedUsd = call.budget?.bill.costUsd ?? 0;
  // A call that failed has most likely cost nothing; a system that says nothing of costs is taken to have none.
  const isKnown = billedUsd > 0 || call.budget === null || (attempted.kind === "threw" && !call.wasCut);
  return costUsd ?? (isKnown ? billedUsd : null);
}
