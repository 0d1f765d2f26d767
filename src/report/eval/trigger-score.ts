import { type EvalRow, isScored } from "../../core/row.js";

/** How well a skill is activated when it should be, and left alone when it should not. */
export interface TriggerScore {
  /** Trials: activated and should be, activated and should not be, not activated and should be, neither. */
  readonly truePositives: number;
  readonly falsePositives: number;
  readonly falseNegatives: number;
  readonly trueNegatives: number;
  /** Null when it was never activated. */
  readonly precision: number | null;
  /** Null when no trial should have activated it. */
  readonly recall: number | null;
  readonly f1: number | null;
}

/**
 * Precision, recall and F1 over the trials of trigger tests; null when there are none. A trial that should activate the
 * skill passes when it does, one that should not when it does not.
 */
export function triggerScore(rows: readonly EvalRow[]): TriggerScore | null {
  const tests = rows.filter(({ facets }) => facets?.trigger === "should" || facets?.trigger === "should_not");
  if (tests.length === 0) return null;
  const count = (trigger: string, passed: boolean) =>
    tests.filter((row) => isScored(row) && row.facets?.trigger === trigger && row.passed === passed).length;
  const [truePositives, falseNegatives] = [count("should", true), count("should", false)];
  const [trueNegatives, falsePositives] = [count("should_not", true), count("should_not", false)];
  const precision = ratio(truePositives, truePositives + falsePositives);
  const recall = ratio(truePositives, truePositives + falseNegatives);
  const f1 = ratio(2 * truePositives, 2 * truePositives + falsePositives + falseNegatives);
  return { truePositives, falsePositives, falseNegatives, trueNegatives, precision, recall, f1 };
}

function ratio(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}
