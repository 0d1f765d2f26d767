import { findLabelIndex, type OptionLabels } from "./labels.js";

/** Scripts without spaces between words: a label is also separate next to their letters. */
const SPACELESS = "[\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Hangul}\\p{sc=Thai}]";
const STARTS = `(?:(?<![\\p{L}\\p{N}_])|(?<=(?<![\\p{L}\\p{N}_])_{1,2})|(?<=${SPACELESS}))`;
const ENDS = `(?:(?![\\p{L}\\p{N}_])|(?=${SPACELESS}|_+(?![\\p{L}\\p{N}_])))`;
const LETTER = `${STARTS}[A-Za-z]${ENDS}`;
const LABEL = `${STARTS}(?<![.,])(?:[A-Za-z]|\\d{1,2})${ENDS}(?![.,]\\d)`;
const LETTERS = new RegExp(LETTER, "gu");
const LABELS = new RegExp(LABEL, "gu");
const LETTER_HERE = new RegExp(LETTER, "uy");
const LABEL_HERE = new RegExp(LABEL, "uy");
/** May surround a label: bold, brackets, quotes, \boxed. */
const OPENING = /(?:\\(?:boxed|fbox|text|textbf|mathrm|mathbf)\s?\{|<answer>|[*_`"'“‘([{$]|\\[([]|\s(?=[([{*]))+$/i;
const CLOSING = /^(?:[*_`"'”’)\]}$]|\\[)\]])+/;
/** Part of a longer word: "U.S.A.", "B12-A", "°C". In Turkish, "D'dir" says that it is D. */
const GLUED_LEFT = /[\p{L}\p{N}][-'’.&@/]$|[°#&@\\]$/u;
const GLUED_RIGHT =
  /^(?:['’](?![dt][ıiuü]r(?!\p{L}))[a-z]|[-&@/]\p{L}|\.\p{L}(?!\p{L})|[+#°]|-\d|\s?[+*/^=<>≤≥×·]\s?(?:[\d(\\]|[a-zA-Z]{1,2}(?!\p{L})))/u;
const LEFT_LENGTH = 160;
const RIGHT_LENGTH = 80;
/** The answer is among the last labels; a text of nothing but labels is not an answer. */
const MAX_MENTIONS = 5000;

/** A separate label in a text, and its surroundings. */
export interface LabelMention {
  /** The option that it names, from 0. */
  index: number;
  at: number;
  label: string;
  /** The text before it, without the marks around the label, with white space collapsed except line ends. */
  left: string;
  right: string;
  /** The marks before it. */
  opening: string;
  closing: string;
}

/** Lists the separate labels of a text, last first. */
export function* listMentionsFromEnd(text: string, labels: OptionLabels): Generator<LabelMention> {
  const places: LabelPosition[] = [];
  for (const { 0: label, index: at } of text.matchAll(labels.isNumbered ? LABELS : LETTERS)) {
    const index = findLabelIndex(label, labels);
    if (index === -1) continue;
    places.push({ at, label, index });
    // Dropped in halves: dropping one at a time would be quadratic.
    if (places.length > 2 * MAX_MENTIONS) places.splice(0, MAX_MENTIONS);
  }
  for (const place of places.slice(-MAX_MENTIONS).reverse()) {
    const mention = readSurroundings(text, place);
    if (mention !== null) yield mention;
  }
}

/** The separate label at this position; null if there is none. */
export function readMention(text: string, at: number, labels: OptionLabels): LabelMention | null {
  const pattern = labels.isNumbered ? LABEL_HERE : LETTER_HERE;
  pattern.lastIndex = at;
  const label = pattern.exec(text)?.[0];
  if (label === undefined) return null;
  const index = findLabelIndex(label, labels);
  return index === -1 ? null : readSurroundings(text, { at, label, index });
}

type LabelPosition = Pick<LabelMention, "at" | "label" | "index">;

function readSurroundings(text: string, place: LabelPosition): LabelMention | null {
  const before = text.slice(Math.max(0, place.at - LEFT_LENGTH), place.at);
  const after = text.slice(place.at + place.label.length, place.at + place.label.length + RIGHT_LENGTH);
  const opening = OPENING.exec(before)?.[0] ?? "";
  const closing = CLOSING.exec(after)?.[0] ?? "";
  if (GLUED_LEFT.test(before) || GLUED_RIGHT.test(after)) return null;
  const left = before
    .slice(0, before.length - opening.length)
    .replace(/[*_`"]+/g, "")
    .replace(/\s*\n\s*/g, "\n")
    .replace(/[^\S\n]+/g, " ");
  return { ...place, left, right: after.slice(closing.length), opening, closing };
}
