import { RepeatedIds } from "../core/content-id.js";
import type { Example } from "../core/example.js";

/**
 * Numbers ids that repeat among the examples of a run ("…-2", "…-3", in their order) and says how many those are.
 *
 * It is done after the sample is taken, for every format alike. A table is read in part, so that nobody knows how often
 * a row occurs before it; an id by how often it occurs in the whole file would be another one for Parquet than for JSONL.
 * So the same sample has the same ids whatever the file is written in. Rows without an id that repeat are equal: which of
 * them is "…-2" makes no difference, and the ids of a sample are among those of every larger one. For ids of their own
 * that a built-in dataset repeats for different rows there is no such rule: which row is "…-2" may change with the sample.
 */
export function numberRepeats(examples: readonly Example[]): number {
  const given = new Set(examples.map(({ id }) => String(id)));
  if (given.size === examples.length) return 0;
  const ids = new RepeatedIds();
  for (const example of examples) {
    const id = String(example.id);
    const numbered = ids.next(id, (other) => other !== id && given.has(other));
    if (numbered !== id) example.id = numbered;
  }
  return examples.length - given.size;
}
