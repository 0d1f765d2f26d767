/** How many false starts are tried; each costs an exception. */
const MAX_FAILURES = 500;
/** How much text may be read for false starts: short texts completely, long ones a few times over. */
const MAX_WASTED_CHARS = 100_000;
const MAX_WASTED_PASSES = 4;
/** What JSON can begin with. Prose has many other things in brackets. */
const OPENING = /\{\s*["}]|\[\s*["{[\]\-\dtfn]/g;

/** Wrapped, because null is a value too. */
export interface ParsedJson {
  value: unknown;
}

/** Returns null for malformed JSON. */
export function parseJson(text: string): ParsedJson | null {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return null;
  }
}

/** Returns null for what JSON cannot hold: cycles and too deep nesting. */
export function toJson(value: unknown): string | null {
  try {
    return JSON.stringify(value) ?? null;
  } catch {
    return null;
  }
}

/**
 * Finds the JSON objects and lists in a text, in order, ignoring prose and fences around them.
 * @example
 * [...findJsonValues('Sure: {"a": 1} and [2]')]; // [{ a: 1 }, [2]]
 */
export function* findJsonValues(text: string): Generator<unknown> {
  const opening = new RegExp(OPENING);
  let failures = 0;
  let left = Math.max(MAX_WASTED_CHARS, MAX_WASTED_PASSES * text.length);
  for (let found = opening.exec(text); found !== null; found = opening.exec(text)) {
    const at = found.index;
    const end = findJsonEnd(text, at);
    const parsed = end === -1 ? null : parseJson(text.slice(at, end));
    opening.lastIndex = parsed === null ? at + 1 : end;
    if (parsed !== null) yield parsed.value;
    else {
      failures += 1;
      left -= (end === -1 ? text.length : end) - at;
      if (failures > MAX_FAILURES || left < 0) return;
    }
  }
}

/** Parses the JSON object or list at this position, and returns where it ends; null if there is none. */
export function parseJsonFrom(text: string, at: number): (ParsedJson & { end: number }) | null {
  const end = findJsonEnd(text, at);
  const parsed = end === -1 ? null : parseJson(text.slice(at, end));
  return parsed === null ? null : { ...parsed, end };
}

/** The position after the bracket that closes the one at `start`; -1 if there is none. */
function findJsonEnd(text: string, start: number): number {
  let depth = 0;
  for (let i = start; i < text.length; i++) {
    const char = text[i];
    if (char === '"') i = findStringEnd(text, i);
    else if (char === "{" || char === "[") depth += 1;
    else if (char === "}" || char === "]") depth -= 1;
    if (depth === 0) return i + 1;
  }
  return -1;
}

/** The position of the closing quote; the end of the text if there is none. */
function findStringEnd(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i++) {
    if (text[i] === "\\") i += 1;
    else if (text[i] === '"') return i;
  }
  return text.length;
}
