/**
 * A text in pieces of at most `size` characters, which end at the end of a line where they can and never within a
 * character. Joined they are the text again.
 * @example
 * splitIntoBlocks("one\ntwo", 5); // ["one\n", "two"]
 */
export function splitIntoBlocks(text: string, size: number): string[] {
  const blocks: string[] = [];
  for (let start = 0; start < text.length; ) {
    const end = findBlockEnd(text, start, size);
    blocks.push(text.slice(start, end));
    start = end;
  }
  return blocks;
}

/** The beginning of a text, at most so many characters and lines of it. */
export function takeBeginning(text: string, { characters, lines }: { characters: number; lines: number }): string {
  const first = text.slice(0, findBlockEnd(text, 0, characters));
  let at = -1;
  for (let line = 0; line < lines; line++) {
    at = first.indexOf("\n", at + 1);
    if (at < 0) return first;
  }
  return first.slice(0, at);
}

function findBlockEnd(text: string, start: number, size: number): number {
  const furthest = start + size;
  if (furthest >= text.length) return text.length;
  // Within the piece alone: looking back from each piece of a text without lines would go to its beginning every time.
  const line = text.slice(start, furthest).lastIndexOf("\n");
  if (line >= 0) return start + line + 1;
  // The second half of a pair is no beginning.
  const isHalf =
    size > 1 && /[\udc00-\udfff]/.test(text[furthest] ?? "") && /[\ud800-\udbff]/.test(text[furthest - 1] ?? "");
  return isHalf ? furthest - 1 : furthest;
}
