import { extractFirstTurn } from "./own-answer/end-of-turn.js";
import { stripReasoning } from "./own-answer/reasoning.js";

/**
 * The part of a response that answers the question: without reasoning,
 * and cut where its turn ends or where a base model continues with another question.
 * @example
 * extractOwnAnswer("<think>A?</think>The answer is B.<|im_end|>"); // "The answer is B."
 */
export function extractOwnAnswer(response: string): string {
  return cutAtNextQuestion(extractFirstTurn(stripReasoning(response)));
}

const QUESTIONS =
  "Q|Question|QUESTION|Problem|PROBLEM|Exercise|Frage|Pregunta|Вопрос|Задача|Swali|問題|问题|質問|প্রশ্ন|ప్రశ్న|โจทย์";
/** Starts the next question of a few-shot prompt, in the languages of MGSM. */
const MARKER = new RegExp(
  `\\n[ \\t]*(?:\\*\\*)?(?:${QUESTIONS}|Human|User|Premise|Claim|Passage|Context|#{2,3} ?(?:Instruction|Question|Problem|Input|Human|User))[ \\t]?\\d{0,3}[ \\t]?(?::|：|\\n)` +
    // These also occur within an answer, so there must be an answer before.
    "|\\n[ \\t]*(?<doubtful>(?:\\*\\*|#{2,4} )?Example[ \\t]?\\d{1,3}[ \\t]?[:：\\n]|\\[Question\\]|The following (?:are|is) (?:an? )?multiple[- ]choice question|以下[^\\n]{0,40}?(?:选择题|選擇題))",
  "g",
);
/** These are also headings within one answer, unless a blank line precedes. */
const HEADING = /^\n[ \t]*(?:\*\*)?(?:Premise|Claim|Passage|Context)/;
const FEW_SHOT = /^\n[ \t]*Q[ \t]?\d{0,3}[ \t]?[:：]/;
/** The next question of a prompt without such words: a paragraph, its options, and "Answer:". */
const LISTED_QUESTION =
  /\n[ \t]*\n(?:[^\n]+\n){1,8}?(?:[ \t]*\n)?[ \t]*\(?A[.):、．][^\n]*\n[ \t]*\(?B[.):、．][^\n]*\n(?:[ \t]*\(?[C-J][.):、．][^\n]*\n)*(?:[ \t]*\n)?[ \t]*[*_]{0,2}(?:Answer|答案)[ \t]*[:：]/;
/** A letter or a number alone at the start of a response. */
const LONE_ANSWER = /^[*_([]{0,3}(?:[A-Za-z]|[-$]{0,2}\d[\d,.]*)[)\].*_]{0,4}[ \t]*(?:\n|$)/;
/** An answer in GSM8K's form, with another one after it; a heading has words in it. */
const HASH_ANSWER = /(?:^|\n)#### ?[-$]{0,2}\d[\d,.]*[ \t]*(?=\n|$)/g;
const ANSWERED = [
  /\\boxed|####/,
  /\banswer\b[*_"')\]]{0,4}\s?(?:[:：=]|[-–—] |\d)/i,
  /\banswers?\b[^.\n]{0,60}?\b(?:is|are|was|be|equals)\b/i,
  /\b(?:is|are|was|be) (?:therefore |thus )?(?:the|our|my) (?:final |correct )?answer\b/i,
  /antwort|respuesta|réponse|ответ|jibu|答|정답|উত্তর|సమాధానం|คำตอบ/i,
];
/** Said before the question is repeated. */
const OPENER =
  /^(?:sure|ok(?:ay)?|certainly|of course|let(?:['’]s| us| me)|here|alright|great|first|to |(?:i|we)(?:['’]ll| will| need| must| have to))\b/i;
const MAX_FEW_WORDS = 3;
const MAX_SHORT_ANSWER = 200;

/**
 * Cuts a response where it continues with another question, like the stop sequences of the official harnesses. A
 * response that first repeats its own question is not cut there: an answer must precede.
 */
function cutAtNextQuestion(text: string): string {
  return cutAtMarker(cutAtListedQuestion(cutAtSecondHash(text)));
}

function cutAtSecondHash(text: string): string {
  const answers = text.matchAll(HASH_ANSWER);
  const first = answers.next().value;
  if (first === undefined || answers.next().value === undefined) return text;
  const end = first.index + first[0].length;
  return /^\n[ \t]*\n/.test(text.slice(end, end + 100)) ? text.slice(0, end) : text;
}

function cutAtListedQuestion(text: string): string {
  const at = text.search(LISTED_QUESTION);
  if (at === -1) return text;
  const before = text.slice(0, at);
  return hasLeadingAnswer(before.trim()) || ANSWERED.some((pattern) => pattern.test(before)) ? before : text;
}

function cutAtMarker(text: string): string {
  const start = text.length - text.trimStart().length;
  let hasAnswer = false;
  let hasDigit = false;
  let from = start;
  for (const { index, 0: marker, groups } of text.matchAll(MARKER)) {
    if (index < start) continue;
    // Search only what was not searched before: a megabyte may be full of markers.
    const part = text.slice(from, index);
    hasAnswer ||= ANSWERED.some((pattern) => pattern.test(part));
    hasDigit ||= /\d/.test(part);
    const isApart = hasTrailingBlankLine(part);
    const before = text.slice(start, Math.min(index, start + MAX_SHORT_ANSWER)).trim();
    const isPossible = isApart || !HEADING.test(marker);
    const isDoubtful = groups?.doubtful !== undefined;
    const isClear =
      hasAnswer || hasLeadingAnswer(before) || (hasDigit && !isDoubtful && (isApart || FEW_SHOT.test(marker)));
    if (
      isPossible &&
      (isClear ||
        (isApart && FEW_SHOT.test(marker) && !isOpeningPhrase(before) && !/[:：]$/.test(part.trimEnd().slice(-1))))
    )
      return text.slice(0, index);
    from = index;
  }
  return text;
}

function hasLeadingAnswer(text: string): boolean {
  return LONE_ANSWER.test(text) || isShortAnswer(text);
}

function isShortAnswer(text: string): boolean {
  return text !== "" && !isOpeningPhrase(text) && text.split(/\s+/).length <= MAX_FEW_WORDS;
}

function isOpeningPhrase(text: string): boolean {
  return text === "" || OPENER.test(text) || /[:：!]$/.test(text);
}

function hasTrailingBlankLine(text: string): boolean {
  return text.slice(text.trimEnd().length).includes("\n");
}
