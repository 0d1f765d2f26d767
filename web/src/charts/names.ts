import { replaceControlCharacters } from "../../../src/report/format.js";

/** About how wide a letter of the charts' small text is. */
const LETTER_WIDTH = 7;

/** A name as it is shown: names come from files, and may hold what steers the text around them. */
export function formatName(name: string): string {
  return replaceControlCharacters(name).replace(/\s+/g, " ").trim() || "(no name)";
}

/** About how much room a text takes in a chart, in pixels. */
export function estimateTextWidth(text: string): number {
  return [...text].length * LETTER_WIDTH;
}

/**
 * A name cut to the room there is; the whole stands in the tooltip and the table.
 * @example
 * truncateName("a-very-long-name", 60); // "a-very-l…"
 */
export function truncateName(name: string, width: number): string {
  const letters = [...formatName(name)];
  const room = Math.max(2, Math.floor(width / LETTER_WIDTH));
  return letters.length <= room ? letters.join("") : `${letters.slice(0, room - 1).join("")}…`;
}

/** A name in a sentence, which a very long one would drown. */
export function shortenName(name: string): string {
  return truncateName(name, 300);
}

/**
 * Names in a sentence, the first few of many.
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
