import { randomBytes } from "node:crypto";

/** Characters from which on a text is encoded in pieces, and those of a piece. */
const LONG_TEXT = 1 << 18;

/**
 * What `JSON.stringify` gives, in pieces, so that a text of hundreds of megabytes is not held twice. Throws at once
 * where JSON cannot hold the value.
 */
export function encodePieces(value: unknown): Iterable<string> {
  const texts: string[] = [];
  const mark = randomBytes(16).toString("hex");
  const json = JSON.stringify(value, (_, each: unknown) => {
    if (typeof each !== "string" || each.length <= LONG_TEXT) return each;
    texts.push(each);
    return mark;
  });
  return joinPieces(json.split(mark), texts);
}

function* joinPieces(between: readonly string[], texts: readonly string[]): Generator<string> {
  for (const [index, json] of between.entries()) {
    yield json;
    const text = texts[index];
    if (text !== undefined) yield* escapePieces(text);
  }
}

/** The inside of a JSON string. A character is never cut in two: its halves would be escaped. */
function* escapePieces(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const end = Math.min(text.length, start + LONG_TEXT);
    const whole = (text.codePointAt(end - 1) ?? 0) > 0xffff ? end + 1 : end;
    yield JSON.stringify(text.slice(start, whole)).slice(1, -1);
    start = whole;
  }
}
