import { cleaned } from "../final-answer/clean.js";
import type { StatedAnswer } from "../stated-answer/index.js";
import type { Options } from "./labels.js";
import { firstLine } from "./lines.js";
import { type Mention, mentionAt, mentionsFromEnd } from "./mention.js";
import { findByLine, isAbbreviation, saysText } from "./option-texts.js";
import { isCapital, isDenied, isMarked, isOneOfSeveral, isPronoun, isWord } from "./phrases.js";

/** What a response chooses: an option from 0, or several of them, which is no choice. */
export type Choice = number | "several";

/** What may stand between an announcement and the label: brackets, bold, LaTeX, "option", "most likely". */
const FILLING =
  /(?:[\s:：=,*_`"'“”‘$<>([{✅✓✔→]|\\(?:boxed|fbox|framebox|textbf|textit|text|mathrm|mathbf)\s?\{?|\\[([]|(?:option|choice|letter|answer|opción|opção|opzione|lettre|(?:a |o )?letra|(?<=é )[ao](?=\s[a-z](?!\w))|lettera|buchstabe|the|la|le|el|correct|best|right|only|one|following|labell?ed|clearly|definitely|therefore|thus|then|most|likely|probably|simply|just|indeed|obviously|certainly|hence|actually|i think|i believe|of course|either|both)(?=[\s:,(*"'[]))*/iy;
/** A small letter is a label when nothing but a reason follows it. */
const AFTER_SMALL = /^\s*(?:$|\n|[.,;:!?)])|^\s+(?:because|since|which)\b/;
const CLAUSE_END = /^\s*(?:$|\n|[.,;:!(]|है|şıkkı|ist (?:richtig|korrekt)\b)/;
const SENTENCE_END = /[.!?](?=\s|$)|\n/;
/** A question, a condition, or a condition that was cut off: "the answer is C if the volume". */
const NOT_STATED = /^\s*(?:\?|only (?:if|when)\b|if\b[^.!?\n]*$)/;
const MAX_LINE = 4000;
const MAX_SENTENCE = 300;

/** The option that is named where a text states its answer; null when it names none there. */
export function readStatedOption(text: string, stated: StatedAnswer, options: Options): Choice | null {
  const { start, end, by } = stated;
  FILLING.lastIndex = start;
  const label = mentionAt(text, start + (FILLING.exec(text)?.[0].length ?? 0), options);
  const isHere = label !== null && label.at < end && !isAbbreviation(text.slice(label.at, end), options.texts);
  if (by === "space") return isHere && isPlainLabel(label) ? choiceOf(label, options) : null;
  if (isHere && !isPossibleWord(label)) return choiceOf(label, options);
  // "A good cat" may be the text of an option, and "A garage" option A with its text.
  const rest = text.slice(start, Math.min(end, start + MAX_LINE)).trimStart();
  const inWords = readText(text, stated, options.texts);
  if (inWords !== null) return options.isLetterRequired === true && inWords !== label?.index ? null : inWords;
  return (
    readMarked(rest, options) ?? (isHere && isMeantAsLabel(label, stated, options) ? choiceOf(label, options) : null)
  );
}

/** The option whose text stands where the answer is stated, as it was written or behind filling words. */
function readText(text: string, { from, start, end }: StatedAnswer, texts: readonly string[]): number | null {
  // A sign directly before the rest belongs to it: "-p", "~p".
  const behindFilling = /[-–−~]/.test(text.charAt(start - 1)) ? start - 1 : start;
  for (const place of [from, Math.max(from, behindFilling)]) {
    const line = firstLine(text.slice(place, Math.min(end, place + MAX_LINE)).trimStart());
    const found = findByLine(line.startsWith("\\") ? cleaned(line) : line, texts);
    if (found !== null) return found;
  }
  return null;
}

function choiceOf(label: Mention, { texts }: Options): Choice | null {
  if (isOneOfSeveral(label)) return "several";
  // "(B) False" may say what option B is.
  const isCalledWrong = isDenied(label) && !saysText(label.right.replace(/[}$\s]+$/, ""), texts[label.index]);
  return isCalledWrong || NOT_STATED.test(label.right) ? null : label.index;
}

/** "Answer B": without a verb or a colon, only a letter that ends its clause. */
function isPlainLabel(label: Mention): boolean {
  return isCapital(label) && !isWord(label) && (isMarked(label) || CLAUSE_END.test(label.right));
}

/** Whether the label may also be the article a, the pronoun I, or a small letter of a formula. */
function isPossibleWord(label: Mention): boolean {
  return isWord({ ...label, left: "" });
}

function isMeantAsLabel(label: Mention, { by }: StatedAnswer, { texts }: Options): boolean {
  if (!isCapital(label)) return AFTER_SMALL.test(label.right);
  if (isPronoun(label)) return false;
  // Inside a sentence an article would be a small letter.
  if (by === "verb" || texts.length === 0) return true;
  const [said = ""] = label.right.trim().split(/[^\p{L}\p{N}]/u, 1);
  const own = texts[label.index]?.trim().toLowerCase() ?? "";
  return said !== "" && own.startsWith(said.toLowerCase());
}

/** The one option that the first sentence names in brackets or as an option: "12/25/1937 (B)". */
function readMarked(rest: string, options: Options): Choice | null {
  const window = rest.slice(0, MAX_SENTENCE);
  const end = window.search(SENTENCE_END);
  const found = new Set<number>();
  for (const mention of mentionsFromEnd(end === -1 ? window : window.slice(0, end), options)) {
    if (!isMarked(mention) || isDenied(mention) || isWord(mention)) continue;
    if (isOneOfSeveral(mention)) return "several";
    found.add(mention.index);
  }
  return found.size === 1 ? ([...found][0] ?? null) : null;
}
