import { letterRuns } from "./language-letters.js";
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
