import { findStatedAnswers, type StatedAnswer } from "../stated-answer/index.js";
import type { Answer } from "./answer.js";
import { findLeading } from "./chosen-number.js";
import { withMark } from "./dress.js";
import { quantitiesIn } from "./quantities.js";
import { sentenceAt } from "./sentences.js";
import { type Span, spansIn } from "./spans.js";

const AND = /^\s*(?:,|,?\s*(?:and|or))\s*$/;
const MAX_WORDS = 12;
/** What goes on behind an answer that is said in full. */
const REASON = /^\s*[,(]?\s*(?:because|since|as|where|when|which|so|due to|for (?:all|every|any|some))(?![a-z])/i;
/** The same behind words, some of which belong to an answer in words. */
const REASON_BEHIND = /[\s*_]*[,(]?\s(?:because|since|due to|which)(?![a-z]).*$/is;

/** The formula, or the words, that a text last states as its answer; null when it states none. */
export function statedFormula(text: string): Answer | null {
  for (const statement of findStatedAnswers(text, { isShortNameKnown: true })) {
    if (statement.by === "box" || statement.isDenied) continue;
    const stated = read(text, statement);
    if (stated !== null) return { text: stated, source: "stated" };
  }
  return null;
}

function read(whole: string, { start: from, end, by, isFinal }: StatedAnswer): string | null {
  if (by === "space" && !isFinal) return null;
  const text = whole.slice(0, end);
  const start = withMark(text, from);
  const window = text.slice(start, start + 2000);
  const spans = spansIn(window);
  if (spans[0]?.start === 0) return joined(window, spans);
  const sentence = sentenceAt(text, start).trim();
  const inside = spans.filter(({ end }) => end <= sentence.length + 3);
  if (inside.length > 0) return inside.at(-1)?.content ?? null;
  const formula = findLeading(sentence);
  const rest = sentence.slice(formula?.end ?? 0);
  if (formula?.isFormula === true && (/^[.。]?$/.test(rest) || REASON.test(rest))) return formula.text;
  const words = sentence.replace(REASON_BEHIND, "");
  return words === "" || words.split(/\s+/).length > MAX_WORDS ? null : words;
}

/** "$2$ and $3$" is one answer. */
function joined(text: string, spans: readonly Span[]): string {
  const contents: string[] = [];
  let end = -1;
  for (const span of spans) {
    if (end !== -1 && !AND.test(text.slice(end, span.start))) break;
    contents.push(span.content);
    end = span.end;
  }
  return contents.join(", ");
}

const TAIL = 3000;
const UNIT = /^(?:\s\p{L}+){0,3}[²³]?[\s.]*$/u;
const MAX_LINE = 200;

/** The last formula of a text that states no answer, else its last line. */
export function lastFormula(text: string): Answer | null {
  const trimmed = text.trim();
  if (trimmed === "") return null;
  if (!trimmed.includes("\n") && trimmed.length <= MAX_LINE && spansIn(trimmed).length !== 1)
    return onlyFormula(trimmed) ?? { text: trimmed, source: "whole text" };
  const last = spansIn(trimmed.slice(-TAIL)).at(-1);
  if (last !== undefined) return { text: last.content, source: "last formula" };
  return { text: lastWords(trimmed.slice(trimmed.lastIndexOf("\n") + 1)), source: "last line" };
}

/** The one formula of a sentence that nothing but its unit follows: "The area is 25π square units." */
function onlyFormula(sentence: string): Answer | null {
  const [formula, another] = quantitiesIn(sentence);
  if (formula?.isFormula !== true || another !== undefined) return null;
  return UNIT.test(sentence.slice(formula.end)) ? { text: formula.text, source: "last formula" } : null;
}

/** The end of a line, from the beginning of a word on. */
function lastWords(line: string): string {
  return line.length <= MAX_LINE ? line : line.slice(-MAX_LINE).replace(/^\S+/, "");
}
