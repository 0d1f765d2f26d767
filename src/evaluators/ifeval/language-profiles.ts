import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** How often each run of up to three letters occurs in each language. */
export interface LanguageProfiles {
  readonly languages: readonly string[];
  /** Letters → pairs of numbers: an index into `languages`, and the share among runs of this length in that language. */
  readonly shares: ReadonlyMap<string, readonly number[]>;
  /** Chinese characters that are treated as one, each with its representative. */
  readonly alike: ReadonlyMap<string, string>;
}

interface ProfileFile {
  name: string;
  freq: Record<string, number>;
  /** How many runs of one, two and three letters were counted. */
  n_words: number[];
}

/**
 * Reads the profiles of langdetect-js. Only its data is used, which is that of the official grader's detector; the
 * package's own code picks its samples at random and sorts its results wrongly.
 */
export function loadLanguageProfiles(): LanguageProfiles {
  const folder = dirname(createRequire(import.meta.url).resolve("langdetect-js/package.json"));
  const files = readdirSync(join(folder, "profiles")).sort();
  const languages: string[] = [];
  const shares = new Map<string, number[]>();
  for (const file of files) {
    const profile = readProfileJson(join(folder, "profiles", file)) as ProfileFile;
    addProfile(profile, languages.push(profile.name) - 1, shares);
  }
  return { languages, shares, alike: readAlikeCharacters(readProfileJson(join(folder, "lib", "Messages.json"))) };
}

function readProfileJson(file: string): unknown {
  return JSON.parse(readFileSync(file, "utf8"));
}

function addProfile({ freq, n_words }: ProfileFile, place: number, shares: Map<string, number[]>): void {
  for (const [letters, count] of Object.entries(freq)) {
    const total = n_words[letters.length - 1];
    if (total === undefined) continue;
    const pairs = shares.get(letters);
    if (pairs === undefined) shares.set(letters, [place, count / total]);
    else pairs.push(place, count / total);
  }
}

function readAlikeCharacters(messages: unknown): Map<string, string> {
  const alike = new Map<string, string>();
  for (const [name, characters] of Object.entries(messages as Record<string, string>)) {
    const [first] = characters;
    if (!name.startsWith("NGram_KANJI") || first === undefined) continue;
    for (const character of characters) alike.set(character, first);
  }
  return alike;
}
