/** A longer run without white space (a URL, Chinese) may be cut between any two characters. */
const LONGEST_WORD = 24;
const WORD = /\S+/g;

/**
 * Where a text may be cut, ascending, from 0 to its length: at the ends of words, and within runs without white space
 * that are longer than any word. Never inside a surrogate pair.
 */
export function cutsOf(text: string): number[] {
  const cuts = [0];
  for (const match of text.matchAll(WORD)) {
    const start = match.index;
    const end = start + match[0].length;
    if (end - start > LONGEST_WORD) {
      for (let at = start + 1; at < end; at++) if (!splitsPair(text, at)) cuts.push(at);
    }
    cuts.push(end);
  }
  if (cuts.at(-1) !== text.length) cuts.push(text.length);
  return cuts;
}

function splitsPair(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at);
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
}
