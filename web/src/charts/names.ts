import { replaceControlCharacters } from "../../../src/report/printable.js";

/** About how wide a letter of the charts' small text is. */
const LETTER = 7;

/** A name as it is shown: names come from files, and may hold what steers the text around them. */
export function shown(name: string): string {
  return replaceControlCharacters(name).replace(/\s+/g, " ").trim() || "(no name)";
}

/** About how much room a text takes in a chart, in pixels. */
export function widthOf(text: string): number {
  return [...text].length * LETTER;
}

/**
 * A name cut to the room there is; the whole stands in the tooltip and the table.
 * @example
 * fitted("a-very-long-name", 60); // "a-very-l…"
 */
export function fitted(name: string, width: number): string {
  const letters = [...shown(name)];
  const room = Math.max(2, Math.floor(width / LETTER));
  return letters.length <= room ? letters.join("") : `${letters.slice(0, room - 1).join("")}…`;
}

/** A name in a sentence, which a very long one would drown. */
export function told(name: string): string {
  return fitted(name, 300);
}

/**
 * Names in a sentence, the first few of many.
 * @example
 * listed(["a", "b", "c"]); // "a, b and c"
 */
export function listed(names: readonly string[], most = 3): string {
  const heads = names.slice(0, names.length > most ? most - 1 : most).map(told);
  const rest = names.length - heads.length;
  const all = rest > 0 ? [...heads, `${rest} more`] : heads;
  const last = all.at(-1) ?? "";
  return all.length < 2 ? last : `${all.slice(0, -1).join(", ")} and ${last}`;
}
