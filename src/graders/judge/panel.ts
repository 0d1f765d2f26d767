import { mean, median } from "../../stats/index.js";

/** How the scores of a panel become one. */
export type PanelRule = "mean" | "median" | "majority" | "min";

export const PANEL_RULES: readonly PanelRule[] = ["mean", "median", "majority", "min"];

/**
 * The score of a panel; null when no value has a majority. The majority is what more than half of the judges say, of
 * pass and fail, or of win, tie and loss.
 * @example
 * combined([1, 1, 0], "majority"); // 1
 */
export function combined(scores: readonly number[], rule: PanelRule): number | null {
  if (rule === "mean") return mean(scores);
  if (rule === "median") return median(scores);
  return rule === "min" ? Math.min(...scores) : majority(scores);
}

function majority(scores: readonly number[]): number | null {
  // Of a pair that was shown in both orders a win and a tie are a win.
  const sides = scores.map((score) => (1 + Math.sign(score - 0.5)) / 2);
  return [0, 0.5, 1].find((side) => sides.filter((each) => each === side).length > scores.length / 2) ?? null;
}

/**
 * How far judges agree: 1 − the mean distance |a − b| over all pairs of judges. On the binary scale that is the share
 * of pairs that say the same. Null with fewer than two judges.
 * @example
 * agreementOf([1, 1, 0]); // 1/3: one pair of three agrees
 */
export function agreementOf(scores: readonly number[]): number | null {
  const distances = scores.flatMap((a, i) => scores.slice(i + 1).map((b) => Math.abs(a - b)));
  return distances.length === 0 ? null : 1 - mean(distances);
}
