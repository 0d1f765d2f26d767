/** Longer texts are shown as they came: to put them in order would hold up the page. */
const LONGEST = 500_000;

/**
 * JSON with a line for each entry; null when the text is no object or list. Only the space between is changed: numbers
 * keep all their digits, and strings their escapes.
 * @example
 * prettyJson('{"a":[1,2.50]}'); // '{\n  "a": [\n    1,\n    2.50\n  ]\n}'
 */
export function prettyJson(text: string): string | null {
  if (text.length > LONGEST || !/^\s*[[{]/.test(text) || !isJson(text)) return null;
  let depth = 0;
  let pretty = "";
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[{]\s*[\]}]|[[\]{},:]|[^\s"[\]{},:]+/gs)) {
    if (token === "]" || token === "}") pretty += newLine(--depth) + token;
    else if (token === "[" || token === "{") pretty += token + newLine(++depth);
    else if (token === ",") pretty += `,${newLine(depth)}`;
    else if (token === ":") pretty += ": ";
    else pretty += /^[[{]/.test(token) ? token.replace(/\s/g, "") : token;
  }
  return pretty;
}

function newLine(depth: number): string {
  return `\n${"  ".repeat(depth)}`;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
