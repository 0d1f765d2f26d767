import { compares } from "./arguments.js";
import { caselessPatternOf } from "./pattern-of.js";
import { countMatches, isBoundary } from "./python-text.js";
import type { Rules } from "./rule.js";

/** The rules about words and letters that must or must not occur. */
export const KEYWORD_RULES: Rules = {
  "keywords:existence": (given) => {
    const patterns = given.allSearched("keywords").map((keyword) => new RegExp(caselessPatternOf(keyword), "iu"));
    return (response) => patterns.every((pattern) => pattern.test(response));
  },
  "keywords:frequency": (given) => {
    const pattern = new RegExp(caselessPatternOf(given.searched("keyword")), "giu");
    const relation = given.relation("relation");
    const frequency = given.count("frequency");
    return (response) => compares(countMatches(pattern, response), relation, frequency);
  },
  "keywords:forbidden_words": (given) => {
    const patterns = given.allSearched("forbidden_words").map((word) => new RegExp(caselessPatternOf(word), "giu"));
    return (response) => !patterns.some((pattern) => occursWhole(pattern, response));
  },
  "keywords:letter_frequency": (given) => {
    const letter = given.character("letter").toLowerCase();
    const relation = given.relation("let_relation");
    const frequency = given.count("let_frequency");
    return (response) => compares(response.toLowerCase().split(letter).length - 1, relation, frequency);
  },
};

/**
 * Whether the pattern is found between two boundaries of words. Looking at those apart is much faster: a pattern with
 * the letters of all scripts in it takes a millisecond to build.
 */
function occursWhole(pattern: RegExp, text: string): boolean {
  pattern.lastIndex = 0;
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
    if (isBoundary(text, found.index) && isBoundary(text, pattern.lastIndex)) return true;
    const isPair = (text.codePointAt(found.index) ?? 0) > 0xffff;
    pattern.lastIndex = found.index + (isPair ? 2 : 1);
  }
  return false;
}
