/** How many beginnings that lead to nothing are tried; each may mean reading the text to its end. */
const MOST_FAILURES = 32;

/** A value that was read; wrapped, because null is a value too. */
export interface Parsed {
  value: unknown;
}

/** What a text is as JSON; null when it is none. */
export function parseJson(text: string): Parsed | null {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return null;
  }
}

/** A value as JSON text; null for what JSON cannot hold: circles, and what is nested too deeply. */
export function jsonOf(value: unknown): string | null {
  try {
    return JSON.stringify(value) ?? null;
  } catch {
    return null;
  }
}

/**
 * The JSON objects and lists of a text, in order, whatever prose and fences are around them.
 * @example
 * [...jsonValuesIn('Sure: {"a": 1} and [2]')]; // [{ a: 1 }, [2]]
 */
export function* jsonValuesIn(text: string): Generator<unknown> {
  let failures = 0;
  for (let at = nextOpening(text, 0); at !== -1 && failures < MOST_FAILURES; ) {
    const end = closingOf(text, at);
    const parsed = end === -1 ? null : parseJson(text.slice(at, end));
    if (parsed === null) failures += 1;
    else yield parsed.value;
    at = nextOpening(text, parsed === null ? at + 1 : end);
  }
}

function nextOpening(text: string, from: number): number {
  for (let i = from; i < text.length; i++) if (text[i] === "{" || text[i] === "[") return i;
  return -1;
}

/** Where the bracket at `start` is closed, as the place after it; -1 when it never is. */
function closingOf(text: string, start: number): number {
  let depth = 0;
  for (let i = start; i < text.length; i++) {
    const char = text[i];
    if (char === '"') i = stringEnd(text, i);
    else if (char === "{" || char === "[") depth += 1;
    else if (char === "}" || char === "]") depth -= 1;
    if (depth === 0) return i + 1;
  }
  return -1;
}

/** The place of the quote that closes the string at `start`; the end of the text when none does. */
function stringEnd(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i++) {
    if (text[i] === "\\") i += 1;
    else if (text[i] === '"') return i;
  }
  return text.length;
}
