import { UsageError } from "../../core/errors.js";
import type { System } from "../../core/system.js";
import { wordsOf } from "./bm25.js";
import { compressor } from "./compressor.js";
import { NearRepeats } from "./near-repeats.js";
import { joinSentences, splitSentences } from "./sentences.js";

const DEFAULT_THRESHOLD = 0.8;

export interface DedupeOptions {
  /** The overlap (Jaccard, word triples) from which two sentences count as the same: more than 0, at most 1. */
  threshold?: number;
}

/**
 * Drops sentences that repeat an earlier one, or nearly. Sentences whose numbers differ are never the same.
 * @example
 * dedupe().process({ id: 1, context: "Mind the gap. MIND THE GAP! Go on." }, trial); // { context: "Mind the gap. Go on." }
 */
export function dedupe({ threshold = DEFAULT_THRESHOLD }: DedupeOptions = {}): System {
  if (typeof threshold !== "number" || !(threshold > 0 && threshold <= 1)) {
    throw new UsageError(`The threshold of dedupe must be more than 0 and at most 1, but is ${threshold}.`);
  }
  return compressor({
    name: threshold === DEFAULT_THRESHOLD ? "dedupe" : `dedupe:${threshold}`,
    parameters: { threshold },
    compress: (context) => dropRepeats(context, threshold),
  });
}

function dropRepeats(text: string, threshold: number): string {
  const sentences = splitSentences(text);
  const words = sentences.map(({ start, end }) => wordsOf(text.slice(start, end)));
  const near = new NearRepeats(words, threshold);
  const seen = new Set<string>();
  const kept = new Set<number>();
  for (const [index, { start, end }] of sentences.entries()) {
    // A sentence without words ("***") is told by its characters.
    const key = words[index]?.join(" ") || text.slice(start, end);
    if (seen.has(key) || near.repeats(index)) continue;
    seen.add(key);
    near.keep(index);
    kept.add(index);
  }
  return kept.size === sentences.length ? text : joinSentences(text, sentences, (index) => kept.has(index));
}
