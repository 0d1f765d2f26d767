import { expect, it } from "vitest";
import { NO_EARLIER_RESULTS } from "../runner/row-collector.js";
import { formatBudgetNotes } from "./budgets.js";

const SPENT = { maxCostUsd: 1, spentUsd: 0.5, isRefusing: false, unknownCosts: 0 };

it("reports how many trials were lost with their workers, and what counts as spent for them", () => {
  const notesOf = (lostTrials: number, lostUsd: number) =>
    formatBudgetNotes(
      { rows: [], budget: { ...SPENT, lostTrials, lostUsd }, besides: NO_EARLIER_RESULTS.besides },
      { unheld: [], systems: [] },
    ).filter((note) => note.includes("worker"));
  expect(notesOf(0, 0)).toEqual([]);
  expect(notesOf(1, 0.02)[0]).toMatch(/^1 trial was lost with its worker; the \$0\.02\d* reserved for it counts as/);
  expect(notesOf(2, 0.04)[0]).toMatch(/^2 trials were lost with their workers; the \$0\.04\d* reserved for them/);
});
