import type { JsonSummary, Summary } from "../../core/result.js";
import { CARD_FIGURES, type CardFigure, type SystemCard } from "./contract.js";

/** A figure of a summary by its key; null when it is missing or infinite, and when no task stands behind it. */
export type ReadFigure = (key: string) => number | null;

/** Reads the figures of a summary, in memory or as it is stored, with speed and efficiency in a block of their own. */
export function figureReader(summary: Summary | JsonSummary): ReadFigure {
  const { efficiency } = summary;
  const nested = typeof efficiency === "object" && efficiency !== null ? efficiency : {};
  return (key) => (summary[`${key}_n`] === 0 ? null : (finite(summary[key]) ?? finite(nested[key])));
}

/** The figures of a card, and the k that its `pass_hat` is for: the largest of at most `trials` that there is one for. */
export function cardFigures(
  summary: Summary | JsonSummary,
  trials: number,
): Pick<SystemCard, "k"> & { figures: Record<CardFigure, number | null> } {
  const read = figureReader(summary);
  const k = largestK(read, trials);
  const figures = {} as Record<CardFigure, number | null>;
  for (const figure of CARD_FIGURES) figures[figure] = shown(figure, read(keyOf(figure, k)));
  return { figures, k };
}

/** A score has no values outside [0, 1]; in summaries that older versions stored its interval may go further. */
export function withinScores(bound: number | null): number | null {
  return bound === null ? null : Math.min(1, Math.max(0, bound));
}

function shown(figure: CardFigure, value: number | null): number | null {
  if (figure === "mean_score_ci_low" || figure === "mean_score_ci_high") return withinScores(value);
  // One system alone has no rank, for which its metric says 0.
  return figure === "pareto_rank" && value === 0 ? null : value;
}

const PASS_HAT = "pass_hat";

function keyOf(figure: CardFigure, k: number): string {
  return figure.startsWith(PASS_HAT) ? `${PASS_HAT}_${k}${figure.slice(PASS_HAT.length)}` : figure;
}

function largestK(read: ReadFigure, trials: number): number {
  for (let k = trials; k > 0; k--) if (read(`pass_hat_${k}`) !== null) return k;
  return trials;
}

/** What every object has, such as `constructor`, is no number either. */
function finite(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}
