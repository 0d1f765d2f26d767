import type { Random } from "../stats/index.js";
import { pick } from "./needle-facts.js";
import * as words from "./needle-words.js";

type Shape = (random: Random) => string;

/** A neutral sentence that answers no question. */
export function fillerSentence(random: Random): string {
  return pick(random, SHAPES)(random);
}

/** A notice, word for word or with a word more: what a deduplicating compressor should find. */
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
