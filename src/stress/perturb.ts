import { applyChoiceOrder, type Example, renderChoices } from "../core/index.js";
import { createRandom, hashSeed, permutation, type Random } from "../stats/index.js";

/** Rules that need no model. */
export const RULE_KINDS = ["typos", "reorder", "case", "whitespace", "politeness", "format"] as const;

/** All kinds of perturbations. */
export const PERTURBATION_KINDS = ["paraphrase", ...RULE_KINDS] as const;

/** A way to reword a task without changing its answer. */
export type PerturbationKind = (typeof PERTURBATION_KINDS)[number];

type RuleKind = (typeof RULE_KINDS)[number];

/** Raise it when a rule changes what it writes: files of another version are rejected. */
export const RULES_VERSION = 1;

/** A reworded task: another question, or its choices in another order. */
export interface Rewording {
  /** What replaces the question, or the last turn of the user. */
  readonly text: string;
  /** The order of the choices, as positions in the dataset file. */
  readonly choiceOrder?: readonly number[];
}

/** The text of an example that is reworded: its question, otherwise its last turn of the user; null without either. */
export function getTaskText({ question, turns = [] }: Example): string | null {
  if (question !== undefined && question !== "") return question;
  const last = turns.at(-1);
  return last?.role === "user" && last.content !== "" ? last.content : null;
}

/** The example as it is asked after rewording. Its gold answers and fields for evaluators stay with the original. */
export function rewordExample(example: Example, { text, choiceOrder }: Rewording): Example {
  const moved = choiceOrder === undefined ? example : applyChoiceOrder(example, choiceOrder);
  const original = getTaskText(example);
  const { question, turns = [] } = moved;
  if (question !== undefined && question !== "") {
    const last = turns.at(-1);
    // Some datasets ask the question in the last turn, too.
    const isSaid = last?.role === "user" && last.content === original;
    return { ...moved, question: text, ...(isSaid && { turns: [...turns.slice(0, -1), { ...last, content: text }] }) };
  }
  return { ...moved, turns: turns.map((turn, at) => (at === turns.length - 1 ? { ...turn, content: text } : turn)) };
}

/**
 * Rewords an example by a rule. Null if the rule finds nothing to change.
 * @example
 * perturbByRule({ id: 1, question: "How long does the dough rest?" }, "typos", 0); // { text: "How logn does the dough rest?" }
 */
export function perturbByRule(example: Example, kind: RuleKind, seed: number): Rewording | null {
  const text = getTaskText(example);
  if (text === null) return null;
  const random = createRandom(hashSeed(seed, kind, example.dataset ?? "", String(example.id)));
  if (kind === "reorder") return reorder(example, text, random);
  const changed = RULES[kind](text, random, listProtectedTexts(example));
  return changed === text ? null : { text: changed };
}

type Rule = (text: string, random: Random, protectedTexts: readonly string[]) => string;

const RULES: Readonly<Record<Exclude<RuleKind, "reorder">, Rule>> = {
  typos: addTypos,
  case: changeCase,
  whitespace: changeWhitespace,
  politeness: addPoliteness,
  format: changeFormat,
};

/** Choices, and answers that the question may contain: changing them would change what is right. */
function listProtectedTexts({ choices, answer, answers = [] }: Example): string[] {
  const shown = Array.isArray(choices) ? [renderChoices(choices), ...choices] : [];
  return [...shown, ...[answer, ...answers].map(String)].filter((text) => text.length > 1 && text !== "undefined");
}

/** Code, quotations, addresses, paths and other names: programs and evaluators compare them letter by letter. */
const LITERALS =
  /```[\s\S]*?(?:```|$)|`[^`\n]*`|"[^"\n]*"|“[^”\n]*”|\$[^$\n]*\$|<[^>\n]*>|\{[^{}\n]*\}|\S*[\d_/\\@#=.:~^*|][^\s]*\S/g;

interface Span {
  readonly text: string;
  readonly isProtected: boolean;
}

/** Splits a text into what may be changed and what must stay. */
function splitSpans(text: string, protectedTexts: readonly string[]): Span[] {
  const isKept = new Uint8Array(text.length);
  for (const { index, 0: literal } of text.matchAll(LITERALS)) isKept.fill(1, index, index + literal.length);
  for (const kept of protectedTexts)
    for (let at = text.indexOf(kept); at !== -1; at = text.indexOf(kept, at + 1)) isKept.fill(1, at, at + kept.length);
  const spans: Span[] = [];
  for (let start = 0, end = 1; end <= text.length; end++) {
    if (end < text.length && isKept[end] === isKept[start]) continue;
    spans.push({ text: text.slice(start, end), isProtected: isKept[start] === 1 });
    start = end;
  }
  return spans;
}

/** Changes the free parts of a text. */
function mapFree(text: string, protectedTexts: readonly string[], change: (free: string) => string): string {
  return splitSpans(text, protectedTexts)
    .map((span) => (span.isProtected ? span.text : change(span.text)))
    .join("");
}

/** A word of lowercase letters, long enough to be read with a typo. */
const LONG_WORD = /(?<![\p{L}\p{N}'’-])\p{Ll}{5,}(?![\p{L}\p{N}'’-])/gu;

/** One word in eight has a typo, and at least one. */
const WORDS_PER_TYPO = 8;

function addTypos(text: string, random: Random, protectedTexts: readonly string[]): string {
  let words = 0;
  mapFree(text, protectedTexts, (free) => {
    words += free.match(LONG_WORD)?.length ?? 0;
    return free;
  });
  if (words === 0) return text;
  const count = Math.max(1, Math.round(words / WORDS_PER_TYPO));
  const chosen = new Set(permutation(words, random).slice(0, count));
  let at = -1;
  return mapFree(text, protectedTexts, (free) =>
    free.replace(LONG_WORD, (word) => {
      at += 1;
      return chosen.has(at) ? misspell(word, random) : word;
    }),
  );
}

/** Swaps, drops or doubles letters inside the word; its first and last stay. */
function misspell(word: string, random: Random): string {
  const letters = [...word];
  const at = 1 + random.int(letters.length - 3);
  const [here = "", next = ""] = [letters[at], letters[at + 1]];
  const way = random.int(3);
  if (way === 0 && here !== next) letters.splice(at, 2, next, here);
  else if (way === 1) letters.splice(at, 1);
  else letters.splice(at, 0, here);
  return letters.join("");
}

function changeCase(text: string, random: Random, protectedTexts: readonly string[]): string {
  const isUpper = random.int(2) === 0;
  // Names in capitals stay: IT and it are different words.
  const change = (word: string) =>
    isUpper ? word.toUpperCase() : word.length > 1 && word === word.toUpperCase() ? word : word.toLowerCase();
  return mapFree(text, protectedTexts, (free) => free.replace(/\p{L}+/gu, change));
}

function changeWhitespace(text: string, random: Random, protectedTexts: readonly string[]): string {
  // Single spaces only: indentation has a meaning.
  const widen = (free: string) =>
    free.replace(/(?<=[^\s]) (?=[^\s])/g, () => (random.int(4) === 0 ? " ".repeat(2 + random.int(2)) : " "));
  return `${"\n".repeat(1 + random.int(2))}${mapFree(text, protectedTexts, widen)}${random.int(2) === 0 ? "  " : "\n"}`;
}

const BEFORE = ["Hello! ", "Hi, could you help me with this? ", "I would appreciate your help. ", "Please help me: "];
const AFTER = ["\n\nThank you!", "\n\nThanks in advance.", "\n\nMany thanks for your help."];

function addPoliteness(text: string, random: Random): string {
  return `${BEFORE[random.int(BEFORE.length)]}${text}${AFTER[random.int(AFTER.length)]}`;
}

const FRAMES: readonly ((text: string) => string)[] = [
  (text) => `Question: ${text}`,
  (text) => `## Task\n\n${text}`,
  (text) => `<task>\n${text}\n</task>`,
  (text) => `---\n${text}\n---`,
];

function changeFormat(text: string, random: Random): string {
  return FRAMES[random.int(FRAMES.length)]?.(text) ?? text;
}

/** Choices that mean their places, or those of others. */
const PLACE_CHOICE =
  /\b(?:all|none|both|neither|either|any|some|one|two|more)\b.*\b(?:above|below|these|others|options|choices|preceding|following)\b|\b(?:both|neither|either|only)\b.*\b[A-J]\b|^\W*[A-J]\W*(?:(?:and|or|,|&)\W*[A-J]\W*)+$/i;

/** Words by which a task depends on the order of its list. */
const ORDER_WORDS =
  /\b(?:first|second|third|fourth|fifth|last|next|then|previous|above|below|before|after|former|latter|order|ordered|sequence|sort|sorted|rank|ranked|step|steps|index|position|nth|top|bottom|begin|end|beginning|finally|item \d|\d(?:st|nd|rd|th))\b/i;

function reorder(example: Example, text: string, random: Random): Rewording | null {
  if (Array.isArray(example.choices)) return reorderChoices(example, example.choices, random);
  return reorderList(text, random);
}

/** The letters of the gold answer move with the choices. */
function reorderChoices(example: Example, choices: readonly string[], random: Random): Rewording | null {
  const text = getTaskText(example) ?? "";
  const isShown = text.includes(renderChoices(choices));
  const isBareNumber = [example.answer, ...(example.answers ?? [])].some((gold) => /^\s*\d+\s*$/.test(String(gold)));
  const isDistinct = new Set(choices).size === choices.length;
  if (!isShown || isBareNumber || !isDistinct || choices.some((choice) => PLACE_CHOICE.test(choice))) return null;
  const order = drawOrder(choices.length, random);
  const before = example.choice_order ?? [...choices.keys()];
  const choiceOrder = order?.map((at) => before[at] ?? at);
  if (choiceOrder === undefined) return null;
  return { text: getTaskText(applyChoiceOrder(example, choiceOrder)) ?? text, choiceOrder };
}

/** An order other than the present one; null for fewer than two things. */
function drawOrder(count: number, random: Random): number[] | undefined {
  if (count < 2) return undefined;
  const order = [...permutation(count, random)];
  return order.every((from, to) => from === to) ? [...order.slice(1), order[0] ?? 0] : order;
}

const BULLET = /^[-*•] \S/;

/** Reorders the items of the first bullet list, unless a word of the task depends on their order. */
function reorderList(text: string, random: Random): Rewording | null {
  if (ORDER_WORDS.test(text) || text.includes("```")) return null;
  const lines = text.split("\n");
  const start = lines.findIndex((line) => BULLET.test(line));
  if (start === -1) return null;
  let end = start;
  while (BULLET.test(lines[end] ?? "")) end += 1;
  const items = lines.slice(start, end);
  // Lines that continue an item would be torn from it.
  const continues = /^[ \t]+\S/.test(lines[end] ?? "");
  const order = new Set(items).size === items.length && !continues ? drawOrder(items.length, random) : undefined;
  if (order === undefined) return null;
  return { text: [...lines.slice(0, start), ...order.map((at) => items[at]), ...lines.slice(end)].join("\n") };
}
