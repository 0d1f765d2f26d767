/** A suffix, its replacement, and whether it applies to the word without it. */
type SuffixRule = readonly [suffix: string, replacement: string, allows: (stem: string) => boolean];

/** Words that the rules would stem wrongly. */
const IRREGULAR: ReadonlyMap<string, string> = new Map([
  ["sky", "sky"],
  ["skies", "sky"],
  ["dying", "die"],
  ["lying", "lie"],
  ["tying", "tie"],
  ["news", "news"],
  ["innings", "inning"],
  ["inning", "inning"],
  ["outings", "outing"],
  ["outing", "outing"],
  ["cannings", "canning"],
  ["canning", "canning"],
  ["howe", "howe"],
  ["proceed", "proceed"],
  ["exceed", "exceed"],
  ["succeed", "succeed"],
]);

/**
 * Stems a lower-case word by Porter's algorithm, with NLTK's default extensions ("dies" gives
 * "die", "enjoy" stays, "geology" gives "geolog"), which is what Google's ROUGE uses.
 * @example
 * stemWord("relational"); // "relat"
 */
export function stemWord(word: string): string {
  const irregular = IRREGULAR.get(word);
  if (irregular !== undefined) return irregular;
  if (word.length <= 2) return word;
  return STEPS.reduce((stem, step) => step(stem), word);
}

const STEPS: readonly ((word: string) => string)[] = [
  dropPlural,
  dropPastAndProgressive,
  replaceFinalY,
  joinDoubleSuffix,
  (word) => applyFirstRule(LONG_SUFFIXES, word),
  (word) => applyFirstRule(LAST_SUFFIXES, word),
  dropFinalE,
  (word) => (word.endsWith("ll") && measureStem(word.slice(0, -1)) > 1 ? word.slice(0, -1) : word),
];

function dropPlural(word: string): string {
  if (word.endsWith("sses")) return word.slice(0, -2);
  if (word.endsWith("ies")) return word.slice(0, word.length === 4 ? -1 : -2);
  return word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word;
}

function dropPastAndProgressive(word: string): string {
  if (word.endsWith("ied")) return word.slice(0, word.length === 4 ? -1 : -2);
  if (word.endsWith("eed")) return measureStem(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word;
  const suffix = ["ed", "ing"].find((each) => word.endsWith(each) && hasVowel(word.slice(0, -each.length)));
  return suffix === undefined ? word : restoreEnding(word.slice(0, -suffix.length));
}

/** Restores what "ed" and "ing" removed: "siz" to "size", "hopp" to "hop", "fil" to "file". */
function restoreEnding(stem: string): string {
  if (/(?:at|bl|iz)$/.test(stem)) return `${stem}e`;
  if (hasDoubleConsonantEnd(stem)) return /[lsz]$/.test(stem) ? stem : stem.slice(0, -1);
  return measureStem(stem) === 1 && hasShortEnd(stem) ? `${stem}e` : stem;
}

function replaceFinalY(word: string): string {
  const turns = word.endsWith("y") && word.length > 2 && isConsonant(word, word.length - 2);
  return turns ? `${word.slice(0, -1)}i` : word;
}

function joinDoubleSuffix(word: string): string {
  if (word.endsWith("alli") && hasMeasure(word.slice(0, -4))) return joinDoubleSuffix(word.slice(0, -2));
  return applyFirstRule(DOUBLE_SUFFIXES, word);
}

function dropFinalE(word: string): string {
  if (!word.endsWith("e")) return word;
  const stem = word.slice(0, -1);
  const size = measureStem(stem);
  return size > 1 || (size === 1 && !hasShortEnd(stem)) ? stem : word;
}

const DOUBLE_SUFFIXES: readonly SuffixRule[] = [
  ["ational", "ate", hasMeasure],
  ["tional", "tion", hasMeasure],
  ["enci", "ence", hasMeasure],
  ["anci", "ance", hasMeasure],
  ["izer", "ize", hasMeasure],
  ["bli", "ble", hasMeasure],
  ["alli", "al", hasMeasure],
  ["entli", "ent", hasMeasure],
  ["eli", "e", hasMeasure],
  ["ousli", "ous", hasMeasure],
  ["ization", "ize", hasMeasure],
  ["ation", "ate", hasMeasure],
  ["ator", "ate", hasMeasure],
  ["alism", "al", hasMeasure],
  ["iveness", "ive", hasMeasure],
  ["fulness", "ful", hasMeasure],
  ["ousness", "ous", hasMeasure],
  ["aliti", "al", hasMeasure],
  ["iviti", "ive", hasMeasure],
  ["biliti", "ble", hasMeasure],
  ["fulli", "ful", hasMeasure],
  // The l counts with the stem, so that "geo" and "theo" are long enough.
  ["logi", "log", (stem) => hasMeasure(`${stem}l`)],
];

const LONG_SUFFIXES: readonly SuffixRule[] = [
  ["icate", "ic", hasMeasure],
  ["ative", "", hasMeasure],
  ["alize", "al", hasMeasure],
  ["iciti", "ic", hasMeasure],
  ["ical", "ic", hasMeasure],
  ["ful", "", hasMeasure],
  ["ness", "", hasMeasure],
];

const LAST_SUFFIXES: readonly SuffixRule[] = [
  ...["al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent"].map(createLongStemRule),
  ["ion", "", (stem) => isLongStem(stem) && /[st]$/.test(stem)],
  ...["ou", "ism", "ate", "iti", "ous", "ive", "ize"].map(createLongStemRule),
];

function createLongStemRule(suffix: string): SuffixRule {
  return [suffix, "", isLongStem];
}

/** The first rule whose suffix matches decides, even if it does not allow the change. */
function applyFirstRule(rules: readonly SuffixRule[], word: string): string {
  const rule = rules.find(([suffix]) => word.endsWith(suffix));
  if (rule === undefined) return word;
  const [suffix, replacement, allows] = rule;
  const stem = word.slice(0, -suffix.length);
  return allows(stem) ? stem + replacement : word;
}

function hasMeasure(stem: string): boolean {
  return measureStem(stem) > 0;
}

function isLongStem(stem: string): boolean {
  return measureStem(stem) > 1;
}

/** Counts vowel-consonant sequences, Porter's measure m. */
function measureStem(stem: string): number {
  let count = 0;
  let wasVowel = false;
  for (let at = 0; at < stem.length; at++) {
    const isVowel = isVowelAfter(stem, at, wasVowel);
    if (wasVowel && !isVowel) count += 1;
    wasVowel = isVowel;
  }
  return count;
}

function hasVowel(stem: string): boolean {
  // A y is a vowel only after a consonant, so the first vowel is a y or one of the five.
  return /[aeiou]|[^aeiou]y/.test(stem);
}

function isVowelAfter(word: string, at: number, wasVowel: boolean): boolean {
  const letter = word[at] ?? "";
  return letter === "y" ? at > 0 && !wasVowel : "aeiou".includes(letter);
}

function isConsonant(word: string, at: number): boolean {
  let from = at;
  while (from > 0 && word[from] === "y") from -= 1;
  let wasVowel = isVowelAfter(word, from, false);
  for (let next = from + 1; next <= at; next++) wasVowel = isVowelAfter(word, next, wasVowel);
  return !wasVowel;
}

function hasDoubleConsonantEnd(stem: string): boolean {
  const last = stem.length - 1;
  return last > 0 && stem[last] === stem[last - 1] && isConsonant(stem, last);
}

/** Consonant, vowel, consonant other than w, x and y, as in "hop"; or a word of vowel and consonant, as in "us". */
function hasShortEnd(stem: string): boolean {
  const last = stem.length - 1;
  if (stem.length === 2) return !isConsonant(stem, 0) && isConsonant(stem, 1);
  if (stem.length < 3 || /[wxy]$/.test(stem)) return false;
  return isConsonant(stem, last) && !isConsonant(stem, last - 1) && isConsonant(stem, last - 2);
}
