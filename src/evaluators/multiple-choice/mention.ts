import { indexOfLabel, type Labels } from "./labels.js";

/** Scripts that put no space between words: a label stands alone among their letters too. */
const SPACELESS = "[\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Hangul}\\p{sc=Thai}]";
const STARTS = `(?:(?<![\\p{L}\\p{N}_])|(?<=${SPACELESS}))`;
const ENDS = `(?:(?![\\p{L}\\p{N}_])|(?=${SPACELESS}))`;
const LETTER = new RegExp(`${STARTS}[A-Za-z]${ENDS}`, "gu");
const LABEL = new RegExp(`${STARTS}(?<![.,])(?:[A-Za-z]|\\d{1,2})${ENDS}(?![.,]\\d)`, "gu");
/** What may be put around a label: bold, brackets, quotes, \boxed. */
const OPENING = /(?:\\(?:boxed|fbox|text|textbf|mathrm|mathbf)\s?\{|<answer>|[*_`"'“‘([{$]|\\[([]|\s(?=[([{*]))+$/i;
const CLOSING = /^(?:[*_`"'”’)\]}$]|\\[)\]])+/;
/** Part of a longer thing: "U.S.A.", "B12-A", "°C". */
const GLUED_LEFT = /[\p{L}\p{N}][-'’.&@/]$|[°#&@\\]$/u;
const GLUED_RIGHT = /^(?:['’][a-z]|[-&@/.]\p{L}|[+#°])/u;
const LEFT_LENGTH = 120;
const RIGHT_LENGTH = 80;
/** An answer is among the last labels of a response; a text of nothing but labels is no answer. */
const MOST = 5000;

/** A label that stands alone in a text, and what is around it. */
export interface Mention {
  index: number;
  at: number;
  label: string;
  /** The text before it, white space collapsed, without what was put around the label. */
  left: string;
  right: string;
  /** What was put before it. */
  opening: string;
  closing: string;
}

/** The labels of a text that stand alone, the last one first. */
export function* mentionsFromEnd(text: string, labels: Labels): Generator<Mention> {
  const places: { at: number; label: string; index: number }[] = [];
  for (const { 0: label, index: at } of text.matchAll(labels.isNumbered ? LABEL : LETTER)) {
    const index = indexOfLabel(label, labels);
    if (index === -1) continue;
    places.push({ at, label, index });
    // Dropped in halves: one at a time would move the whole list for each.
    if (places.length > 2 * MOST) places.splice(0, MOST);
  }
  for (const place of places.slice(-MOST).reverse()) {
    const mention = around(text, place);
    if (mention !== null) yield mention;
  }
}

function around(text: string, place: { at: number; label: string; index: number }): Mention | null {
  const before = text.slice(Math.max(0, place.at - LEFT_LENGTH), place.at);
  const after = text.slice(place.at + place.label.length, place.at + place.label.length + RIGHT_LENGTH);
  if (GLUED_LEFT.test(before) || GLUED_RIGHT.test(after)) return null;
  const opening = OPENING.exec(before)?.[0] ?? "";
  const closing = CLOSING.exec(after)?.[0] ?? "";
  const left = before
    .slice(0, before.length - opening.length)
    .replace(/[*_`"]+/g, "")
    .replace(/\s+/g, " ");
  return { ...place, left, right: after.slice(closing.length), opening, closing };
}
