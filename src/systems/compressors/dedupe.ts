import type { System } from "../../core/index.js";
import { UsageError } from "../../core/index.js";
import { splitBm25Words } from "./bm25.js";
import { createCompressor } from "./compressor.js";
import { joinSentences, splitSentences } from "./sentences.js";

const DEFAULT_THRESHOLD = 0.8;

/** Options of `dedupe`. */
export interface DedupeOptions {
  /** Minimum overlap (Jaccard, word triples) for two sentences to count as equal: more than 0, at most 1. */
  threshold?: number;
}

/**
 * Drops sentences that repeat or nearly repeat an earlier one. Sentences with different numbers are never equal.
 * @example
 * dedupe().process({ id: 1, context: "Mind the gap. MIND THE GAP! Go on." }, trial); // { context: "Mind the gap. Go on." }
 */
export function dedupe({ threshold = DEFAULT_THRESHOLD }: DedupeOptions = {}): System {
  if (typeof threshold !== "number" || !(threshold > 0 && threshold <= 1)) {
    throw new UsageError(`The threshold of dedupe must be more than 0 and at most 1, but is ${threshold}.`);
  }
  return createCompressor({
    name: threshold === DEFAULT_THRESHOLD ? "dedupe" : `dedupe:${threshold}`,
    parameters: { threshold },
    compress: (context) => dropRepeats(context, threshold),
  });
}

function dropRepeats(text: string, threshold: number): string {
  const sentences = splitSentences(text);
  const words = sentences.map(({ start, end }) => splitBm25Words(text.slice(start, end)));
  const near = new NearRepeats(words, threshold);
  const seen = new Set<string>();
  const kept = new Set<number>();
  for (const [index, { start, end }] of sentences.entries()) {
    // A sentence without words ("***") is compared by its characters.
    const key = words[index]?.join(" ") || text.slice(start, end);
    if (seen.has(key) || near.isRepeat(index)) continue;
    seen.add(key);
    near.keep(index);
    kept.add(index);
  }
  return kept.size === sentences.length ? text : joinSentences(text, sentences, (index) => kept.has(index));
}

const SHINGLE_WORDS = 3;
const HAS_DIGIT = /\p{N}/u;

interface Shingles {
  /** Rarest first. */
  readonly sorted: readonly string[];
  readonly set: ReadonlySet<string>;
  readonly numbers: string;
}

/**
 * Finds sentences that nearly repeat a kept one: they share at least `threshold` of all their word triples (Jaccard).
 *
 * Comparing all pairs would be quadratic. Two sets with that much overlap must share one of their few rarest triples
 * (prefix filtering), so only such sentences are compared, and none is missed.
 */
class NearRepeats {
  readonly #threshold: number;
  readonly #shingles: readonly Shingles[];
  readonly #keptBy = new Map<string, number[]>();

  constructor(sentences: readonly (readonly string[])[], threshold: number) {
    this.#threshold = threshold;
    const sets = sentences.map(buildShingles);
    const frequency = new Map<string, number>();
    for (const set of sets) for (const shingle of set) frequency.set(shingle, (frequency.get(shingle) ?? 0) + 1);
    const byRarity = (a: string, b: string) =>
      (frequency.get(a) ?? 0) - (frequency.get(b) ?? 0) || (a < b ? -1 : a > b ? 1 : 0);
    this.#shingles = sets.map((set, index) => ({
      sorted: [...set].sort(byRarity),
      set,
      numbers: (sentences[index] ?? []).filter((word) => HAS_DIGIT.test(word)).join(" "),
    }));
  }

  /** Whether a sentence nearly repeats a kept one. */
  isRepeat(index: number): boolean {
    const own = this.#shingles[index];
    if (own === undefined) return false;
    for (const shingle of this.#prefix(own)) {
      for (const other of this.#keptBy.get(shingle) ?? []) if (this.#isSimilar(own, this.#shingles[other])) return true;
    }
    return false;
  }

  keep(index: number): void {
    const own = this.#shingles[index];
    if (own === undefined) return;
    for (const shingle of this.#prefix(own)) {
      const kept = this.#keptBy.get(shingle);
      if (kept === undefined) this.#keptBy.set(shingle, [index]);
      else kept.push(index);
    }
  }

  #prefix({ sorted }: Shingles): readonly string[] {
    // Subtracting 1e-9 keeps a product such as 0.8 * 5 = 4.000…1 from being rounded up to 5.
    return sorted.slice(0, sorted.length - Math.ceil(this.#threshold * sorted.length - 1e-9) + 1);
  }

  #isSimilar(a: Shingles, b: Shingles | undefined): boolean {
    if (b === undefined || a.numbers !== b.numbers) return false;
    const [small, large] = a.set.size < b.set.size ? [a, b] : [b, a];
    if (small.set.size < this.#threshold * large.set.size - 1e-9) return false;
    let shared = 0;
    for (const shingle of small.set) if (large.set.has(shingle)) shared += 1;
    return shared >= this.#threshold * (a.set.size + b.set.size - shared) - 1e-9;
  }
}

function buildShingles(words: readonly string[]): Set<string> {
  const shingles = new Set<string>();
  for (let i = 0; i + SHINGLE_WORDS <= words.length; i++) shingles.add(words.slice(i, i + SHINGLE_WORDS).join(" "));
  return shingles;
}
