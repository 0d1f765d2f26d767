/** How many beginnings that look like JSON and are none are tried; each costs an exception. */
const MOST_FAILURES = 500;
/** How much is read for beginnings that lead to nothing: short texts wholly, long ones a few times over. */
const READ_IN_VAIN = 100_000;
const TIMES_IN_VAIN = 4;
/** What JSON can begin with. Prose is full of other things in brackets. */
const OPENING = /\{\s*["}]|\[\s*["{[\]\-\dtfn]/g;

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
  const opening = new RegExp(OPENING);
  let failures = 0;
  let left = Math.max(READ_IN_VAIN, TIMES_IN_VAIN * text.length);
  for (let found = opening.exec(text); found !== null; found = opening.exec(text)) {
    const at = found.index;
    const end = closingOf(text, at);
    const parsed = end === -1 ? null : parseJson(text.slice(at, end));
    opening.lastIndex = parsed === null ? at + 1 : end;
    if (parsed !== null) yield parsed.value;
    else {
      failures += 1;
      left -= (end === -1 ? text.length : end) - at;
      if (failures > MOST_FAILURES || left < 0) return;
    }
  }
}

/** Reads the JSON object or list that begins at a place of a text, and tells where it ends; null when there is none. */
export function readJsonAt(text: string, at: number): (Parsed & { end: number }) | null {
  const end = closingOf(text, at);
  const parsed = end === -1 ? null : parseJson(text.slice(at, end));
  return parsed === null ? null : { ...parsed, end };
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
