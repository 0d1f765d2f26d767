/** Longer texts are shown as they came: to put them in order would hold up the page. */
const MAX_FORMATTED_LENGTH = 500_000;

/**
 * JSON with a line for each entry; null when the text is no object or list. Only the space between is changed: numbers
 * keep all their digits, and strings their escapes.
 * @example
 * formatJson('{"a":[1,2.50]}'); // '{\n  "a": [\n    1,\n    2.50\n  ]\n}'
 */
export function formatJson(text: string): string | null {
  if (text.length > MAX_FORMATTED_LENGTH || !/^\s*[[{]/.test(text) || !isJson(text)) return null;
  let depth = 0;
  let pretty = "";
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[{]\s*[\]}]|[[\]{},:]|[^\s"[\]{},:]+/gs)) {
    if (token === "]" || token === "}") pretty += startLine(--depth) + token;
    else if (token === "[" || token === "{") pretty += token + startLine(++depth);
    else if (token === ",") pretty += `,${startLine(depth)}`;
    else if (token === ":") pretty += ": ";
    else pretty += /^[[{]/.test(token) ? token.replace(/\s/g, "") : token;
  }
  return pretty;
}

function startLine(depth: number): string {
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
