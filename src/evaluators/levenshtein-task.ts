import { computeBestSimilarity, type SimilarityInput } from "./text-similarity.js";

/** Compares long texts in a worker thread. */
export function run(input: unknown): unknown {
  return computeBestSimilarity(input as SimilarityInput);
}
