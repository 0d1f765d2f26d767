import type { CST } from "yaml";

/** No file that a person writes is nested so deeply; far beyond it, making a tree of it ends the process. */
export const DEEPEST = 200;

type Token = CST.Token | null | undefined;

/** Where a text is nested more deeply than is allowed, as an offset; null when it is nowhere. */
export function tooDeepAt(tokens: Iterable<CST.Token>): number | null {
  // A list of what is left, as calls within calls are what a deep text would exhaust.
  const left = Array.from(tokens, (token): [Token, number] => [token, 0]);
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const [token, depth] = next;
    if (token === null || token === undefined) continue;
    if (depth > DEEPEST) return token.offset;
    if (token.type === "document") left.push([token.value, depth]);
    else for (const inner of innerOf(token)) left.push([inner, depth + 1]);
  }
  return null;
}

function innerOf(token: CST.Token): Token[] {
  if (!("items" in token)) return [];
  return token.items.flatMap(({ key, value }): Token[] => [key, value]);
}
