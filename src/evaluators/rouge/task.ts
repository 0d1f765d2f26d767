import { type RougeInput, rouge } from "./rouge.js";

/** Computes ROUGE of long texts in a worker thread. */
export function run(input: unknown): unknown {
  return rouge(input as RougeInput);
}
