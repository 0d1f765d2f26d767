function requireWeights(scores: readonly number[], weights: readonly number[]): void {
  if (scores.length !== weights.length) {
    throw new RangeError(`weights must be as many as scores (${scores.length}), got ${weights.length}`);
  }
  for (const weight of weights) {
    if (!(weight >= 0 && weight < Number.POSITIVE_INFINITY)) {
      throw new RangeError(`weights must be finite and not negative, got ${weight}`);
    }
  }
}

/**
 * The weighted mean of grader scores; a weight of 0 reports a grader without counting it, but not every one can be 0.
 * @example
 * weightedScore([1, 0], [1, 0.5]); // 0.6667
 */
export function weightedScore(scores: readonly number[], weights: readonly number[]): number {
  requireWeights(scores, weights);
  let total = 0;
  let sum = 0;
  scores.forEach((score, index) => {
    if (!Number.isFinite(score)) throw new RangeError(`scores must be finite, got ${score}`);
    const weight = weights[index] ?? 0;
    total += weight;
    sum += weight * score;
  });
  if (total === 0) throw new RangeError("weights must not all be 0: give at least one grader a weight above 0");
  return sum / total;
}
