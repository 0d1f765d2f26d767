import type { System } from "../../core/index.js";
import { createCompressor } from "./compressor.js";

/** Function words that carry little meaning. Negations are not included: without "not" a sentence says the opposite. */
const STOPWORDS = new Set(
  (
    "a an the this that these those such some any each every both all of in on at by for with about against between into " +
    "through during before after above below to from up down out off over under again further then once here there and " +
    "but or so than too very just also only own same as if because while until although though whereas whether which who " +
    "whom whose what when where why how i me my mine we us our ours you your yours he him his she her hers it its they " +
    "them their theirs am is are was were be been being have has had having do does did doing will would shall should can " +
    "could may might must"
  ).split(" "),
);
const WORD = /\p{L}[\p{L}\p{M}'’]*/gu;

/**
 * Drops function words and keeps everything else, including punctuation and line breaks.
 * @example
 * stopwords().process({ id: 1, context: "The cat is on the mat." }, trial); // { context: "cat mat." }
 */
export function stopwords(): System {
  return createCompressor({ name: "stopwords", parameters: {}, compress: dropStopwords });
}

function dropStopwords(text: string): string {
  const kept: string[] = [];
  let copied = 0;
  for (const match of text.matchAll(WORD)) {
    if (!isStopword(text, match[0], match.index)) continue;
    const end = match.index + match[0].length;
    const spaceFollows = text.charAt(end) === " ";
    const before = text.slice(copied, match.index);
    // Removes one space with the word, so that no double space and none before a full stop is left.
    kept.push(!spaceFollows && before.endsWith(" ") ? before.slice(0, -1) : before);
    copied = spaceFollows ? end + 1 : end;
  }
  kept.push(text.slice(copied));
  return kept.join("");
}

/** "IT", "US" and "May" are names, "they're" is not in the list, and "a" in "vitamin-a" is part of a word. */
function isStopword(text: string, word: string, at: number): boolean {
  if (!STOPWORDS.has(word.toLowerCase())) return false;
  if (word.length > 1 && word === word.toUpperCase()) return false;
  const before = text.charAt(at - 1);
  const after = text.charAt(at + word.length);
  if (/[\p{L}\p{N}_-]/u.test(before) || /[\p{N}_-]/u.test(after)) return false;
  return word.charAt(0) === word.charAt(0).toLowerCase() || !/^(may|will|can)$/i.test(word);
}
