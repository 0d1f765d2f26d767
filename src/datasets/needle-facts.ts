import type { Random } from "../stats/index.js";
import * as words from "./needle-words.js";

/** Something that can be hidden in a text and asked for. */
export interface Fact {
  statement: string;
  question: string;
  /** Asks for the same in other words, sharing little more than a name with the statement. */
  paraphrase: string;
  answer: string;
  /** Sentences about the same subject that do not hold the answer. */
  asides: readonly string[];
  /** What it is about. Two facts with the same subject would contradict each other. */
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

/** Makes facts of which no two share a subject, and none gives another's answer away. */
export class FactSource {
  readonly #random: Random;
  readonly #made: Fact[] = [];

  constructor(random: Random) {
    this.#random = random;
  }

  /** A fact of any kind, and a maker of more of its kind. */
  any(): { fact: Fact; another: () => Fact | null } {
    const maker = pick(this.#random, MAKERS);
    const another = () => this.#fresh(maker);
    const fact = another();
    return fact === null ? this.any() : { fact, another };
  }

  /** Null when the vocabulary has run out: a repeated distractor is worth less than none. */
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
