import { countCommon } from "./lcs.js";
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
  return texts.map((gold) => compare(gold, answer, numbers.size)).reduce<RougeScores | null>(better, null);
}

function compare(gold: NumberedText, response: NumberedText, symbols: number): RougeScores {
  const common = countCommon(gold.all, response.all);
  return {
    rouge1: wordOverlap(gold.all, response.all),
    rouge2: pairOverlap(gold.all, response.all, symbols),
    rougeL: measureOf(common, gold.all.length, response.all.length),
    rougeLsum: summaryLevel(gold, response),
  };
}

function better(best: RougeScores | null, next: RougeScores): RougeScores {
  if (best === null) return next;
  const pick = (kind: keyof RougeScores) => (next[kind].f1 > best[kind].f1 ? next[kind] : best[kind]);
  return { rouge1: pick("rouge1"), rouge2: pick("rouge2"), rougeL: pick("rougeL"), rougeLsum: pick("rougeLsum") };
}
