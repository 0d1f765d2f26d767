import type { QueueBudget } from "../../../../../src/queue/contract.js";

/** How much of the budget is spent and how much is set aside; the words beside it say the same. */
export function BudgetBar({ budget: { maxCostUsd, spentUsd, reservedUsd } }: { budget: QueueBudget }) {
  // Spending may end a little over the budget, and the bar does not.
  const whole = Math.max(maxCostUsd, spentUsd + reservedUsd);
  if (whole === 0) return null;
  const [spent, aside] = [(100 * spentUsd) / whole, (100 * reservedUsd) / whole];
  return (
    <svg class="budget-bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
      <rect class="budget-ground" x="0" y="0" width="100" height="8" />
      <rect class="budget-spent" x="0" y="0" width={spent} height="8" />
      <rect class="budget-aside" x={spent} y="0" width={aside} height="8" />
    </svg>
  );
}
