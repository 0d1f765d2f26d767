/** How much of a text is looked at behind an answer's announcement. */
const MAX_SENTENCE = 400;
/** A full stop ends a sentence unless it stands inside a number or behind a short form. */
const END = /[.!?](?=\s|$|["'*)\]$]{1,3}(?:\s|$))|[。！？।]|\n/g;
const SHORT_FORM = /(?:\b(?:approx|Mr|Mrs|Ms|Dr|vs|e\.g|i\.e|Rs|no|sq|ca|bzw|z\.B|etc|p\.m|a\.m)|\b[ap])$/i;

/** The sentence, or line, that starts here; a long one is cut. */
export function sentenceAt(text: string, start: number): string {
  const window = text.slice(start, start + MAX_SENTENCE);
  for (const { index } of window.matchAll(END)) {
    if (window.slice(0, index).trim() !== "" && !SHORT_FORM.test(window.slice(Math.max(0, index - 8), index))) {
      return window.slice(0, index);
    }
  }
  return window;
}
