import type { LoadedExamples, LoadOptions } from "../core/dataset.js";
import { UsageError } from "../core/errors.js";
import type { Example } from "../core/example.js";
import { createRandom, hashSeed, type Random, shuffle } from "../stats/index.js";
import { matches } from "./columns.js";
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

const DEFAULTS = { lengths: [500, 1000, 2000, 4000], depths: [0, 0.25, 0.5, 0.75, 1], needles: 1, count: 100, seed: 0 };
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
  const wanted = Math.min(chosen.count ?? maxExamples ?? DEFAULTS.count, maxExamples ?? Infinity);
  const examples = generateNeedles({ ...chosen, count: wanted, ...(seed === undefined ? {} : { seed }) });
  const kept = examples.filter((example) => matches(example, filter));
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
  const { lengths, depths, needles, count, seed } = { ...DEFAULTS, ...options };
  const cells = balancedCells(lengths, depths);
  return Array.from({ length: count }, (_, index) => {
    const { length, depth } = cells[index % cells.length] as Cell;
    const id = `needle-${length}-${depth}-${Math.floor(index / cells.length)}`;
    return makeExample({ id, length, depth, needles, random: createRandom(hashSeed(seed, id)) });
  });
}

interface Cell {
  length: number;
  depth: number;
}

/** Combines every length with every depth, ordered so that each prefix is about balanced. */
function balancedCells(lengths: readonly number[], depths: readonly number[]): Cell[] {
  const cells: Cell[] = [];
  const diagonal = leastCommonMultiple(lengths.length, depths.length);
  for (let i = 0; i < lengths.length * depths.length; i++) {
    const length = lengths[i % lengths.length] as number;
    // A diagonal returns to its start after the common multiple; the next one begins a step further.
    const depth = depths[(i + Math.floor(i / diagonal)) % depths.length] as number;
    cells.push({ length, depth });
  }
  return cells;
}

function leastCommonMultiple(a: number, b: number): number {
  let [x, y] = [a, b];
  while (y > 0) [x, y] = [y, x % y];
  return (a * b) / x;
}

interface Recipe extends Cell {
  id: string;
  needles: number;
  random: Random;
}

function makeExample({ id, length, depth, needles, random }: Recipe): NeedleExample {
  // Drawn before anything that depends on the settings, so that the question of an id stays the same.
  const paraphrased = random.next() < PARAPHRASED_SHARE;
  const facts = new FactSource(random);
  const { fact, another } = facts.any();
  const others = Array.from({ length: needles - 1 }, () => facts.any().fact.statement);
  const hidden = [fact.statement, ...others].join(" ").length;
  const sentences = haystack(random, { characters: length * CHARACTERS_PER_TOKEN - hidden, fact, another });
  for (const other of others) sentences.splice(random.int(sentences.length + 1), 0, other);
  sentences.splice(Math.round(depth * sentences.length), 0, fact.statement);
  const question = paraphrased ? fact.paraphrase : fact.question;
  const context = paragraphs(random, sentences);
  return { id, context, question, answer: fact.answer, length, depth, paraphrased, dataset: "needle" };
}

interface Straw {
  characters: number;
  fact: Fact;
  another: () => Fact | null;
}

/** Sentences that do not contain the answer, including distractors. */
function haystack(random: Random, { characters, fact, another }: Straw): string[] {
  const refrains = shuffle(REFRAINS, random).slice(0, 3);
  const asides = shuffle(fact.asides, random);
  const sentences: string[] = [];
  for (let left = characters; left > 0; ) {
    const sentence = nextSentence(random, { refrains, asides, another });
    sentences.push(sentence);
    left -= sentence.length + 1;
  }
  // Asides are drawn first, and would otherwise all be at the beginning.
  return shuffle(sentences, random);
}

interface Sources {
  refrains: readonly string[];
  asides: string[];
  another: () => Fact | null;
}

function nextSentence(random: Random, { refrains, asides, another }: Sources): string {
  const draw = random.next();
  if (draw < REFRAIN_SHARE) return refrainSentence(random, refrains);
  if (draw < REFRAIN_SHARE + DISTRACTOR_SHARE) {
    const distractor = asides.pop() ?? another()?.statement;
    if (distractor !== undefined) return distractor;
  }
  return fillerSentence(random);
}

function paragraphs(random: Random, sentences: readonly string[]): string {
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

type Shape = (random: Random) => string;

export function fillerSentence(random: Random): string {
  return pick(random, SHAPES)(random);
}

/** A repeated notice, verbatim or with one more word: what a deduplicating compressor should find. */
export function refrainSentence(random: Random, refrains: readonly string[]): string {
  const refrain = pick(random, refrains);
  const again = `Again, ${refrain.charAt(0).toLowerCase()}${refrain.slice(1)}`;
  return `${random.next() < 0.25 ? again : refrain}.`;
}

const SHAPES: readonly Shape[] = [
  (random) => `${capital(someone(random))} ${action(random)} ${pick(random, words.WHERES)}.`,
  (random) => `${capital(someone(random))} ${action(random)} ${pick(random, words.HOWS)}.`,
  (random) => `${pick(random, words.WHENS)}, ${someone(random)} ${action(random)} ${pick(random, words.WHERES)}.`,
  (random) => `${pick(random, words.WHENS)}, ${pick(random, words.WEATHER)}, and ${someone(random)} ${action(random)}.`,
  (random) => `${capital(someone(random))} ${action(random)} and ${action(random)} ${pick(random, words.HOWS)}.`,
  (random) => `Although ${pick(random, words.WEATHER)}, ${someone(random)} ${action(random)}.`,
  (random) => `According to ${pick(random, words.SOURCES)}, ${someone(random)} ${action(random)}.`,
  (random) => `While ${someone(random)} ${action(random)}, ${pick(random, words.WEATHER)}.`,
  (random) => `${capital(someone(random))} and ${someone(random)} ${action(random)} together.`,
];

function someone(random: Random): string {
  const trait = random.next() < 0.6 ? `${pick(random, words.TRAITS)} ` : "";
  return `the ${trait}${pick(random, words.ROLES)}`;
}

function action(random: Random): string {
  const { verbs, objects } = pick(random, words.ACTIONS);
  return `${pick(random, verbs)} ${pick(random, objects)}`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A fact that can be hidden in a text and asked for. */
export interface Fact {
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

type FactMaker = (random: Random) => Fact;

export function pick<T>(random: Random, items: readonly T[]): T {
  return items[random.int(items.length)] as T;
}

const accessCode: FactMaker = (random) => {
  const place = pick(random, words.PLACES);
  const [building, described] = pick(random, words.BUILDINGS);
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

const belonging: FactMaker = (random) => {
  const person = pick(random, words.PEOPLE);
  const [object, described] = pick(random, words.BELONGINGS);
  const answer = `${pick(random, words.COLOURS)} ${pick(random, words.FURNITURE)}`;
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

const platform: FactMaker = (random) => {
  const place = pick(random, words.PLACES);
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

const festival: FactMaker = (random) => {
  const place = pick(random, words.PLACES);
  const [name, described] = pick(random, words.FESTIVALS);
  const answer = `${1 + random.int(28)} ${pick(random, words.MONTHS)}`;
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

const patron: FactMaker = (random) => {
  const ship = pick(random, words.SHIPS);
  const answer = pick(random, words.PEOPLE);
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

const MAKERS: readonly FactMaker[] = [accessCode, belonging, platform, festival, patron];

/** Generates facts with distinct subjects, none of which contains another's answer. */
export class FactSource {
  readonly #random: Random;
  readonly #made: Fact[] = [];

  constructor(random: Random) {
    this.#random = random;
  }

  /** A fact of any kind, and a function that generates more of its kind. */
  any(): { fact: Fact; another: () => Fact | null } {
    const maker = pick(this.#random, MAKERS);
    const another = () => this.#fresh(maker);
    const fact = another();
    return fact === null ? this.any() : { fact, another };
  }

  /** Null if the vocabulary is exhausted: a repeated distractor is worse than none. */
  #fresh(maker: FactMaker): Fact | null {
    for (let tries = 0; tries < 20; tries++) {
      const fact = maker(this.#random);
      if (this.#made.some((other) => clash(fact, other))) continue;
      this.#made.push(fact);
      return fact;
    }
    return null;
  }
}

function clash(a: Fact, b: Fact): boolean {
  return a.subject === b.subject || a.statement.includes(b.answer) || b.statement.includes(a.answer);
}
