import { cleanAnswer, findFirstBold } from "../final-answer/clean.js";
import { extractOwnAnswer } from "../own-answer.js";
import { findStatedAnswers, type StatedAnswer } from "../stated-answer/index.js";
import {
  type ChoiceOptions,
  classifyChoice,
  findLabelIndex,
  isCapital,
  isDeniedLabel,
  isMarkedLabel,
  isOneOfSeveral,
  isPlainWord,
  isPronoun,
  type LabelMention,
  listMentionsFromEnd,
  readMention,
} from "./labels.js";
import { findByLine, findByText, isAbbreviatedName, isOptionText, stripArticle } from "./option-texts.js";

/** Other names for the answer. */
const NAMES =
  /(?<!\b(?:each|every|all|any|this|an?|one|another|first|next|other|by) )\b(?:choice|option|selection|response|solution|pick|alternative|letter|fit|match|guess|conclusion|prediction|output|result|ending|completion|continuation|(?<=\b(?:correct|right|best) )one)\b|\b(?:opción|opcion|opção|opzione|alternativa|pilihan)\b|вариант|lựa chọn|seçenek|选项|選項|选择|選擇/gi;

/**
 * The chosen option, from 0: the last one stated or chosen, else a label on its own line, at
 * the beginning or at the end, else the one whose text is the answer, else the only one named. Null if none is chosen:
 * the text was cut off, or only lists the options.
 */
export function findChosenOption(response: string, options: ChoiceOptions): number | null {
  const text = extractOwnAnswer(response).trim();
  const announced = findAnnouncedChoice(text, options);
  if (announced !== null) return announced === "several" ? null : announced;
  return (
    findLoneLabel(text, options) ??
    findOpeningChoice(text, options) ??
    findLabeledLine(text, options) ??
    findOptionText(text, options) ??
    findOnlyNamed(text, options)
  );
}

function findAnnouncedChoice(text: string, options: ChoiceOptions): ChoiceResult | null {
  const chosen = findChosenLabels(text, options);
  for (const stated of findStatedAnswers(text, { names: NAMES })) {
    if (stated.isDenied) continue;
    if (chosen.clearly !== null && chosen.clearly.at > stated.start) break;
    const choice = readStatedOption(text, stated, options);
    if (choice !== null) return choice;
  }
  return (chosen.clearly ?? chosen.weakly)?.index ?? null;
}

interface ChosenLabels {
  clearly: LabelMention | null;
  weakly: LabelMention | null;
}

/** The last label that a text chooses in other words. The very last word of a text is a clear choice. */
function findChosenLabels(text: string, options: ChoiceOptions): ChosenLabels {
  let weakly: LabelMention | null = null;
  for (const mention of listMentionsFromEnd(text, options)) {
    const choosing = classifyChoice(mention);
    const isLast = weakly === null && /^\W*$/.test(mention.right) && mention.at + 20 > text.length;
    if (choosing === "clearly" || (choosing === "weakly" && isLast)) return { clearly: mention, weakly };
    if (choosing === "weakly") weakly ??= mention;
  }
  return { clearly: null, weakly };
}

const LONE = /^((?:\[\[|[([{])?)(\w{1,2})((?:\]\]|[)\]}])?)[.):]?$/;
const MAX_LONE = 60;

/** A label on its own line. A small letter there may be a list mark, unless it is the whole text. */
function findLoneLabel(text: string, options: ChoiceOptions): number | null {
  for (const line of listLinesFromEnd(text)) {
    const lone = readLoneLabel(line, options);
    if (lone !== null && (text === line || lone.isClear)) return lone.index;
  }
  return null;
}

function readLoneLabel(line: string, options: ChoiceOptions): { index: number; isClear: boolean } | null {
  if (line.length > MAX_LONE) return null;
  const bare = line.replace(/^(?:[\s>#•]|\p{So}\ufe0f?|-(?!\d))+|[*_`!]+|<\/?(?:b|strong|em|i|p)>/gu, "");
  const [, opening = "", label = "", closing = ""] = LONE.exec(cleanAnswer(bare)) ?? [];
  const index = findLabelIndex(label, options);
  // [A] is a concentration.
  const isCapital = label === label.toUpperCase() && (opening === "[[" || !`${opening}${closing}`.includes("["));
  const isBare = opening === "" && closing === "" && !/[):]$/.test(line);
  return index === -1 ? null : { index, isClear: isCapital || isBare };
}

const LABELED =
  /^[^\p{L}\p{N}([{]{0,8}(?:(?:option|choice)\s)?(?:\(([A-Z]|\d{1,2})\)|([A-Z]|\d{1,2})(?:[*_]{0,3}[).:]|[*_]{2,3}(?=\s|$)))[*_]{0,3}(?=\s|$|\p{Lu}\p{Ll})/u;
const SMALL_LABELED = /^(?:\(([a-z])\)|([a-z])[).:])\s/;
const FIRST_WORD = /^[*_([]{0,4}([A-Z])[)*\]]{0,4}(?=[\s,]|$)/;
/** Follows a letter that is a choice, rather than the first word of a sentence or part of a name. */
const AFTER_CHOICE =
  /^\s*(?:$|[,;:–—(]|-\s|(?:because|since|as|due|given|based|it is|i think|i believe|for sure|definitely|probably|porque|parce|car|weil|denn|perché|karena|потому)\b|因为|因為)/iu;
const MAX_BARE_WORDS = 3;
/** "A: B", where the A means "Answer". */
const SHORT_NAME = /^[*_]{0,3}A[*_]{0,3}\s?[:：][*_]{0,3}\s*(?=\S)/;

/** A response that begins with its choice: "B) Paris", "B because …", "A, garage". */
function findOpeningChoice(text: string, options: ChoiceOptions): number | null {
  const line = takeFirstLine(text);
  const named = SHORT_NAME.exec(line);
  if (named !== null && !isOptionText(line.slice(named[0].length), options.texts[0])) {
    const label = readLoneLabel(line.slice(named[0].length), options);
    if (label !== null) return label.index;
  }
  const labeled = readLabeledText(LABELED, line, options) ?? readLabeledText(SMALL_LABELED, line, options);
  if (labeled !== null) return isChoice(labeled, text, options) ? labeled.index : null;
  const word = readLabeledText(FIRST_WORD, line, options);
  if (word === null || hasSeveralLabels(word.rest) || isLabelDenied(text, word, options)) return null;
  // What follows distinguishes a label from the article, the pronoun and the name of a thing ("B cells").
  if (/^[([*_]{0,3}[*([]/.test(line) && /^[([*_]{1,4}\w[)*\]_]/.test(line)) return word.index;
  if (isOptionText(word.rest.replace(/^[\s,*)]+/, ""), options.texts[word.index])) return word.index;
  const isUnknown = options.texts.length === 0;
  if (/^[AI]/.test(line)) return isUnknown && /^,\s/.test(word.rest) && text === line ? word.index : null;
  const isShort = isUnknown && text === line && line.split(/\s+/).length <= MAX_BARE_WORDS;
  return isShort || AFTER_CHOICE.test(word.rest) ? word.index : null;
}

function isLabelDenied(text: string, { at }: LabeledText, options: ChoiceOptions): boolean {
  const mention = readMention(text, at, options);
  return mention === null || isDeniedLabel(mention);
}

interface LabeledText {
  index: number;
  at: number;
  rest: string;
}

function readLabeledText(pattern: RegExp, line: string, options: ChoiceOptions): LabeledText | null {
  const match = pattern.exec(line);
  const label = match?.[1] ?? match?.[2] ?? "";
  const index = findLabelIndex(label, options);
  if (match === null || index === -1) return null;
  // "Option A": the label is at the end of the match.
  return { index, at: match[0].lastIndexOf(label), rest: line.slice(match[0].length) };
}

function hasSeveralLabels(rest: string): boolean {
  return /^[\s,]*(?:or|and|\/|&)\s?[*(]{0,3}[A-Z](?![\w'’])/.test(rest);
}

/** "Option B: incorrect". */
const CALLED_WRONG = /^\s?[:–—-]\s*(?:incorrect|wrong|false|no\b|not\b|❌)/i;
/** Follows a denied label, or an "A:" that means "Answer:". */
const NO_CHOICE =
  /^\W{0,4}(?:incorrect|wrong|false|no\b|not\b|❌|let['’]?s|let us|let me|first|step|to |we |in order)/i;

function isChoice(labeled: LabeledText, text: string, options: ChoiceOptions): boolean {
  if (hasSeveralLabels(labeled.rest) || isListOfOptions(labeled, text, options)) return false;
  if (isAbbreviatedName(text.slice(labeled.at), options.texts)) return false;
  // "B. F. Skinner" and labels called wrong; but the text of an option may begin with such words.
  const isNamed = /^\s\p{Lu}\.\s/u.test(labeled.rest) || isLabelDenied(text, labeled, options);
  if (isNamed && !isOptionText(labeled.rest, options.texts[labeled.index])) return false;
  return !NO_CHOICE.test(labeled.rest) || isOptionText(labeled.rest, options.texts[labeled.index]);
}

/** Lists of options start with the first: a response that begins with another one, or with the first alone, has chosen it. */
function isListOfOptions({ index }: LabeledText, text: string, options: ChoiceOptions): boolean {
  if (index > 0) return false;
  if (/^\(?a\)[\s\S]*?\s\(?b\)\s/.test(text)) return true;
  for (const line of listLinesFromEnd(text)) {
    const other = readLabeledText(LABELED, line, options) ?? readLabeledText(SMALL_LABELED, line, options);
    if (other !== null && other.index !== index) return true;
  }
  return false;
}

/** Other lines that begin with a label are an answer if there is only one, and it has its option's text. */
function findLabeledLine(text: string, options: ChoiceOptions): number | null {
  let found: LabeledText | null = null;
  let below = "";
  for (const line of listLinesFromEnd(text)) {
    // "Let's see each option:" and the first of them, where the text was cut off.
    if (found?.index === 0 && below !== "" && line.endsWith(":")) return null;
    const labeled = readLabeledText(LABELED, line, options);
    below = labeled === null ? "" : line;
    if (labeled === null) continue;
    if ((found !== null && found.index !== labeled.index) || !isWholeOption(labeled, line, options)) return null;
    found = labeled;
  }
  return found?.index ?? null;
}

const MAX_WORDS = 12;

function isWholeOption({ index, rest }: LabeledText, line: string, { texts }: ChoiceOptions): boolean {
  const said = rest.trim();
  const text = texts[index];
  if (said === "") return true;
  if (text !== undefined)
    return findByText([said], [text]) === 0 || (isFinishedSentence(line) && isOptionText(said, text));
  return said.split(/\s+/).length <= MAX_WORDS && (isFinishedSentence(line) || !/[,:;]/.test(said));
}

const IT_IS = /^(?:so |thus |therefore,? )?(?:it|this|that)(?:['’]s| is| must be)(?: clearly| definitely| probably)? /i;

function findOptionText(text: string, { texts, isLetterRequired }: ChoiceOptions): number | null {
  if (isLetterRequired === true) return null;
  const [last = ""] = listLinesFromEnd(text);
  const first = takeFirstLine(text);
  // A bold part of a list that was cut off is only its heading.
  const bold = isFinishedSentence(last) || /^\*\*.*\*\*$/.test(last) ? findFirstBold(last) : null;
  const said = [last, bold ?? "", first, last.replace(IT_IS, ""), first.replace(IT_IS, "")];
  return findByText(said, texts) ?? findByText(said.map(stripArticle), texts.map(stripArticle));
}

const MAX_SHORT = 40;
/** "Let's consider option B" begins a thought. */
const CONSIDERED =
  /\b(?:consider|examine|evaluate|analy[sz]e|check|look at|think about)(?:ing)?(?: the)?(?: option| choice)? ?$/i;

/** The only option that a text names in brackets or as an option; one at a cut-off end does not count. */
function findOnlyNamed(text: string, options: ChoiceOptions): number | null {
  const [last = ""] = listLinesFromEnd(text);
  const isCutOff = !isFinishedSentence(last) && text.length > MAX_SHORT;
  const end = isCutOff ? text.length - last.length : text.length;
  const found = new Set<number>();
  for (const mention of listMentionsFromEnd(text, options)) {
    if (!isMarkedLabel(mention) || isDeniedLabel(mention) || isPlainWord(mention) || CONSIDERED.test(mention.left))
      continue;
    if (isOneOfSeveral(mention)) return null;
    if (CALLED_WRONG.test(mention.right) && !isOptionText(mention.right.slice(1), options.texts[mention.index]))
      continue;
    found.add(mention.at < end ? mention.index : -1);
    if (found.size > 1) return null;
  }
  const [only = -1] = found;
  return only === -1 ? null : only;
}

/** An option from 0, or several of them, which is not a choice. */
type ChoiceResult = number | "several";

/** May come between an announcement and the label: brackets, bold, LaTeX, "option", "most likely". */
const FILLING =
  /(?:[\s:：=,*_`"'“”‘$<>([{✅✓✔→]|\\(?:boxed|fbox|framebox|textbf|textit|text|mathrm|mathbf)\s?\{?|\\[([]|(?:option|choice|letter|answer|opción|opção|opzione|lettre|(?:a |o )?letra|(?<=é )[ao](?=\s[a-z](?!\w))|lettera|buchstabe|the|la|le|el|correct|best|right|only|one|following|labell?ed|clearly|definitely|therefore|thus|then|most|likely|probably|simply|just|indeed|obviously|certainly|hence|actually|i think|i believe|of course|either|both)(?=[\s:,(*"'[]))*/iy;
/** A small letter is a label if only a reason follows it. */
const AFTER_SMALL = /^\s*(?:$|\n|[.,;:!?)])|^\s+(?:because|since|which)\b/;
const CLAUSE_END = /^\s*(?:$|\n|[.,;:!(]|है|şıkkı|ist (?:richtig|korrekt)\b)/;
const SENTENCE_END = /[.!?](?=\s|$)|\n/;
/** A question, a condition, or a condition that was cut off: "the answer is C if the volume". */
const NOT_STATED = /^\s*(?:\?|only (?:if|when)\b|if\b[^.!?\n]*$)/;
const MAX_LINE = 4000;
const MAX_SENTENCE = 300;

/** The option named where a text states its answer; null if it names none there. */
function readStatedOption(text: string, stated: StatedAnswer, options: ChoiceOptions): ChoiceResult | null {
  const { start, end, by } = stated;
  FILLING.lastIndex = start;
  const label = readMention(text, start + (FILLING.exec(text)?.[0].length ?? 0), options);
  const isHere = label !== null && label.at < end && !isAbbreviatedName(text.slice(label.at, end), options.texts);
  if (by === "space") return isHere && isPlainLabel(label) ? toChoice(label, options) : null;
  if (isHere && !isPossibleWord(label)) return toChoice(label, options);
  // "A good cat" may be the text of an option, and "A garage" option A with its text.
  const rest = text.slice(start, Math.min(end, start + MAX_LINE)).trimStart();
  const inWords = readOptionText(text, stated, options.texts);
  if (inWords !== null) return options.isLetterRequired === true && inWords !== label?.index ? null : inWords;
  return (
    readMarked(rest, options) ?? (isHere && isMeantAsLabel(label, stated, options) ? toChoice(label, options) : null)
  );
}

/** The option whose text is the stated answer, with or without filler words. */
function readOptionText(text: string, { from, start, end }: StatedAnswer, texts: readonly string[]): number | null {
  // A sign directly before the rest belongs to it: "-p", "~p".
  const behindFilling = /[-–−~]/.test(text.charAt(start - 1)) ? start - 1 : start;
  for (const place of [from, Math.max(from, behindFilling)]) {
    const line = takeFirstLine(text.slice(place, Math.min(end, place + MAX_LINE)).trimStart());
    const found = findByLine(line.startsWith("\\") ? cleanAnswer(line) : line, texts);
    if (found !== null) return found;
  }
  return null;
}

function toChoice(label: LabelMention, { texts }: ChoiceOptions): ChoiceResult | null {
  if (isOneOfSeveral(label)) return "several";
  // "(B) False" may say what option B is.
  const isCalledWrong = isDeniedLabel(label) && !isOptionText(label.right.replace(/[}$\s]+$/, ""), texts[label.index]);
  return isCalledWrong || NOT_STATED.test(label.right) ? null : label.index;
}

/** "Answer B": without a verb or a colon, only a letter that ends its clause counts. */
function isPlainLabel(label: LabelMention): boolean {
  return isCapital(label) && !isPlainWord(label) && (isMarkedLabel(label) || CLAUSE_END.test(label.right));
}

/** Whether the label may also be the article a, the pronoun I, or a small letter of a formula. */
function isPossibleWord(label: LabelMention): boolean {
  return isPlainWord({ ...label, left: "" });
}

function isMeantAsLabel(label: LabelMention, { by }: StatedAnswer, { texts }: ChoiceOptions): boolean {
  if (!isCapital(label)) return AFTER_SMALL.test(label.right);
  if (isPronoun(label)) return false;
  // Inside a sentence an article would be a small letter.
  if (by === "verb" || texts.length === 0) return true;
  const [said = ""] = label.right.trim().split(/[^\p{L}\p{N}]/u, 1);
  const own = texts[label.index]?.trim().toLowerCase() ?? "";
  return said !== "" && own.startsWith(said.toLowerCase());
}

/** The only option that the first sentence names in brackets or as an option: "12/25/1937 (B)". */
function readMarked(rest: string, options: ChoiceOptions): ChoiceResult | null {
  const window = rest.slice(0, MAX_SENTENCE);
  const end = window.search(SENTENCE_END);
  const found = new Set<number>();
  for (const mention of listMentionsFromEnd(end === -1 ? window : window.slice(0, end), options)) {
    if (!isMarkedLabel(mention) || isDeniedLabel(mention) || isPlainWord(mention)) continue;
    if (isOneOfSeveral(mention)) return "several";
    found.add(mention.index);
  }
  return found.size === 1 ? ([...found][0] ?? null) : null;
}

function takeFirstLine(text: string): string {
  const end = text.indexOf("\n");
  return end === -1 ? text : text.slice(0, end);
}

/** Trimmed non-blank lines, last first. */
function* listLinesFromEnd(text: string): Generator<string> {
  for (let stop = text.trimEnd().length; stop > 0; ) {
    const start = text.lastIndexOf("\n", stop - 1) + 1;
    const line = text.slice(start, stop).trim();
    if (line !== "") yield line;
    stop = start - 1;
  }
}

/** Whether a line ends like a sentence, and was not cut off. */
function isFinishedSentence(line: string): boolean {
  return /[.!?。！？।✅✓]["'”’)*\]}$`]{0,4}$/u.test(line.trimEnd());
}
