import { computeRouge, type RougeInput } from "./rouge.js";

/** Computes ROUGE of long texts in a worker thread. */
export function run(input: unknown): unknown {
  return computeRouge(input as RougeInput);
}
