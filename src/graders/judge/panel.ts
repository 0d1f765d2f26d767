import { mean, median } from "../../stats/index.js";

/** How the scores of a panel are combined. */
export type PanelRule = "mean" | "median" | "majority" | "min";

export const PANEL_RULES: readonly PanelRule[] = ["mean", "median", "majority", "min"];

/**
 * Combines the scores of a panel; null if no value has a majority. A majority is more than half of the judges, for pass
 * or fail, or for win, tie or loss.
 * @example
 * combinePanelScores([1, 1, 0], "majority"); // 1
 */
export function combinePanelScores(scores: readonly number[], rule: PanelRule): number | null {
  if (rule === "mean") return mean(scores);
  if (rule === "median") return median(scores);
  return rule === "min" ? Math.min(...scores) : findMajority(scores);
}

function findMajority(scores: readonly number[]): number | null {
  // For a pair shown in both orders, a win and a tie count as a win.
  const sides = scores.map((score) => (1 + Math.sign(score - 0.5)) / 2);
  return [0, 0.5, 1].find((side) => sides.filter((each) => each === side).length > scores.length / 2) ?? null;
}

/**
 * Agreement of judges: 1 − the mean distance |a − b| over all pairs of judges. On the binary scale this is the share of
 * pairs that agree. Null with fewer than two judges.
 * @example
 * computePanelAgreement([1, 1, 0]); // 1/3: one pair of three agrees
 */
export function computePanelAgreement(scores: readonly number[]): number | null {
  const distances = scores.flatMap((a, i) => scores.slice(i + 1).map((b) => Math.abs(a - b)));
  return distances.length === 0 ? null : 1 - mean(distances);
}
