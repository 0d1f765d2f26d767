// The same marks head a section in Markdown, "#### 2. Add the costs": a number with its own full stop is no answer.
const HASHES = /#### ?[ \t]*(?!\**\d+[.)]\**[ \t]+\S)(?=\**[$€£¥\\({-]*[\d.-])([^\n]{1,300})/g;

/** The first "####" with a number behind it: a model that goes on from there has begun something else. */
export function firstHashed(text: string): string | null {
  for (const { 1: line = "" } of text.matchAll(HASHES)) if (/\d/.test(line)) return line.trim();
  return null;
}

/** What stands behind "####" on the last line, where it heads nothing. */
export function finalHashed(text: string): string | null {
  return /(?:^|\n)####[ \t]*([^\s#][^\n]{0,300})\s*$/.exec(text)?.[1]?.trim() ?? null;
}

/** What follows the last "####", whatever it is: a gold solution has nothing behind it. */
export function lastHashed(text: string): string | null {
  const at = text.lastIndexOf("####");
  const content = at === -1 ? "" : text.slice(at + 4).trim();
  return content === "" ? null : content;
}
