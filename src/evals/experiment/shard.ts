import { UsageError } from "../../core/errors.js";
import { digest } from "../../core/fingerprint.js";

/** One of several parts of an experiment, counted from 1. */
export interface Shard {
  readonly index: number;
  readonly of: number;
}

/**
 * Reads what `--shard` is given.
 * @example
 * parseShard("1/4"); // { index: 1, of: 4 }
 */
export function parseShard(text: string): Shard {
  const [, index, of] = (/^(\d{1,6})\/(\d{1,6})$/.exec(text.trim()) ?? []).map(Number);
  if (index !== undefined && of !== undefined && index >= 1 && index <= of) return { index, of };
  throw new UsageError(`--shard must look like 1/4, the first of four, but is "${text}".`);
}

export function formatShard({ index, of }: Shard): string {
  return `${index}/${of}`;
}

/**
 * The stimuli of a shard. All trials of a stimulus are in one shard, whatever the variant, so that pairs stay together;
 * shards are as large as each other to within one stimulus. Which one a stimulus is in depends on the stimuli alone, not
 * on their order.
 */
export function inShard(stimuli: Iterable<string>, { index, of }: Shard): Set<string> {
  const shuffled = [...new Set(stimuli)].map((name) => ({ name, order: digest(name) })).sort(byOrder);
  if (of > shuffled.length)
    throw new UsageError(
      `There ${shuffled.length === 1 ? "is 1 stimulus" : `are ${shuffled.length} stimuli`}, too few for ${of} shards: some would have nothing to run. Use at most ${shuffled.length}.`,
    );
  return new Set(shuffled.filter((_, place) => place % of === index - 1).map(({ name }) => name));
}

function byOrder(a: { order: string }, b: { order: string }): number {
  return a.order < b.order ? -1 : a.order > b.order ? 1 : 0;
}
