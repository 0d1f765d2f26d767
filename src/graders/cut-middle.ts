/**
 * A text of at most about so many characters: what is too much is taken out of the middle, and a mark says so.
 * @example
 * cutMiddle("abcdefgh", 4); // "ab\n[… 4 characters left out …]\ngh"
 */
export function cutMiddle(text: string, most: number): string {
  if (text.length <= most) return text;
  const half = Math.floor(most / 2);
  const start = text.slice(0, wholeAt(text, half));
  const end = text.slice(wholeAt(text, text.length - half));
  return `${start}\n[… ${text.length - start.length - end.length} characters left out …]\n${end}`;
}

/** The nearest place at or before one that does not lie within a character of two halves. */
function wholeAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}
