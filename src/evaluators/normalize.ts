/** `string.punctuation` of Python, as the SQuAD script strips it. */
const PUNCTUATION = /[!-/:-@[-`{-~]+/g;
/** Anything beyond printable ASCII and the usual white space, where a word may end at more than a space. */
const EXOTIC = /[^\t\n\r -~]/;
/** `\b(a|an|the)\b` with Python's idea of a word, which knows letters beyond ASCII. */
const ARTICLES = /(?<![\p{L}\p{N}_])(?:an?|the)(?![\p{L}\p{N}_])/gu;
const PLAIN_ARTICLES = / (?:(?:an?|the) )+/g;
const SPACES = /\s+/g;
const NEEDS_COLLAPSE = /[\t\n\r\f\v]| {2}|^ | $/;

/**
 * How much of a text counts: "words" is SQuAD's normalisation; "articles" keeps a, an and the; "all" keeps punctuation
 * too. The latter two are for gold answers such as "A" or "+", of which SQuAD's normalisation would leave nothing.
 */
export type Detail = "words" | "articles" | "all";

/**
 * A text as the SQuAD v1.1 script compares it: lower case, without ASCII punctuation, without articles, white space
 * collapsed, in that order.
 * @example
 * normalizeAnswer("The U.S.A.!"); // "usa"
 */
export function normalizeAnswer(text: string, detail: Detail = "words"): string {
  let result = text.toLowerCase();
  if (detail !== "all") result = result.replace(PUNCTUATION, "");
  if (detail !== "words") return collapse(result);
  if (EXOTIC.test(result)) return collapse(result.replace(ARTICLES, " "));
  // With nothing but ASCII left, words end at spaces only, and articles can be found without looking behind.
  return dropPlainArticles(collapse(result));
}

function collapse(text: string): string {
  if (EXOTIC.test(text) || NEEDS_COLLAPSE.test(text)) return text.replace(SPACES, " ").trim();
  return text;
}

function dropPlainArticles(text: string): string {
  const padded = ` ${text} `;
  const dropped = padded.replace(PLAIN_ARTICLES, " ");
  return dropped === padded ? text : dropped.slice(1, -1);
}
