import type { LanguageProfiles } from "./language-profiles.js";

/** The language of a text as a two-letter code, "unknown" when several are as likely, null when it has no letters. */
export type DetectLanguage = (text: string) => string | null;

/** The official detector takes 7 samples, by chance; more give the answer that it gives most often, always the same. */
const SAMPLES = 35;
const MOST_RUNS_OF_A_SAMPLE = 1000;
const RUNS_BETWEEN_CHECKS = 5;
const CERTAIN = 0.99999;
const LEAST_PROBABILITY = 0.1;
/** What a run of letters counts in a language whose profile lacks it; it varies a little from sample to sample. */
const SMALLEST_SHARE = 0.5 / 10_000;
const SPREAD = 0.05 / 10_000;
const SEED = 0x9e3779b9;

/**
 * A language detector that decides as the official grader's does: naive Bayes over runs of letters, drawn from the text
 * until one language is certain.
 * @example
 * languageDetector(loadProfiles())("Guten Morgen, wie geht es dir?"); // "de"
 */
export function languageDetector({ languages, shares, alike }: LanguageProfiles): DetectLanguage {
  return (text) => {
    const found = letterRuns(text, alike).flatMap((run) => {
      const pairs = shares.get(run);
      return pairs === undefined ? [] : [pairs];
    });
    if (found.length === 0) return null;
    const random = randomNumbers(SEED);
    const total = new Float64Array(languages.length);
    for (let sample = 0; sample < SAMPLES; sample++) {
      const probabilities = judgeSample(found, languages.length, random);
      for (let place = 0; place < total.length; place++)
        total[place] = (total[place] ?? 0) + (probabilities[place] ?? 0);
    }
    return likeliest(total, languages);
  };
}

/** Multiplies the probabilities of runs drawn from the text until one language is certain. */
function judgeSample(found: readonly (readonly number[])[], size: number, random: () => number): Float64Array {
  const probabilities = new Float64Array(size).fill(1 / size);
  const smallest = SMALLEST_SHARE + normalDeviate(random) * SPREAD;
  for (let drawn = 0; ; drawn++) {
    const pairs = found[Math.floor(random() * found.length)] ?? [];
    for (let at = 0; at < pairs.length; at += 2) {
      const place = pairs[at] ?? 0;
      // Languages without the run would all be multiplied by the same: only the others are, by how much more they have.
      probabilities[place] = (probabilities[place] ?? 0) * (1 + (pairs[at + 1] ?? 0) / smallest);
    }
    if (drawn % RUNS_BETWEEN_CHECKS !== 0) continue;
    if (normalise(probabilities) > CERTAIN || drawn >= MOST_RUNS_OF_A_SAMPLE) return probabilities;
  }
}

/** Makes the probabilities sum to one and gives the largest. */
function normalise(probabilities: Float64Array): number {
  const sum = probabilities.reduce((total, probability) => total + probability, 0);
  let largest = 0;
  for (let place = 0; place < probabilities.length; place++) {
    const probability = (probabilities[place] ?? 0) / sum;
    probabilities[place] = probability;
    if (probability > largest) largest = probability;
  }
  return largest;
}

function likeliest(total: Float64Array, languages: readonly string[]): string {
  let best = 0;
  for (let place = 1; place < total.length; place++) if ((total[place] ?? 0) > (total[best] ?? 0)) best = place;
  return (total[best] ?? 0) / SAMPLES > LEAST_PROBABILITY ? (languages[best] ?? "unknown") : "unknown";
}

/** Numbers from 0 to 1 that are the same every time, so that a text has one language. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function normalDeviate(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** Longer texts are judged by their beginning. */
const MOST_CHARACTERS = 10_000;
const LONGEST_RUN = 3;
const URL_TEXT = /https?:\/\/[-_.?&~;+=/#0-9A-Za-z]{1,2076}/g;
const MAIL_TEXT = /[-_.0-9A-Za-z]{1,64}@[-_0-9A-Za-z]{1,255}[-_.0-9A-Za-z]{1,255}/g;
/** A vowel and a mark that Vietnamese writes as one character. */
const VIETNAMESE = /[AEIOUYaeiouyÂÊÔâêôĂăƠơƯư][\u0300\u0301\u0303\u0309\u0323]/gu;
const UPPER = /^\p{Uppercase}$/u;

/** What stands between words: all of these are the same as a space. */
const SPACES_OF_LATIN_1 = "\u00a0«°»";

/** A block of characters that are not told apart: its first and last, and the one that stands for all. */
const BLOCKS: readonly (readonly [first: number, last: number, standIn: string])[] = [
  [0x1ea0, 0x1eff, "\u1ec3"],
  [0x2000, 0x206f, " "],
  [0x3040, 0x309f, "\u3042"],
  [0x30a0, 0x30ff, "\u30a2"],
  [0x3100, 0x312f, "\u3105"],
  [0x31a0, 0x31bf, "\u3105"],
  [0xac00, 0xd7af, "\uac00"],
];

/** Letters that are written in two ways: the Romanian s and t with a comma, and the Persian yeh. */
const SPELLINGS: Readonly<Record<string, string>> = { "\u0219": "\u015f", "\u021b": "\u0163", "\u06cc": "\u064a" };

/**
 * The runs of one to three letters by which a language is recognised, in the order of the text. Words in capitals give
 * only their first letter and their end, so that abbreviations do not count.
 */
export function letterRuns(text: string, alike: ReadonlyMap<string, string>): string[] {
  const runs: string[] = [];
  let run = " ";
  for (const character of mainScript(beginning(text))) {
    const letter = standIn(character, alike);
    const last = run.at(-1) ?? " ";
    if (last === " " && letter === " ") continue;
    run = (last === " " ? " " : run.slice(1 - LONGEST_RUN)) + letter;
    const isInCapitals = UPPER.test(letter) && UPPER.test(last);
    if (!isInCapitals) for (let size = 1; size <= run.length; size++) runs.push(run.slice(-size));
  }
  return runs;
}

/** The characters that are looked at, without addresses and with single spaces. */
function beginning(text: string): string[] {
  const plain = withoutAddresses(text).replace(VIETNAMESE, (pair) => pair.normalize("NFC"));
  const kept: string[] = [];
  let last = "";
  let count = 0;
  for (const character of plain) {
    if (++count > MOST_CHARACTERS) break;
    if (character !== " " || last !== " ") kept.push(character);
    last = character;
  }
  return kept;
}

function withoutAddresses(text: string): string {
  const plain = text.replace(URL_TEXT, " ");
  // Most texts have none, and looking for what may precede the sign takes a hundred steps a letter.
  return plain.includes("@") ? plain.replace(MAIL_TEXT, " ") : plain;
}

/** Without Latin letters where they are the smaller part: names and terms in a text of another script. */
function mainScript(characters: string[]): string[] {
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

function standIn(character: string, alike: ReadonlyMap<string, string>): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x80) return /[A-Za-z]/.test(character) ? character : " ";
  if (code <= 0xff) return SPACES_OF_LATIN_1.includes(character) ? " " : character;
  const block = BLOCKS.find(([first, last]) => code >= first && code <= last);
  return block?.[2] ?? SPELLINGS[character] ?? alike.get(character) ?? character;
}
