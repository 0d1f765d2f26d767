import { Bm25, rankScores } from "./bm25.js";
import type { TokenShare } from "./compressor.js";
import { joinSentences, type Sentence } from "./sentences.js";
import { findLargestFit, truncateText } from "./truncate.js";

export interface SelectOptions {
  question: string;
  tokens: TokenShare;
}

/**
 * Selects the passages that best match the question, in their original order, up to the share of tokens. What is left of
 * the share is filled with passages that match less or not at all, from the beginning of the text: compressors are only
 * comparable at equal shares.
 */
export function selectPassages(text: string, passages: readonly Sentence[], options: SelectOptions): string {
  const { tokens, question } = options;
  const limit = tokens.limit(text);
  if (limit >= tokens.count(text)) return text;
  const texts = passages.map(({ start, end }) => text.slice(start, end));
  const order = rankScores(new Bm25(texts).score(question));
  const chosen = fillGreedily(
    order,
    texts.map((passage) => tokens.count(passage)),
    limit,
  );
  // Joining may change the token count slightly, so the exact count decides; it rarely removes more than one passage.
  const render = (count: number) => {
    const kept = new Set(chosen.slice(0, count));
    return joinSentences(text, passages, (index) => kept.has(index));
  };
  const count = findLargestFit(chosen.length, chosen.length, (n) => tokens.count(render(n)) <= limit);
  if (count > 0) return render(count);
  const best = texts[order[0] ?? 0] ?? "";
  return truncateText(best, { tokens, limit, mode: "head" });
}

/**
 * Takes the best first and skips what no longer fits. With room for only a sentence or two, a smaller share can therefore
 * keep a short passage that a larger share replaces with a longer, better match.
 */
function fillGreedily(order: readonly number[], costs: readonly number[], limit: number): number[] {
  const chosen: number[] = [];
  let left = limit;
  for (const index of order) {
    const cost = costs[index] ?? 0;
    if (cost > left) continue;
    chosen.push(index);
    left -= cost;
  }
  return chosen;
}
