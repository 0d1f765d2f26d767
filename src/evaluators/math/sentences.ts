import { spansIn } from "./spans.js";

/** How much of a text is looked at behind an answer's announcement. */
const MAX_SENTENCE = 400;
/** A full stop ends a sentence unless it stands inside a number or behind a short form. */
const END = /(?!(?<=\d)!\s+[a-z])[.!?](?=\s|$|["'*)\]$]{1,3}(?:\s|$))|[。！？।]|\n/g;
const SHORT_FORM = /(?:\b(?:approx|Mr|Mrs|Ms|Dr|vs|e\.g|i\.e|Rs|no|sq|ca|bzw|z\.B|etc|p\.m|a\.m))$/i;

/** How long a formula may be. */
const MAX_FORMULA = 1600;

/** The sentence, or line, that starts here, with its formulas whole; a long one is cut. */
export function sentenceAt(text: string, start: number): string {
  const spans = spansIn(text.slice(start, start + MAX_SENTENCE + MAX_FORMULA)).filter(
    (span) => span.start < MAX_SENTENCE,
  );
  const window = text.slice(start, start + Math.max(MAX_SENTENCE, spans.at(-1)?.end ?? 0));
  for (const { index } of window.matchAll(END)) {
    if (spans.some((span) => span.start < index && index < span.end - 1)) continue;
    if (window.slice(0, index).trim() !== "" && !SHORT_FORM.test(window.slice(Math.max(0, index - 8), index))) {
      return window.slice(0, isFactorial(window, index) ? index + 1 : index);
    }
  }
  return window;
}

/** An exclamation mark behind a number may be its factorial: it stays, and so does the full stop that tells it is one. */
function isFactorial(text: string, end: number): boolean {
  return /\d!\S?$/.test(text.slice(Math.max(0, end - 2), end + 1));
}
