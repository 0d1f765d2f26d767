import { UsageError } from "../../core/errors.js";
import type { Random } from "../../stats/index.js";

/** English prose has about so many, by any of today's tokenizers; counting would make the text depend on one. */
const CHARACTERS_PER_TOKEN = 4.4;
/** A sentence begins after a line break, or after the end of one and a space. */
const BORDER = /(?:\n|[.!?]["'”’)\]]{0,2}\s)\s*/g;
/** How far from a place a border is looked for: few sentences are longer. */
const REACH = 2000;

/** Where a sentence is hidden. */
export interface Hiding {
  readonly needle: string;
  /** Approximate length of the text in tokens. */
  readonly length: number;
  /** 0 is the beginning, 1 the end. */
  readonly depth: number;
  /** Draws which part of the haystack is used. */
  readonly random: Random;
}

/**
 * A part of a haystack with a sentence put in where another one begins, as near to its depth as possible.
 * @example
 * hide("One. Two. Three.", { needle: "Here!", length: 250, depth: 0.5, random: createRandom(1) });
 */
export function hide(haystack: string, { needle, length, depth, random }: Hiding): string {
  const characters = Math.max(0, Math.round(length * CHARACTERS_PER_TOKEN) - needle.length);
  if (haystack.length < characters) throw tooLong(length, haystack.length);
  const begin = borderNear(haystack, random.int(haystack.length - characters + 1));
  const end = borderNear(haystack, Math.min(begin + characters, haystack.length));
  const place = borderNear(haystack, begin + Math.round(depth * (end - begin)));
  const before = haystack.slice(begin, Math.min(Math.max(place, begin), end)).trimEnd();
  const after = haystack.slice(Math.min(Math.max(place, begin), end), end).trim();
  // Put together and not joined: the parts then stay parts of the haystack, of which there are many in memory.
  return `${before}${before === "" ? "" : "\n"}${needle}${after === "" ? "" : "\n"}${after}`;
}

/** The nearest place at which a sentence begins; the beginning and the end of a text are such places. */
function borderNear(text: string, target: number): number {
  if (target <= 0 || target >= text.length) return Math.min(Math.max(target, 0), text.length);
  const from = Math.max(0, target - REACH);
  let nearest = from === 0 ? 0 : text.length;
  for (const match of text.slice(from, target + REACH).matchAll(BORDER)) {
    const border = from + match.index + match[0].length;
    if (Math.abs(border - target) < Math.abs(nearest - target)) nearest = border;
  }
  return Math.abs(nearest - target) <= REACH ? nearest : target;
}

function tooLong(length: number, characters: number): UsageError {
  const most = Math.floor(characters / CHARACTERS_PER_TOKEN);
  return new UsageError(
    `nolima cannot make a text of ${length} tokens: a haystack has ${most} or so. Ask for shorter ones, e.g. nolima:lengths=1000,${Math.min(16_000, most)}.`,
  );
}
