export type VerdictFields = Readonly<Record<string, unknown>>;

/** A judge's answer is short; only the end of a longer text is searched. */
const MAX_CHARACTERS = 200_000;

/** How many objects are tried, starting with the last: each try takes up to the length of the text. */
const MAX_TRIES = 50;

/**
 * Finds the last well-formed JSON object in a text that fits, the outermost if nested; null if there is none. Takes
 * linear time for any text.
 * @example
 * findLastObject('Well, {"score": 2}? No: {"score": 4}.', (fields) => "score" in fields); // { score: 4 }
 */
export function findLastObject(text: string, fits: (fields: VerdictFields) => boolean): VerdictFields | null {
  const whole = parseFields(text);
  if (whole !== null && fits(whole)) return whole;
  const end = text.slice(-MAX_CHARACTERS);
  for (const { from, to } of findBraces(end).slice(-MAX_TRIES).reverse()) {
    const found = parseFields(end.slice(from, to));
    if (found !== null && fits(found)) return found;
  }
  return null;
}

interface BraceSpan {
  readonly from: number;
  readonly to: number;
}

/** Finds all matching pairs of braces, ordered by their ends: an outer pair comes after its inner pairs. */
function findBraces(text: string): BraceSpan[] {
  const spans: BraceSpan[] = [];
  const open: number[] = [];
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (isQuoted && char === "\\") at += 1;
    // JSON strings contain no line breaks, so a quotation mark left open in prose ends with its line.
    else if (char === "\n") isQuoted = false;
    else if (char === '"') isQuoted = open.length > 0 && !isQuoted;
    else if (!isQuoted && char === "{") open.push(at);
    else if (!isQuoted && char === "}") closeBrace(open, spans, at);
  }
  return spans;
}

function closeBrace(open: number[], spans: BraceSpan[], at: number): void {
  const from = open.pop();
  if (from !== undefined) spans.push({ from, to: at + 1 });
}

function parseFields(text: string): VerdictFields | null {
  try {
    return toVerdictFields(JSON.parse(text));
  } catch {
    return null;
  }
}

/** Returns the fields of an object; null for anything else. */
export function toVerdictFields(value: unknown): VerdictFields | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as VerdictFields) : null;
}
