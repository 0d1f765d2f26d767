import { type ErrorCategory, type EvalRow, OUTCOMES, type Outcome } from "./row.js";

/** The outcomes and total cost of one system's trials. */
export interface TrialCounts {
  trials: number;
  outcomes: Record<Outcome, number>;
  /** Counts per error category; categories that did not occur are absent. */
  categories: Partial<Record<ErrorCategory, number>>;
  /** Total of the known costs; null if no cost is known. */
  costUsd: number | null;
}

/**
 * Counts the trials of each system, so that a list of runs can be shown without reading rows.
 * @example
 * countTrials(result.rows)["large"]?.outcomes.pass; // 41
 */
export function countTrials(rows: readonly EvalRow[]): Record<string, TrialCounts> {
  const bySystem = new Map<string, TrialCounts>();
  let system = "";
  let counts: TrialCounts | undefined;
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as EvalRow;
    // Rows are usually ordered by system, so look it up only when it changes.
    if (counts === undefined || row.system !== system) {
      system = row.system;
      counts = getSystemCounts(system, bySystem);
    }
    addTrialToCounts(row, counts);
  }
  return Object.fromEntries(bySystem);
}

export function createTrialCounts(): TrialCounts {
  const outcomes = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as Record<Outcome, number>;
  return { trials: 0, outcomes, categories: {}, costUsd: null };
}

function getSystemCounts(system: string, bySystem: Map<string, TrialCounts>): TrialCounts {
  const known = bySystem.get(system) ?? createTrialCounts();
  bySystem.set(system, known);
  return known;
}

function addTrialToCounts({ outcome, errorCategory, costUsd }: EvalRow, counts: TrialCounts): void {
  counts.trials += 1;
  counts.outcomes[outcome] += 1;
  if (errorCategory !== "none") counts.categories[errorCategory] = (counts.categories[errorCategory] ?? 0) + 1;
  if (costUsd != null) counts.costUsd = (counts.costUsd ?? 0) + costUsd;
}
