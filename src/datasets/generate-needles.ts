import type { LoadedExamples, LoadOptions } from "../core/dataset.js";
import { UsageError } from "../core/errors.js";
import type { Example } from "../core/example.js";
import { createRandom, hashSeed, type Random, shuffle } from "../stats/index.js";
import { matches } from "./columns.js";
import { parseNeedleConfig } from "./needle-config.js";
import { type Fact, FactSource } from "./needle-facts.js";
import { fillerSentence, refrainSentence } from "./needle-filler.js";
import { REFRAINS } from "./needle-words.js";
import { requireMaxExamples } from "./sample.js";

export interface NeedleOptions {
  /** Approximate lengths of the context in tokens (cl100k_base). */
  lengths?: readonly number[];
  /** Where the needle stands: 0 is the beginning, 1 the end. */
  depths?: readonly number[];
  /** Facts hidden in each context. The question is about the one at `depth`; the others stand anywhere. */
  needles?: number;
  /** How many examples; lengths and depths stay balanced whatever it is. */
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
  /** Whether the question uses other words than the text. */
  paraphrased: boolean;
}

/** Needles, and by what results on them are broken down. */
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
 * Loads the built-in dataset `needle`: facts hidden in long texts, made on the spot and the same for the same seed.
 * @example
 * loadNeedles({ config: "depths=0.5", maxExamples: 20 }).examples.length; // 20
 */
export function loadNeedles({ config, maxExamples, seed, map, filter }: LoadOptions): LoadedNeedles {
  requireMaxExamples(maxExamples);
  if (map !== undefined && Object.keys(map).length > 0) {
    throw new UsageError("needle is made, not read: it has no columns to --map.");
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
 * Makes needle examples. The same seed gives the same examples on every machine, and an id the same text whatever the count.
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

/** Every length with every depth, in an order of which each beginning holds both about equally often. */
function balancedCells(lengths: readonly number[], depths: readonly number[]): Cell[] {
  const cells: Cell[] = [];
  const diagonal = leastCommonMultiple(lengths.length, depths.length);
  for (let i = 0; i < lengths.length * depths.length; i++) {
    const length = lengths[i % lengths.length] as number;
    // A diagonal comes back to its start after the common multiple; the next one begins a step further.
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
  // Drawn before anything that the settings change, so that the question of an id stays the same.
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

/** Sentences that do not hold the answer; some look as if they might. */
function haystack(random: Random, { characters, fact, another }: Straw): string[] {
  const refrains = shuffle(REFRAINS, random).slice(0, 3);
  const asides = shuffle(fact.asides, random);
  const sentences: string[] = [];
  for (let left = characters; left > 0; ) {
    const sentence = nextSentence(random, { refrains, asides, another });
    sentences.push(sentence);
    left -= sentence.length + 1;
  }
  // Asides are asked for first, and would otherwise all stand at the beginning.
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
