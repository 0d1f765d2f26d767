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

export interface RougeInput {
  golds: readonly string[];
  response: string;
  /** Compare stems instead of words. */
  stem: boolean;
}

export interface RougeScores {
  rouge1: RougeMeasure;
  rouge2: RougeMeasure;
  rougeL: RougeMeasure;
  rougeLsum: RougeMeasure;
}

/**
 * Computes ROUGE as Google's rouge_score does; of several golds the one with the best F-measure counts, for
 * each kind. Null if no gold has a word.
 * @example
 * computeRouge({ golds: ["testing one two"], response: "testing two", stem: false })?.rougeL; // { precision: 1, recall: 2/3, f1: 0.8 }
 */
export function computeRouge({ golds, response, stem }: RougeInput): RougeScores | null {
  const numbers = new WordNumbering({ stem });
  const texts = golds.map((gold) => numbers.numberText(gold)).filter(({ all }) => all.length > 0);
  const answer = numbers.numberText(response);
  return texts
    .map((gold) => compareNumberedTexts(gold, answer, numbers.size))
    .reduce<RougeScores | null>(pickBetter, null);
}

function compareNumberedTexts(gold: NumberedText, response: NumberedText, symbols: number): RougeScores {
  const common = countCommon(gold.all, response.all);
  return {
    rouge1: computeWordOverlap(gold.all, response.all),
    rouge2: computePairOverlap(gold.all, response.all, symbols),
    rougeL: toMeasure(common, gold.all.length, response.all.length),
    rougeLsum: computeSummaryLevel(gold, response),
  };
}

function pickBetter(best: RougeScores | null, next: RougeScores): RougeScores {
  if (best === null) return next;
  const pick = (kind: keyof RougeScores) => (next[kind].f1 > best[kind].f1 ? next[kind] : best[kind]);
  return { rouge1: pick("rouge1"), rouge2: pick("rouge2"), rougeL: pick("rougeL"), rougeLsum: pick("rougeLsum") };
}

/**
 * ROUGE-Lsum: each line of the gold is compared with every line of the response. Words in any of those
 * longest common subsequences are hits, each word at most as often as it occurs in the response.
 */
function computeSummaryLevel(gold: NumberedText, response: NumberedText): RougeMeasure {
  const left = new Map<number, number>();
  for (const word of response.all) left.set(word, (left.get(word) ?? 0) + 1);
  let hits = 0;
  for (const line of gold.lines) {
    const marked = new Uint8Array(line.length);
    for (const other of response.lines) markCommon(line, other, marked);
    for (const [place, word] of line.entries()) {
      const count = left.get(word) ?? 0;
      if (marked[place] === 0 || count === 0) continue;
      left.set(word, count - 1);
      hits += 1;
    }
  }
  return toMeasure(hits, gold.all.length, response.all.length);
}

export interface RougeMeasure {
  precision: number;
  recall: number;
  f1: number;
}

const EMPTY_MEASURE: RougeMeasure = { precision: 0, recall: 0, f1: 0 };

/** Sizes are numbers of words, or of pairs of words. */
function toMeasure(hits: number, goldSize: number, responseSize: number): RougeMeasure {
  if (hits === 0) return EMPTY_MEASURE;
  const precision = hits / responseSize;
  const recall = hits / goldSize;
  return { precision, recall, f1: (2 * precision * recall) / (precision + recall) };
}

/** ROUGE-1: the words in common, each as often as it occurs in both. */
function computeWordOverlap(gold: WordIds, response: WordIds): RougeMeasure {
  return toMeasure(countShared(gold, response), gold.length, response.length);
}

/** ROUGE-2: the same for pairs of adjacent words. */
function computePairOverlap(gold: WordIds, response: WordIds, symbols: number): RougeMeasure {
  const hits = countShared(encodePairs(gold, symbols), encodePairs(response, symbols));
  return toMeasure(hits, gold.length - 1, response.length - 1);
}

/** Each pair as one number; a double can hold the square of any word count. */
function encodePairs(sequence: WordIds, symbols: number): Float64Array {
  const pairs = new Float64Array(Math.max(0, sequence.length - 1));
  for (let at = 0; at < pairs.length; at++) pairs[at] = (sequence[at] ?? 0) * symbols + (sequence[at + 1] ?? 0);
  return pairs;
}

function countShared(gold: Iterable<number>, response: Iterable<number>): number {
  const left = new Map<number, number>();
  for (const each of gold) left.set(each, (left.get(each) ?? 0) + 1);
  let shared = 0;
  for (const each of response) {
    const count = left.get(each);
    if (count === undefined || count === 0) continue;
    left.set(each, count - 1);
    shared += 1;
  }
  return shared;
}

/** Shorter words are not stemmed. */
const MAX_UNSTEMMED_LENGTH = 3;

/** The words of a text, line by line, as numbers: equal words have equal numbers. */
interface NumberedText {
  /** One per line that has a word. */
  readonly lines: readonly WordIds[];
  /** All lines concatenated. */
  readonly all: WordIds;
}

/** Splits texts into words as Google's ROUGE does, and numbers them. */
class WordNumbering {
  readonly #numbers = new Map<string, number>();
  /** Words with the same stem share a number. */
  readonly #stems: Map<string, number> | null;
  #size = 0;

  constructor(options: { stem: boolean }) {
    this.#stems = options.stem ? new Map() : null;
  }

  /** How many different words there are so far. */
  get size(): number {
    return this.#size;
  }

  numberText(text: string): NumberedText {
    const tokens = text.toLowerCase().match(/[a-z0-9]+|\n/g) ?? [];
    const numbers = new Int32Array(tokens.length);
    const lines: WordIds[] = [];
    let start = 0;
    let end = 0;
    for (const token of tokens) {
      if (token !== "\n") numbers[end++] = this.#getNumber(token);
      else if (end > start) {
        lines.push(numbers.subarray(start, end));
        start = end;
      }
    }
    if (end > start) lines.push(numbers.subarray(start, end));
    return { lines, all: numbers.subarray(0, end) };
  }

  #getNumber(word: string): number {
    const known = this.#numbers.get(word);
    if (known !== undefined) return known;
    const number = this.#stems === null ? this.#size++ : this.#getStemNumber(word, this.#stems);
    this.#numbers.set(word, number);
    return number;
  }

  #getStemNumber(word: string, stems: Map<string, number>): number {
    const stem = word.length > MAX_UNSTEMMED_LENGTH ? stemWord(word) : word;
    const known = stems.get(stem);
    if (known !== undefined) return known;
    stems.set(stem, this.#size);
    return this.#size++;
  }
}

type WordIds = Int32Array;

/** The length of the longest common subsequence. */
export function countCommon(a: WordIds, b: WordIds): number {
  return fillTable(a, b, null);
}

/**
 * Marks the positions of a sequence that belong to one longest common subsequence with another, the one that Google's
 * rouge_score finds from the end: equal words are paired; else the other sequence is shortened if that keeps more
 * than shortening this one; else this one is shortened.
 */
export function markCommon(sequence: WordIds, other: WordIds, marked: Uint8Array): void {
  // Bits, because a byte per cell for ten thousand by ten thousand words would take 100 MB.
  const shortensOther = new Uint8Array(Math.ceil((sequence.length * other.length) / 8));
  if (fillTable(sequence, other, shortensOther) === 0) return;
  let place = sequence.length - 1;
  let at = other.length - 1;
  while (place >= 0 && at >= 0) {
    const cell = place * other.length + at;
    if (sequence[place] === other[at]) {
      marked[place--] = 1;
      at -= 1;
    } else if (((shortensOther[Math.floor(cell / 8)] ?? 0) & (1 << (cell % 8))) !== 0) at -= 1;
    else place -= 1;
  }
}

/** Computes the LCS table row by row, and sets a bit for each cell whose value comes only from its left neighbor. */
function fillTable(sequence: WordIds, other: WordIds, fromLeft: Uint8Array | null): number {
  const row = new Int32Array(other.length);
  let cell = 0;
  for (const symbol of sequence) {
    let left = 0;
    let diagonal = 0;
    for (let at = 0; at < other.length; at++, cell++) {
      const above = row[at] ?? 0;
      if (symbol === other[at]) left = diagonal + 1;
      else if (left <= above) left = above;
      else if (fromLeft !== null)
        fromLeft[Math.floor(cell / 8)] = (fromLeft[Math.floor(cell / 8)] ?? 0) | (1 << (cell % 8));
      row[at] = left;
      diagonal = above;
    }
  }
  return row.at(-1) ?? 0;
}
