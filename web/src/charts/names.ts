import { replaceControlCharacters } from "../../../src/report/format.js";

/** An approximate width, in pixels, of a letter in the small text of charts. */
const LETTER_WIDTH = 7;

/** Names come from files, and may contain control characters. */
export function formatName(name: string): string {
  return replaceControlCharacters(name).replace(/\s+/g, " ").trim() || "(no name)";
}

/** In pixels. */
export function estimateTextWidth(text: string): number {
  return [...text].length * LETTER_WIDTH;
}

/**
 * Truncates a name to a width; the tooltip and the table show all of it.
 * @example
 * truncateName("a-very-long-name", 60); // "a-very-l…"
 */
export function truncateName(name: string, width: number): string {
  const letters = [...formatName(name)];
  const room = Math.max(2, Math.floor(width / LETTER_WIDTH));
  return letters.length <= room ? letters.join("") : `${letters.slice(0, room - 1).join("")}…`;
}

/** For a sentence, which a very long name would make unreadable. */
export function shortenName(name: string): string {
  return truncateName(name, 300);
}

/**
 * Joins names for a sentence, and counts those beyond the first few.
 * @example
 * formatNameList(["a", "b", "c"]); // "a, b and c"
 */
export function formatNameList(names: readonly string[], most = 3): string {
  const heads = names.slice(0, names.length > most ? most - 1 : most).map(shortenName);
  const rest = names.length - heads.length;
  const all = rest > 0 ? [...heads, `${rest} more`] : heads;
  const last = all.at(-1) ?? "";
  return all.length < 2 ? last : `${all.slice(0, -1).join(", ")} and ${last}`;
}
