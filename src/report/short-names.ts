import { measureColumns } from "./text-block.js";

const GAP = "…";

/** The share of the room for the start of a name, the first that tells all names apart. */
const HEAD_SHARES = [0.5, 0.65, 0.35, 0.8, 0.2, 1, 0];

/**
 * Shortens names in the middle so that they fit and stay different from each other.
 * @example
 * shortenNames(["openai/gpt-6-2026-11-01", "openai/gpt-6-2026-11-09"], 15); // ["openai/…2026-11-01", …]
 */
export function shortenNames(names: readonly string[], width: number): string[] {
  if (names.every((name) => measureColumns(name) <= width)) return [...names];
  const different = new Set(names).size;
  const tries = HEAD_SHARES.map((share) => names.map((name) => shortenName(name, width, share)));
  return tries.find((shown) => new Set(shown).size === different) ?? numberNames(names, width);
}

function shortenName(name: string, width: number, headShare: number): string {
  if (measureColumns(name) <= width) return name;
  const room = Math.max(0, width - measureColumns(GAP));
  const parts = splitCharacters(name);
  const head = takeColumns(parts, Math.round(room * headShare));
  const tail = takeColumns(parts.toReversed(), room - measureColumns(head.join("")));
  return `${head.join("")}${GAP}${tail.toReversed().join("")}`;
}

/** Where no cut tells the names apart, their numbers do. */
function numberNames(names: readonly string[], width: number): string[] {
  const numbers = [...new Set(names)];
  return names.map((name) => {
    const end = `${GAP}${numbers.indexOf(name) + 1}`;
    return `${takeColumns(splitCharacters(name), width - measureColumns(end)).join("")}${end}`;
  });
}

/** Characters as people see them: an emoji of several code points is one. */
function splitCharacters(text: string): string[] {
  return Array.from(new Intl.Segmenter("en").segment(text), ({ segment }) => segment);
}

function takeColumns(characters: readonly string[], width: number): string[] {
  const taken: string[] = [];
  let columns = 0;
  for (const character of characters) {
    columns += measureColumns(character);
    if (columns > width) break;
    taken.push(character);
  }
  return taken;
}
