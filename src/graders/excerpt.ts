const LONGEST = 200;
const MOST_LINES = 12;
const LONGEST_TAIL = 1500;

/** A text in quotes, for evidence: short, and on one line. */
export function quoted(text: string): string {
  return JSON.stringify(text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}…`);
}

/** The last lines of what a program printed. */
export function lastLines(text: string): string {
  const lines = text.trimEnd().split("\n");
  const kept = lines.slice(-MOST_LINES).join("\n");
  const isCut = lines.length > MOST_LINES || kept.length > LONGEST_TAIL;
  return `${isCut ? "…" : ""}${kept.slice(-LONGEST_TAIL)}`;
}

/** A list for evidence: the first few, and how many more. */
export function listed(items: readonly string[], most = 5): string {
  const more = items.length - most;
  return `${items.slice(0, most).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
