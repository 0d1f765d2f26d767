const MAX_QUOTE_LENGTH = 200;
const MAX_TAIL_LINES = 12;
const MAX_TAIL_LENGTH = 1500;

/** Quotes a text for evidence: shortened, and on one line. */
export function quoteExcerpt(text: string): string {
  return JSON.stringify(text.length <= MAX_QUOTE_LENGTH ? text : `${text.slice(0, MAX_QUOTE_LENGTH)}…`);
}

/** Takes the last lines of a program's output. */
export function takeLastLines(text: string): string {
  const lines = text.trimEnd().split("\n");
  const kept = lines.slice(-MAX_TAIL_LINES).join("\n");
  const isCut = lines.length > MAX_TAIL_LINES || kept.length > MAX_TAIL_LENGTH;
  return `${isCut ? "…" : ""}${kept.slice(-MAX_TAIL_LENGTH)}`;
}

/** Formats a list for evidence: the first few items, and how many more there are. */
export function formatList(items: readonly string[], most = 5): string {
  const more = items.length - most;
  return `${items.slice(0, most).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
