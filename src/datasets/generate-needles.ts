import type { Example, LoadedExamples, LoadOptions } from "../core/index.js";
import { UsageError } from "../core/index.js";
import { createRandom, hashSeed, type Random, shuffle } from "../stats/index.js";
import { matchesFilter } from "./columns.js";
import { parseNeedleConfig } from "./needle.js";
import * as words from "./needle-words.js";
import { REFRAINS } from "./needle-words.js";
import { requireMaxExamples } from "./sample.js";

/** Options of `generateNeedles`. */
export interface NeedleOptions {
  /** Approximate lengths of the context in tokens (cl100k_base). */
  lengths?: readonly number[];
  /** Position of the needle: 0 is the beginning, 1 the end. */
  depths?: readonly number[];
  /** Facts hidden in each context. The question is about the one at `depth`; the others are at random positions. */
  needles?: number;
  /** Number of examples; lengths and depths are balanced for any number. */
  count?: number;
  seed?: number;
}

/** A question about a fact hidden in a long text. */
export interface NeedleExample extends Example {
  id: string;
  context: string;
  question: string;
  answer: string;
  length: number;
  depth: number;
  /** Whether the question uses different words than the text. */
  paraphrased: boolean;
}

interface LoadedNeedles extends LoadedExamples {
  readonly examples: readonly NeedleExample[];
}

const DEFAULT_OPTIONS = {
  lengths: [500, 1000, 2000, 4000],
  depths: [0, 0.25, 0.5, 0.75, 1],
  needles: 1,
  count: 100,
  seed: 0,
};
/** Measured on the generator's own text with cl100k_base; counting here would make the text depend on a tokenizer. */
const CHARACTERS_PER_TOKEN = 4.85;
const PARAPHRASED_SHARE = 0.5;
const REFRAIN_SHARE = 0.15;
const DISTRACTOR_SHARE = 0.08;

/**
 * Loads the built-in dataset `needle`: facts hidden in generated long texts, the same for the same seed.
 * @example
 * loadNeedles({ config: "depths=0.5", maxExamples: 20 }).examples.length; // 20
 */
export function loadNeedles({ config, maxExamples, seed, map, filter }: LoadOptions): LoadedNeedles {
  requireMaxExamples(maxExamples);
  if (map !== undefined && Object.keys(map).length > 0) {
    throw new UsageError("needle is generated and has no columns: --map does not apply. Remove it.");
  }
  const chosen = config === undefined ? {} : parseNeedleConfig(config);
  const wanted = Math.min(chosen.count ?? maxExamples ?? DEFAULT_OPTIONS.count, maxExamples ?? Infinity);
  const examples = generateNeedles({ ...chosen, count: wanted, ...(seed === undefined ? {} : { seed }) });
  const kept = examples.filter((example) => matchesFilter(example, filter));
  if (kept.length > 0) return { examples: kept, facets: ["depth", "length"] };
  throw new UsageError(
    "No needle matches the filter. Filter by length, depth or paraphrased, e.g. --filter depth=0.5.",
  );
}

/**
 * Generates needle examples. The same seed gives the same examples on every machine, and an id has the same text for any count.
 * @example
 * generateNeedles({ lengths: [500], depths: [0, 1], count: 10, seed: 7 });
 */
export function generateNeedles(options: NeedleOptions = {}): NeedleExample[] {
  const { lengths, depths, needles, count, seed } = { ...DEFAULT_OPTIONS, ...options };
  const cells = createBalancedCells(lengths, depths);
  return Array.from({ length: count }, (_, index) => {
    const { length, depth } = cells[index % cells.length] as NeedleCell;
    const id = `needle-${length}-${depth}-${Math.floor(index / cells.length)}`;
    return makeNeedleExample({ id, length, depth, needles, random: createRandom(hashSeed(seed, id)) });
  });
}

interface NeedleCell {
  length: number;
  depth: number;
}

/** Combines every length with every depth, ordered so that each prefix is about balanced. */
function createBalancedCells(lengths: readonly number[], depths: readonly number[]): NeedleCell[] {
  const cells: NeedleCell[] = [];
  const diagonal = computeLeastCommonMultiple(lengths.length, depths.length);
  for (let i = 0; i < lengths.length * depths.length; i++) {
    const length = lengths[i % lengths.length] as number;
    // A diagonal returns to its start after the common multiple; the next one begins a step further.
    const depth = depths[(i + Math.floor(i / diagonal)) % depths.length] as number;
    cells.push({ length, depth });
  }
  return cells;
}

function computeLeastCommonMultiple(a: number, b: number): number {
  let [x, y] = [a, b];
  while (y > 0) [x, y] = [y, x % y];
  return (a * b) / x;
}

interface NeedleRecipe extends NeedleCell {
  id: string;
  needles: number;
  random: Random;
}

function makeNeedleExample({ id, length, depth, needles, random }: NeedleRecipe): NeedleExample {
  // Drawn before anything that depends on the settings, so that the question of an id stays the same.
  const paraphrased = random.next() < PARAPHRASED_SHARE;
  const facts = new FactGenerator(random);
  const { fact, another } = facts.generate();
  const others = Array.from({ length: needles - 1 }, () => facts.generate().fact.statement);
  const hidden = [fact.statement, ...others].join(" ").length;
  const sentences = generateHaystack(random, { characters: length * CHARACTERS_PER_TOKEN - hidden, fact, another });
  for (const other of others) sentences.splice(random.int(sentences.length + 1), 0, other);
  sentences.splice(Math.round(depth * sentences.length), 0, fact.statement);
  const question = paraphrased ? fact.paraphrase : fact.question;
  const context = formatParagraphs(random, sentences);
  return { id, context, question, answer: fact.answer, length, depth, paraphrased, dataset: "needle" };
}

interface HaystackOptions {
  characters: number;
  fact: NeedleFact;
  another: () => NeedleFact | null;
}

/** Sentences that do not contain the answer, including distractors. */
function generateHaystack(random: Random, { characters, fact, another }: HaystackOptions): string[] {
  const refrains = shuffle(REFRAINS, random).slice(0, 3);
  const asides = shuffle(fact.asides, random);
  const sentences: string[] = [];
  for (let left = characters; left > 0; ) {
    const sentence = generateSentence(random, { refrains, asides, another });
    sentences.push(sentence);
    left -= sentence.length + 1;
  }
  // Asides are drawn first, and would otherwise all be at the beginning.
  return shuffle(sentences, random);
}

interface SentenceSources {
  refrains: readonly string[];
  asides: string[];
  another: () => NeedleFact | null;
}

function generateSentence(random: Random, { refrains, asides, another }: SentenceSources): string {
  const draw = random.next();
  if (draw < REFRAIN_SHARE) return generateRefrainSentence(random, refrains);
  if (draw < REFRAIN_SHARE + DISTRACTOR_SHARE) {
    const distractor = asides.pop() ?? another()?.statement;
    if (distractor !== undefined) return distractor;
  }
  return generateFillerSentence(random);
}

function formatParagraphs(random: Random, sentences: readonly string[]): string {
  let text = "";
  let left = 0;
  for (const sentence of sentences) {
    if (text !== "") text += left > 0 ? " " : "\n\n";
    if (left === 0) left = 4 + random.int(5);
    left -= 1;
    text += sentence;
  }
  return text;
}

type SentenceTemplate = (random: Random) => string;

export function generateFillerSentence(random: Random): string {
  return pickRandom(random, SENTENCE_TEMPLATES)(random);
}

/** A repeated notice, verbatim or with one more word: what a deduplicating compressor should find. */
export function generateRefrainSentence(random: Random, refrains: readonly string[]): string {
  const refrain = pickRandom(random, refrains);
  const again = `Again, ${refrain.charAt(0).toLowerCase()}${refrain.slice(1)}`;
  return `${random.next() < 0.25 ? again : refrain}.`;
}

const SENTENCE_TEMPLATES: readonly SentenceTemplate[] = [
  (random) =>
    `${capitalizeFirst(generatePerson(random))} ${generateAction(random)} ${pickRandom(random, words.PLACE_PHRASES)}.`,
  (random) =>
    `${capitalizeFirst(generatePerson(random))} ${generateAction(random)} ${pickRandom(random, words.MANNER_PHRASES)}.`,
  (random) =>
    `${pickRandom(random, words.TIME_PHRASES)}, ${generatePerson(random)} ${generateAction(random)} ${pickRandom(random, words.PLACE_PHRASES)}.`,
  (random) =>
    `${pickRandom(random, words.TIME_PHRASES)}, ${pickRandom(random, words.WEATHER)}, and ${generatePerson(random)} ${generateAction(random)}.`,
  (random) =>
    `${capitalizeFirst(generatePerson(random))} ${generateAction(random)} and ${generateAction(random)} ${pickRandom(random, words.MANNER_PHRASES)}.`,
  (random) => `Although ${pickRandom(random, words.WEATHER)}, ${generatePerson(random)} ${generateAction(random)}.`,
  (random) => `According to ${pickRandom(random, words.SOURCES)}, ${generatePerson(random)} ${generateAction(random)}.`,
  (random) => `While ${generatePerson(random)} ${generateAction(random)}, ${pickRandom(random, words.WEATHER)}.`,
  (random) =>
    `${capitalizeFirst(generatePerson(random))} and ${generatePerson(random)} ${generateAction(random)} together.`,
];

function generatePerson(random: Random): string {
  const trait = random.next() < 0.6 ? `${pickRandom(random, words.TRAITS)} ` : "";
  return `the ${trait}${pickRandom(random, words.ROLES)}`;
}

function generateAction(random: Random): string {
  const { verbs, objects } = pickRandom(random, words.ACTIONS);
  return `${pickRandom(random, verbs)} ${pickRandom(random, objects)}`;
}

function capitalizeFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A fact that can be hidden in a text and asked for. */
export interface NeedleFact {
  statement: string;
  question: string;
  /** The question in other words, which share little more than a name with the statement. */
  paraphrase: string;
  answer: string;
  /** Sentences about the same subject that do not contain the answer. */
  asides: readonly string[];
  /** Two facts with the same subject would contradict each other. */
  subject: string;
}

type NeedleFactMaker = (random: Random) => NeedleFact;

export function pickRandom<T>(random: Random, items: readonly T[]): T {
  return items[random.int(items.length)] as T;
}

const makeAccessCodeFact: NeedleFactMaker = (random) => {
  const place = pickRandom(random, words.PLACES);
  const [building, described] = pickRandom(random, words.BUILDINGS);
  const answer = String(10_000 + random.int(90_000));
  return {
    subject: `access ${place} ${building}`,
    statement: `The access code of the ${place} ${building} is ${answer}.`,
    question: `What is the access code of the ${place} ${building}?`,
    paraphrase: `In ${place}, which digits must be keyed in to get into ${described}?`,
    answer,
    asides: [
      `The ${place} ${building} was given a new roof, and its access road is closed to lorries.`,
      `Nobody could say who had designed the sign of the ${place} ${building}.`,
      `Anyone in ${place} who must get in before opening time is asked to ring the bell.`,
    ],
  };
};

const makeBelongingFact: NeedleFactMaker = (random) => {
  const person = pickRandom(random, words.PEOPLE);
  const [object, described] = pickRandom(random, words.BELONGINGS);
  const answer = `${pickRandom(random, words.COLORS)} ${pickRandom(random, words.FURNITURE)}`;
  return {
    subject: `keeps ${person} ${object}`,
    statement: `${person} keeps the ${object} in the ${answer}.`,
    question: `Where does ${person} keep the ${object}?`,
    paraphrase: `If ${described} that belongs to ${person} were needed, which piece of furniture should one search?`,
    answer,
    asides: [
      `${person} was asked about the ${object} and only smiled.`,
      `Somebody had seen ${person} with a ${object} years before, though nobody was certain.`,
      `${person} rarely needed the help that others offered.`,
    ],
  };
};

const makePlatformFact: NeedleFactMaker = (random) => {
  const place = pickRandom(random, words.PLACES);
  const answer = `platform ${11 + random.int(88)}`;
  return {
    subject: `train ${place}`,
    statement: `The night train to ${place} leaves from ${answer}.`,
    question: `From which platform does the night train to ${place} leave?`,
    paraphrase: `Where at the station should a passenger wait for the sleeper service bound for ${place}?`,
    answer,
    asides: [
      `The night train to ${place} is seldom full, and its dining car closes early.`,
      `A passenger bound for ${place} had to wait at the station because of fallen leaves.`,
      `There is talk of a second night service to ${place}, perhaps next year.`,
    ],
  };
};

const makeFestivalFact: NeedleFactMaker = (random) => {
  const place = pickRandom(random, words.PLACES);
  const [name, described] = pickRandom(random, words.FESTIVALS);
  const answer = `${1 + random.int(28)} ${pickRandom(random, words.MONTHS)}`;
  return {
    subject: `festival ${place} ${name}`,
    statement: `The ${name} in ${place} begins on ${answer}.`,
    question: `On which date does the ${name} in ${place} begin?`,
    paraphrase: `When will people come together in ${place} for ${described}?`,
    answer,
    asides: [
      `The ${name} in ${place} was once cancelled on account of a storm.`,
      `People in ${place} will tell any stranger how the evenings used to be.`,
      `Posters for the ${name} in ${place} were printed without a date.`,
    ],
  };
};

const makePatronFact: NeedleFactMaker = (random) => {
  const ship = pickRandom(random, words.SHIPS);
  const answer = pickRandom(random, words.PEOPLE);
  return {
    subject: `ship ${ship}`,
    statement: `The restoration of the ${ship} was paid for by ${answer}.`,
    question: `Who paid for the restoration of the ${ship}?`,
    paraphrase: `Whose generosity made it possible for the ${ship} to sail again?`,
    answer,
    asides: [
      `The restoration of the ${ship} took longer than anybody had expected.`,
      `Old sailors still argue about whether the ${ship} was ever made to sail in winter.`,
      `Nobody had paid much attention to the ${ship} for a generation.`,
    ],
  };
};

const FACT_MAKERS: readonly NeedleFactMaker[] = [
  makeAccessCodeFact,
  makeBelongingFact,
  makePlatformFact,
  makeFestivalFact,
  makePatronFact,
];

/** Generates facts with distinct subjects, none of which contains another's answer. */
export class FactGenerator {
  readonly #random: Random;
  readonly #made: NeedleFact[] = [];

  constructor(random: Random) {
    this.#random = random;
  }

  /** A fact of any kind, and a function that generates more of its kind. */
  generate(): { fact: NeedleFact; another: () => NeedleFact | null } {
    const maker = pickRandom(this.#random, FACT_MAKERS);
    const another = () => this.#generateDistinct(maker);
    const fact = another();
    return fact === null ? this.generate() : { fact, another };
  }

  /** Null if the vocabulary is exhausted: a repeated distractor is worse than none. */
  #generateDistinct(maker: NeedleFactMaker): NeedleFact | null {
    for (let tries = 0; tries < 20; tries++) {
      const fact = maker(this.#random);
      if (this.#made.some((other) => isConflicting(fact, other))) continue;
      this.#made.push(fact);
      return fact;
    }
    return null;
  }
}

function isConflicting(a: NeedleFact, b: NeedleFact): boolean {
  return a.subject === b.subject || a.statement.includes(b.answer) || b.statement.includes(a.answer);
}
