import { withoutSharedEnds } from "../shared-ends.js";
import { CommonSubsequence } from "./lcs.js";
import { type Measure, measureOf, pairOverlap, wordOverlap } from "./measure.js";
import { summaryLevel } from "./summary-level.js";
import { type NumberedText, WordNumbers } from "./words.js";

/** What is compared. */
export interface RougeInput {
  golds: readonly string[];
  response: string;
  /** Compare the stems of words instead of the words. */
  stem: boolean;
}

/** One measure for each kind of ROUGE. */
export interface RougeScores {
  rouge1: Measure;
  rouge2: Measure;
  rougeL: Measure;
  rougeLsum: Measure;
}

/**
 * ROUGE of a response as Google's rouge_score gives it; of several golds the one with the best F-measure counts, for
 * each kind. Null when no gold has a word.
 * @example
 * rouge({ golds: ["testing one two"], response: "testing two", stem: false })?.rougeL; // { precision: 1, recall: 2/3, f1: 0.8 }
 */
export function rouge({ golds, response, stem }: RougeInput): RougeScores | null {
  const numbers = new WordNumbers({ stem });
  const texts = golds.map((gold) => numbers.number(gold)).filter(({ all }) => all.length > 0);
  const answer = numbers.number(response);
  const common = new CommonSubsequence(numbers.size);
  return texts.map((gold) => compare(gold, answer, common)).reduce<RougeScores | null>(better, null);
}

function compare(gold: NumberedText, response: NumberedText, common: CommonSubsequence): RougeScores {
  return {
    rouge1: wordOverlap(gold.all, response.all),
    rouge2: pairOverlap(gold.all, response.all, common.symbols),
    rougeL: subsequence(gold, response, common),
    rougeLsum: summaryLevel(gold, response, common),
  };
}

function subsequence({ all: gold }: NumberedText, { all: response }: NumberedText, common: CommonSubsequence): Measure {
  const { rest, shared } = withoutSharedEnds(gold, response);
  const [a, b] = rest;
  const [longer, shorter] = a.length > b.length ? [a, b] : [b, a];
  return measureOf(shared + common.load(longer).length(shorter), gold.length, response.length);
}

function better(best: RougeScores | null, next: RougeScores): RougeScores {
  if (best === null) return next;
  const pick = (kind: keyof RougeScores) => (next[kind].f1 > best[kind].f1 ? next[kind] : best[kind]);
  return { rouge1: pick("rouge1"), rouge2: pick("rouge2"), rougeL: pick("rougeL"), rougeLsum: pick("rougeLsum") };
}
