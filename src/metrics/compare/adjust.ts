import { holm } from "../../stats/index.js";
import { type Change, type MetricComparison, type PairedComparison, toAlpha } from "./comparison.js";

/**
 * Applies the Holm correction over the metrics of all comparisons together, as needed for several variants of one
 * experiment or several systems of one run. `of` selects the metrics to include. Default: all.
 * @example
 * const [first, second] = adjustTogether([compareRows(base, one), compareRows(base, two)]);
 */
export function adjustTogether(
  comparisons: readonly PairedComparison[],
  of: (metric: MetricComparison) => boolean = () => true,
): PairedComparison[] {
  const all = comparisons.flatMap(({ metrics, level }, place) =>
    metrics.filter(of).map((metric) => ({ metric, id: buildHypothesisKey(metric, place), alpha: toAlpha(level) })),
  );
  // A hypothesis that cannot become significant does not weaken the others, and duplicates count once.
  const family = new Map<string, number>();
  for (const { metric, id, alpha } of all) if (metric.p !== null && metric.smallestP < alpha) family.set(id, metric.p);
  const adjusted = holm([...family.values()]);
  const byId = new Map([...family.keys()].map((id, index) => [id, adjusted[index] ?? 1]));
  return comparisons.map((comparison, place) => ({
    ...comparison,
    metrics: comparison.metrics.map((metric) => {
      const adjustedP = of(metric) ? (byId.get(buildHypothesisKey(metric, place)) ?? null) : null;
      const judged = { ...metric, adjustedP, hypotheses: family.size };
      return { ...judged, change: classifyChange(judged, comparison.level) };
    }),
  }));
}

/** Metrics that agree in all of these, such as a 0/1 score and the pass rate, are one hypothesis. */
function buildHypothesisKey({ n, a, b, difference, se, p }: MetricComparison, place: number): string {
  return JSON.stringify([place, n, a, b, difference, se, p]);
}

function classifyChange({ difference, se, better, adjustedP }: MetricComparison, level: number): Change {
  if (difference === 0 && se === 0) return "same";
  if (difference === null || adjustedP === null || adjustedP >= toAlpha(level)) return "unclear";
  return difference > 0 === (better === "more") ? "better" : "worse";
}
