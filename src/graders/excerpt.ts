const LONGEST = 200;
const MOST_LINES = 12;
const LONGEST_TAIL = 1500;

/** Quotes a text for evidence: shortened, and on one line. */
export function quoted(text: string): string {
  return JSON.stringify(text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}…`);
}

/** Takes the last lines of a program's output. */
export function lastLines(text: string): string {
  const lines = text.trimEnd().split("\n");
  const kept = lines.slice(-MOST_LINES).join("\n");
  const isCut = lines.length > MOST_LINES || kept.length > LONGEST_TAIL;
  return `${isCut ? "…" : ""}${kept.slice(-LONGEST_TAIL)}`;
}

/** Formats a list for evidence: the first few items, and how many more there are. */
export function listed(items: readonly string[], most = 5): string {
  const more = items.length - most;
  return `${items.slice(0, most).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
