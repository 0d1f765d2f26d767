import { compares, type InstructionArguments } from "./arguments.js";
import { countMatches, isBlank, SPACE, splitWords, strip, WORD } from "./python-text.js";
import type { Follows, Rules } from "./rule.js";
import { sentenceSpans } from "./sentences.js";

const WORDS = new RegExp(`[${WORD}]+`, "gu");
const DIVIDER = new RegExp(`[${SPACE}]?\\*\\*\\*[${SPACE}]?`);
/** What ends the first word of a paragraph. */
const PUNCTUATION = ".,?!'\"";

/** The rules about how long a response is and how it is divided. */
export const LENGTH_RULES: Rules = {
  "length_constraints:number_words": (given) => {
    const relation = given.relation("relation");
    const wanted = given.count("num_words");
    return (response) => compares(countMatches(WORDS, response), relation, wanted);
  },
  "length_constraints:number_sentences": (given) => {
    const relation = given.relation("relation");
    const wanted = given.count("num_sentences");
    return (response) => compares(sentenceSpans(response).length, relation, wanted);
  },
  "length_constraints:number_paragraphs": (given) => {
    const wanted = given.count("num_paragraphs");
    return (response) => countParagraphs(response.split(DIVIDER)) === wanted;
  },
  "length_constraints:nth_paragraph_first_word": firstWordRule,
};

/** How many there are between dividers; the first and the last may be blank, NaN when another is. */
function countParagraphs(paragraphs: readonly string[]): number {
  let count = paragraphs.length;
  for (const [place, paragraph] of paragraphs.entries()) {
    if (!isBlank(paragraph)) continue;
    if (place !== 0 && place !== paragraphs.length - 1) return Number.NaN;
    count -= 1;
  }
  return count;
}

function firstWordRule(given: InstructionArguments): Follows {
  const wanted = given.count("num_paragraphs");
  const nth = given.count("nth_paragraph");
  const word = given.text("first_word").toLowerCase();
  if (nth < 1 || nth > wanted) given.refuse("nth_paragraph", "a number from 1 to num_paragraphs");
  return (response) => {
    const paragraphs = response.split("\n\n");
    // Blank ones do not count, but the one that is asked for is looked up among all, as the official grader does.
    const count = paragraphs.filter((paragraph) => !isBlank(paragraph)).length;
    if (nth > count || count !== wanted) return false;
    return firstWord(paragraphs[nth - 1] ?? "") === word;
  };
}

function firstWord(paragraph: string): string {
  const [word = ""] = splitWords(strip(paragraph));
  const bare = word.replace(/^'*"*/, "");
  const end = [...bare].findIndex((character) => PUNCTUATION.includes(character));
  const letters = end === -1 ? [...bare] : [...bare].slice(0, end);
  // Letter by letter, which leaves a Greek sigma at the end as it is in the middle.
  return letters.map((letter) => letter.toLowerCase()).join("");
}
