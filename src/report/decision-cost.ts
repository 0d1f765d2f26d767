import type { DecisionCost } from "../metrics/index.js";
import { formatDollars, formatPlural } from "./format.js";

/** Savings below this share are not worth a word. */
const MIN_SAVING = 0.05;

/**
 * What a decision cost, in one or two sentences; none if nothing that was compared has a price.
 * @example
 * "cost of the decision: $20.00, with a run of fixed size; stopped when decided (--until decided), it would have cost about $3.38, for 81 of 500 tasks"
 */
export function describeDecisionCost(cost: DecisionCost): string[] {
  const { spentUsd, asked, decided, usdPerDecision } = cost;
  if (spentUsd === null || spentUsd === 0) return [];
  if (usdPerDecision === null) return [`${formatDollars(spentUsd)} spent, and nothing decided${describeFixed(cost)}`];
  const [all, each] = [formatDollars(spentUsd), formatDollars(usdPerDecision)];
  const first =
    asked === 1
      ? `cost of the decision: ${all}`
      : `cost of a decision: ${each}, as ${all} decided ${decided} of ${asked}`;
  return [`${first}, with a run of fixed size${decided < asked ? describeFixed(cost) : describeEarly(cost)}`];
}

function describeFixed({ fixedTasks, fixedUsd }: DecisionCost): string {
  if (fixedTasks === null || fixedUsd === null) return "";
  return `; a run of fixed size that decides would cost about ${formatDollars(fixedUsd)}, for ${formatPlural(fixedTasks, "task")}, if the difference stays what it is`;
}

function describeEarly({ earlyTasks, earlyUsd, spentUsd, tasks }: DecisionCost): string {
  if (earlyTasks === null || earlyUsd === null || spentUsd === null) return "";
  if (earlyUsd > (1 - MIN_SAVING) * spentUsd)
    return "; stopping when decided (--until decided) would have saved nothing";
  return `; stopped when decided (--until decided), it would have cost about ${formatDollars(earlyUsd)}, for ${earlyTasks} of ${tasks} tasks`;
}
