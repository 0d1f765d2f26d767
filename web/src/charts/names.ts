import { replaceControlCharacters } from "../../../src/report/format.js";

/** An approximate width, in pixels, of a letter in the small text of charts. */
const LETTER_WIDTH = 7;
const FONT_SIZE = 12;

/** Names come from files, and may contain control characters. */
export function formatName(name: string): string {
  return replaceControlCharacters(name).replace(/\s+/g, " ").trim() || "(no name)";
}

/** In pixels: measured in the font of the page, estimated where there is no page. */
export function estimateTextWidth(text: string): number {
  const ruler = getRuler();
  return ruler === null ? [...text].length * LETTER_WIDTH : Math.ceil(ruler.measureText(text).width) + 1;
}

/** Undefined before the first use. */
let knownRuler: CanvasRenderingContext2D | null | undefined;

/** Created once: a layout measures hundreds of texts. */
function getRuler(): CanvasRenderingContext2D | null {
  if (knownRuler === undefined) {
    knownRuler = typeof document === "undefined" ? null : document.createElement("canvas").getContext("2d");
    if (knownRuler !== null) knownRuler.font = `${FONT_SIZE}px ${getComputedStyle(document.body).fontFamily}`;
  }
  return knownRuler;
}

/** Longer names are cut before they are measured. */
const MAX_MEASURED_LETTERS = 300;

/**
 * Truncates a name to a width; the tooltip and the table show all of it.
 * @example
 * truncateName("a-very-long-name", 60); // "a-very-…"
 */
export function truncateName(name: string, width: number): string {
  const letters = [...formatName(name)];
  const cut = (count: number) => `${letters.slice(0, count).join("")}…`;
  if (letters.length <= MAX_MEASURED_LETTERS && estimateTextWidth(letters.join("")) <= width) return letters.join("");
  let [fits, tooMany] = [1, Math.min(letters.length, MAX_MEASURED_LETTERS)];
  while (tooMany - fits > 1) {
    const middle = Math.floor((fits + tooMany) / 2);
    if (estimateTextWidth(cut(middle)) <= width) fits = middle;
    else tooMany = middle;
  }
  return letters.length <= 2 ? letters.join("") : cut(fits);
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

interface NameParts {
  base: string;
  tags: readonly string[];
}

/**
 * Labels for systems, without what all names share: a provider in front, or tags in brackets.
 * @example
 * shortenSystemNames(["swift [pi, agent]", "atlas [codex, agent]"]); // "swift · pi", "atlas · codex"
 */
export function shortenSystemNames(names: readonly string[]): (name: string) => string {
  const parts = new Map(names.map((name) => [name, splitName(formatName(name))]));
  const all = [...parts.values()];
  const shared = all[0]?.tags.filter((tag) => all.every(({ tags }) => tags.includes(tag))) ?? [];
  const prefix = all.length < 2 ? "" : findSharedPrefix(all.map(({ base }) => base));
  const labels = new Map(
    [...parts].map(([name, { base, tags }]) => [name, joinLabel(base.slice(prefix.length), tags)]),
  );
  const isUnique = new Set(labels.values()).size === labels.size;
  return (name) => (isUnique ? labels.get(name) : undefined) ?? formatName(name);

  function joinLabel(base: string, tags: readonly string[]): string {
    return [base, ...(all.length < 2 ? tags : tags.filter((tag) => !shared.includes(tag)))].join(" · ");
  }
}

/** `model [harness, kind]`. */
function splitName(name: string): NameParts {
  const [, base, tags] = /^(.+?) \[([^[\]]+)\]$/.exec(name) ?? [];
  return base === undefined || tags === undefined ? { base: name, tags: [] } : { base, tags: tags.split(", ") };
}

/** Up to a slash or colon: a shared beginning of a word, such as `gpt-`, belongs to the name. */
function findSharedPrefix(names: readonly string[]): string {
  const [, prefix = ""] = /^(.*[/:])[^/:]+$/.exec(names[0] ?? "") ?? [];
  return names.every((name) => name.startsWith(prefix) && name.length > prefix.length) ? prefix : "";
}
