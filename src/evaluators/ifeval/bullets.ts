import { isLineStart, lineEnd, skipSpaces } from "./python-text.js";

/**
 * How many bullet points there are, of asterisks and of dashes. White space before the sign may span lines, and an
 * asterisk takes whatever follows it along, even the end of the line; two asterisks are no bullet.
 */
export function countBullets(text: string): number {
  const asterisks = countLines(
    text,
    (sign) => text[sign] === "*" && sign + 1 < text.length && text[sign + 1] !== "*",
    2,
  );
  return asterisks + countLines(text, (sign) => text[sign] === "-", 1);
}

/** Counts the lines whose first sign is a bullet, each from its sign to the end of the line that the bullet ends in. */
function countLines(text: string, isBullet: (sign: number) => boolean, bulletLength: number): number {
  let count = 0;
  let place = 0;
  while (place < text.length) {
    const sign = skipSpaces(text, place);
    const isFound = isBullet(sign);
    if (isFound) count += 1;
    const end = lineEnd(text, isFound ? sign + bulletLength : sign);
    place = isFound && isLineStart(text, end) ? end : end + 1;
  }
  return count;
}
