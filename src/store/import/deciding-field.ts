import { isFiniteNumber, isObject, type JsonObject, measureOf, objectOf } from "./fields.js";

/** Which fields decide where nothing tells, the first that is there. */
const USUAL = ["score", "f1", "accuracy", "exact_match"];
const EXACT = 1e-9;

/**
 * The score field that a summary was made by. Files of context-bench do not name it, but hold its mean for each system:
 * the field whose means are those decides. Null when there is no score at all.
 * @example
 * decidingField([{ system: "s", scores: { em: 0, f1: 0.5 } }], { s: { mean_score: 0.5 } }); // "f1"
 */
export function decidingField(rows: readonly JsonObject[], summary: JsonObject): string | null {
  const fields = [...new Set(rows.flatMap((row) => Object.keys(objectOf(row, "scores"))))];
  const usual = USUAL.filter((name) => fields.includes(name));
  const candidates = [...usual, ...fields.filter((name) => !usual.includes(name))];
  return candidates.find((field) => isSummarised(field, rows, summary)) ?? candidates[0] ?? null;
}

function isSummarised(field: string, rows: readonly JsonObject[], summary: JsonObject): boolean {
  const said = Object.entries(summary).flatMap(([system, values]) => {
    const mean = isObject(values) ? measureOf(values, "mean_score") : null;
    return mean === null ? [] : [{ system, mean }];
  });
  return said.length > 0 && said.every(({ system, mean }) => isMean(mean, field, ofSystem(rows, system)));
}

function ofSystem(rows: readonly JsonObject[], system: string): JsonObject[] {
  return rows.filter((row) => row.system === system);
}

/** A row without the field counts as 0 there. */
function isMean(mean: number, field: string, rows: readonly JsonObject[]): boolean {
  const total = rows.reduce((sum, row) => sum + scoreIn(objectOf(row, "scores"), field), 0);
  return rows.length > 0 && Math.abs(total / rows.length - mean) < EXACT;
}

function scoreIn(scores: JsonObject, field: string): number {
  const value = Object.hasOwn(scores, field) ? scores[field] : 0;
  return isFiniteNumber(value) ? value : 0;
}
