import type { QueueBudget, QueueState, WorkerState } from "../../../../../src/queue/contract.js";
import type { QueueView } from "../../../../../src/report/dashboard/contract.js";
import { formatCount, formatDollars, formatMoment, formatPlural, formatShare } from "../../../ui/index.js";

/** What is known of the workers of a run, when it can be read. */
export type ReadableQueue = Exclude<QueueView, { phase: "unreadable" }>;

/** Those that take part. */
function listActiveWorkers(workers: readonly WorkerState[]): WorkerState[] {
  return workers.filter(({ refuses }) => refuses === null);
}

/** Trials delivered by some workers together. */
export function sumDelivered(workers: readonly WorkerState[]): number {
  return workers.reduce((sum, { done }) => sum + done, 0);
}

/** The workers in a sentence. While the run goes, it changes only when a worker comes or goes, since it is read aloud. */
export function describeWorkers({ phase, state }: ReadableQueue): string {
  const { workers, isRunning, at } = state;
  const taking = listActiveWorkers(workers);
  if (phase === "live") return describeParticipation(taking.length, workers.length - taking.length);
  const had = describeDelivered(taking);
  if (phase === "silent")
    return `⚠ Nothing was heard of the queue since ${formatMoment(at)}: the run may be going on without it. By then ${had}.`;
  if (isRunning) return `The coordinator was stopped without a last word. What it told at ${formatMoment(at)}: ${had}.`;
  return `When the coordinator stopped, ${had}.`;
}

function describeParticipation(taking: number, refusing: number): string {
  const some = taking === 1 ? "1 worker takes part" : `${formatCount(taking)} workers take part`;
  const others = refusing === 0 ? "" : `, ${formatCount(refusing)} ${refusing === 1 ? "refuses" : "refuse"}`;
  return `${taking === 0 ? "No worker takes part" : some}${others}.`;
}

function describeDelivered(workers: readonly WorkerState[]): string {
  if (workers.length === 0) return "no worker was there";
  return `${formatPlural(workers.length, "worker")} had delivered ${formatTrialCount(sumDelivered(workers))}`;
}

function formatTrialCount(count: number): string {
  return `${formatCount(count)} ${count === 1 ? "trial" : "trials"}`;
}

/** Trials a second of all that take part. */
export function sumTrialsPerSecond({ workers }: QueueState): number {
  return listActiveWorkers(workers).reduce((sum, { perSecond }) => sum + perSecond, 0);
}

/** What is spent, such as `$0.61 of $1.00 (61 %)`. */
export function describeSpending({ spentUsd, maxCostUsd }: QueueBudget): string {
  const share = maxCostUsd > 0 ? ` (${formatShare(spentUsd / maxCostUsd)})` : "";
  return `${formatDollars(spentUsd)} of ${formatDollars(maxCostUsd)}${share}`;
}

/** What has to be said about the money besides its sums. */
export function listBudgetWarnings({ isRefusing, lostTrials, lostUsd, unknownCosts }: QueueBudget): string[] {
  const lines: string[] = [];
  if (isRefusing) lines.push("What is left of the budget is not enough for another trial: no more are started.");
  if (lostTrials > 0) lines.push(describeLostTrials(lostTrials, lostUsd));
  if (unknownCosts > 0)
    lines.push(
      `Nobody knows what ${formatTrialCount(unknownCosts)} cost: what was set aside for that counts as spent.`,
    );
  return lines;
}

function describeLostTrials(count: number, usd: number): string {
  const [were, them, they] = count === 1 ? ["was", "it", "it"] : ["were", "them", "they"];
  const lost = `${formatTrialCount(count)} ${were} lost with the worker that ran ${them}.`;
  return `${lost} Nobody knows what ${they} cost: the ${formatDollars(usd)} that was set aside counts as spent.`;
}

/** Why a worker does not do more; a dash when nothing holds it up. */
export function explainWaiting({ run, waiting, refuses }: WorkerState): string {
  if (refuses !== null) return `Refuses: ${refuses}`;
  return waiting ?? (run === null ? "a run" : "–");
}
