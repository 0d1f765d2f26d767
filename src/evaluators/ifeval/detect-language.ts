import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** Returns a two-letter code, "unknown" if several languages are equally likely, or null if the text has no letters. */
export type DetectLanguage = (text: string) => string | null;

/** The official detector draws 7 random samples; more samples with a fixed seed give its most frequent answer. */
const SAMPLES = 35;
const MAX_RUNS_PER_SAMPLE = 1000;
const RUNS_BETWEEN_CHECKS = 5;
const CERTAIN_PROBABILITY = 0.99999;
const MIN_PROBABILITY = 0.1;
/** The weight of a letter run that a language's profile lacks; varied a little per sample. */
const MIN_SHARE = 0.5 / 10_000;
const SPREAD = 0.05 / 10_000;
const SEED = 0x9e3779b9;

/**
 * Creates a language detector that decides like the official grader's: naive Bayes over letter runs, sampled from the text
 * until one language is certain.
 * @example
 * createLanguageDetector(loadLanguageProfiles())("Guten Morgen, wie geht es dir?"); // "de"
 */
export function createLanguageDetector({ languages, shares, alike }: LanguageProfiles): DetectLanguage {
  return (text) => {
    const found = listLetterRuns(text, alike).flatMap((run) => {
      const pairs = shares.get(run);
      return pairs === undefined ? [] : [pairs];
    });
    if (found.length === 0) return null;
    const random = createLanguageRandom(SEED);
    const total = new Float64Array(languages.length);
    for (let sample = 0; sample < SAMPLES; sample++) {
      const probabilities = judgeSample(found, languages.length, random);
      for (let place = 0; place < total.length; place++)
        total[place] = (total[place] ?? 0) + (probabilities[place] ?? 0);
    }
    return findLikeliest(total, languages);
  };
}

/** Multiplies the probabilities of sampled runs until one language is certain. */
function judgeSample(found: readonly (readonly number[])[], size: number, random: () => number): Float64Array {
  const probabilities = new Float64Array(size).fill(1 / size);
  const smallest = MIN_SHARE + drawNormal(random) * SPREAD;
  for (let drawn = 0; ; drawn++) {
    const pairs = found[Math.floor(random() * found.length)] ?? [];
    for (let at = 0; at < pairs.length; at += 2) {
      const place = pairs[at] ?? 0;
      // Languages without the run would all get the same factor, so only the others are scaled, by the ratio.
      probabilities[place] = (probabilities[place] ?? 0) * (1 + (pairs[at + 1] ?? 0) / smallest);
    }
    if (drawn % RUNS_BETWEEN_CHECKS !== 0) continue;
    if (normalizeProbabilities(probabilities) > CERTAIN_PROBABILITY || drawn >= MAX_RUNS_PER_SAMPLE)
      return probabilities;
  }
}

/** Scales the probabilities to sum to one and returns the largest. */
function normalizeProbabilities(probabilities: Float64Array): number {
  const sum = probabilities.reduce((total, probability) => total + probability, 0);
  let largest = 0;
  for (let place = 0; place < probabilities.length; place++) {
    const probability = (probabilities[place] ?? 0) / sum;
    probabilities[place] = probability;
    if (probability > largest) largest = probability;
  }
  return largest;
}

function findLikeliest(total: Float64Array, languages: readonly string[]): string {
  let best = 0;
  for (let place = 1; place < total.length; place++) if ((total[place] ?? 0) > (total[best] ?? 0)) best = place;
  return (total[best] ?? 0) / SAMPLES > MIN_PROBABILITY ? (languages[best] ?? "unknown") : "unknown";
}

/** Seeded, so that a text always gets the same language. */
function createLanguageRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function drawNormal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** Longer texts are judged by their beginning. */
const MAX_CHARACTERS = 10_000;
const MAX_RUN_LENGTH = 3;
const URL_TEXT = /https?:\/\/[-_.?&~;+=/#0-9A-Za-z]{1,2076}/g;
const MAIL_TEXT = /[-_.0-9A-Za-z]{1,64}@[-_0-9A-Za-z]{1,255}[-_.0-9A-Za-z]{1,255}/g;
/** A vowel and a mark that Vietnamese writes as one character. */
const VIETNAMESE = /[AEIOUYaeiouyÂÊÔâêôĂăƠơƯư][\u0300\u0301\u0303\u0309\u0323]/gu;
const UPPER = /^\p{Uppercase}$/u;

/** Characters treated as spaces. */
const LATIN_1_SPACES = "\u00a0«°»";

/** Blocks of characters that are treated as one: first, last, and the character used for all. */
const BLOCKS: readonly (readonly [first: number, last: number, standIn: string])[] = [
  [0x1ea0, 0x1eff, "\u1ec3"],
  [0x2000, 0x206f, " "],
  [0x3040, 0x309f, "\u3042"],
  [0x30a0, 0x30ff, "\u30a2"],
  [0x3100, 0x312f, "\u3105"],
  [0x31a0, 0x31bf, "\u3105"],
  [0xac00, 0xd7af, "\uac00"],
];

/** Letters with two spellings: the Romanian s and t with a comma, and the Persian yeh. */
const SPELLINGS: Readonly<Record<string, string>> = { "\u0219": "\u015f", "\u021b": "\u0163", "\u06cc": "\u064a" };

/**
 * Lists the runs of one to three letters that identify a language, in text order. Words in capitals contribute
 * only their first letter and their end, so that abbreviations do not count.
 */
export function listLetterRuns(text: string, alike: ReadonlyMap<string, string>): string[] {
  const runs: string[] = [];
  let run = " ";
  for (const character of keepMainScript(takeBeginning(text))) {
    const letter = mapToStandIn(character, alike);
    const last = run.at(-1) ?? " ";
    if (last === " " && letter === " ") continue;
    run = (last === " " ? " " : run.slice(1 - MAX_RUN_LENGTH)) + letter;
    const isInCapitals = UPPER.test(letter) && UPPER.test(last);
    if (!isInCapitals) for (let size = 1; size <= run.length; size++) runs.push(run.slice(-size));
  }
  return runs;
}

/** Without addresses and with single spaces. */
function takeBeginning(text: string): string[] {
  const plain = stripAddresses(text).replace(VIETNAMESE, (pair) => pair.normalize("NFC"));
  const kept: string[] = [];
  let last = "";
  let count = 0;
  for (const character of plain) {
    if (++count > MAX_CHARACTERS) break;
    if (character !== " " || last !== " ") kept.push(character);
    last = character;
  }
  return kept;
}

function stripAddresses(text: string): string {
  const plain = text.replace(URL_TEXT, " ");
  // Most texts have no "@", and matching what may precede it is slow.
  return plain.includes("@") ? plain.replace(MAIL_TEXT, " ") : plain;
}

/** Drops Latin letters if they are the minority: names and terms in another script. */
function keepMainScript(characters: string[]): string[] {
  let latin = 0;
  let other = 0;
  for (const character of characters) {
    if (isLatin(character)) latin += 1;
    else if (character >= "\u0300") other += 1;
  }
  return latin * 2 < other ? characters.filter((character) => !isLatin(character)) : characters;
}

function isLatin(character: string): boolean {
  return character >= "A" && character <= "z";
}

function mapToStandIn(character: string, alike: ReadonlyMap<string, string>): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x80) return /[A-Za-z]/.test(character) ? character : " ";
  if (code <= 0xff) return LATIN_1_SPACES.includes(character) ? " " : character;
  const block = BLOCKS.find(([first, last]) => code >= first && code <= last);
  return block?.[2] ?? SPELLINGS[character] ?? alike.get(character) ?? character;
}

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
