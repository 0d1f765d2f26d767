import { type EvalRow, getMeasure, getScore } from "../../../../src/core/row.js";
import { formatNumber } from "../../ui/format.js";

/**
 * Why a trial ended as it did, in words; null when there is nothing to say.
 * @example
 * explainOutcome(row, 0.7); // "f1 = 0.4, less than 0.7"
 */
export function explainOutcome(row: EvalRow, threshold: number): string | null {
  if (row.outcome === "error") return row.attempts.at(-1)?.message ?? row.notes.at(-1) ?? null;
  if (row.outcome === "unscored" || row.outcome === "skipped") return row.notes.at(-1) ?? null;
  const score = getScore(row, "score");
  if (score === undefined) return null;
  const said = `${row.primaryField ?? "score"} = ${formatNumber(score)}`;
  // Graders and required parts may decide otherwise than the threshold would.
  if (row.passed !== score >= threshold) return said;
  return `${said}, ${row.passed ? "at least" : "less than"} ${formatNumber(threshold)}`;
}

/** A score with what was found, the one that decides first; then what was found about anything else. */
export interface ScoreWithEvidence {
  readonly field: string;
  readonly score: number | null;
  readonly evidence: string | null;
  readonly decides: boolean;
}

/** Everything that evaluators said of a trial. */
export function listScores(row: EvalRow, evidence: Readonly<Record<string, string>>): ScoreWithEvidence[] {
  const found = new Map(Object.entries(evidence));
  const scored = Object.entries(row.scores).map(([field, score]) => ({
    field,
    score,
    evidence: found.get(field) ?? null,
    decides: field === row.primaryField,
  }));
  const measured = Object.entries(row.measures).map(([field, score]) => ({
    field,
    score,
    evidence: found.get(field) ?? null,
    decides: false,
  }));
  const others = [...found]
    .filter(([field]) => getMeasure(row, field) === undefined)
    .map(([field, text]) => ({ field, score: null, evidence: text, decides: false }));
  return [...scored.toSorted((a, b) => Number(b.decides) - Number(a.decides)), ...measured, ...others];
}
