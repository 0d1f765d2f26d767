import { type ErrorCategory, type EvalRow, OUTCOMES, type Outcome } from "./row.js";

/** How the trials of one system ended, and what they cost together. */
export interface TrialCounts {
  trials: number;
  outcomes: Record<Outcome, number>;
  /** How often each error category occurred; those that did not are left out. */
  categories: Partial<Record<ErrorCategory, number>>;
  /** Of the trials whose cost is known; null when that of none is. */
  costUsd: number | null;
}

/**
 * Counts the trials of each system, so that a list of runs needs no rows.
 * @example
 * trialCounts(result.rows)["gpt-5"]?.outcomes.pass; // 41
 */
export function trialCounts(rows: readonly EvalRow[]): Record<string, TrialCounts> {
  const bySystem = new Map<string, TrialCounts>();
  let system = "";
  let counts: TrialCounts | undefined;
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as EvalRow;
    // Rows of one system mostly stand together: it is looked up where it changes.
    if (counts === undefined || row.system !== system) {
      system = row.system;
      counts = countsOf(system, bySystem);
    }
    add(row, counts);
  }
  return Object.fromEntries(bySystem);
}

/** No trial at all. */
export function noTrials(): TrialCounts {
  const outcomes = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as Record<Outcome, number>;
  return { trials: 0, outcomes, categories: {}, costUsd: null };
}

function countsOf(system: string, bySystem: Map<string, TrialCounts>): TrialCounts {
  const known = bySystem.get(system) ?? noTrials();
  bySystem.set(system, known);
  return known;
}

function add({ outcome, errorCategory, costUsd }: EvalRow, counts: TrialCounts): void {
  counts.trials += 1;
  counts.outcomes[outcome] += 1;
  if (errorCategory !== "none") counts.categories[errorCategory] = (counts.categories[errorCategory] ?? 0) + 1;
  if (costUsd != null) counts.costUsd = (counts.costUsd ?? 0) + costUsd;
}
