import type { Example } from "../../core/index.js";
import { convertToText, listGolds } from "../gold.js";
import { type ChoiceOptions, MAX_OPTIONS, toLetterIndex } from "./labels.js";
import { findSameTexts } from "./option-texts.js";

/** The options of a question and the indices of the right ones. */
export interface ChoiceQuestion {
  options: ChoiceOptions;
  right: ReadonlySet<number>;
}

/** Assumed for a question without choices. */
const DEFAULT_COUNT = 10;
const LABELED = /^\(?([a-z])(?:[).:]|\)[.:])\s+(\S[\s\S]*)$/i;
const LETTER = /^\(?([a-z])\)?[.:]?$/i;
const NUMBER = /^\d{1,2}$/;

/** Returns a message if the right option cannot be determined. */
export function readChoiceQuestion(example: Example): ChoiceQuestion | string {
  const texts = readChoices(example);
  if (texts.length > MAX_OPTIONS) return `the example has ${texts.length} choices, more than there are letters`;
  const golds = listGolds(example).map((gold) => gold.trim());
  const right = new Set(golds.flatMap((gold) => findGoldIndices(gold, texts)));
  if (right.size === 0) for (const index of readGivenIndices(example, texts)) right.add(index);
  if (right.size === 0) return explainMissingGold(golds, texts);
  const count = texts.length || Math.max(DEFAULT_COUNT, ...[...right].map((index) => index + 1));
  return { options: { texts, count, isNumbered: golds.some((gold) => isOptionNumber(gold, right, texts)) }, right };
}

function readChoices({ choices }: Example): string[] {
  return Array.isArray(choices) ? choices.map(convertToText) : [];
}

function findGoldIndices(gold: string, texts: readonly string[]): number[] {
  const exact = findTextIndices(texts, (text) => text.trim() === gold);
  if (exact.length > 0) return exact;
  const letter = LETTER.exec(gold)?.[1];
  if (letter !== undefined) return filterIndices([toLetterIndex(letter)], texts);
  const same = findSameTexts(gold, texts);
  if (same.length > 0) return same;
  const labelled = LABELED.exec(gold);
  return labelled === null ? [] : filterIndices([toLetterIndex(labelled[1] ?? "")], texts);
}

/** `answer_index` and `label` count from 0, as in the datasets that have them; they may also be letters. */
function readGivenIndices({ answer_index, label }: Example, texts: readonly string[]): number[] {
  for (const given of [answer_index, label]) {
    const text = convertToText(given).trim();
    const index = NUMBER.test(text) ? Number(text) : toLetterIndex(text);
    const found = index >= 0 ? filterIndices([index], texts) : [];
    if (found.length > 0) return found;
  }
  return [];
}

function filterIndices(indices: readonly number[], texts: readonly string[]): number[] {
  const count = texts.length || MAX_OPTIONS;
  return indices.filter((index) => index >= 0 && index < count);
}

/** Whether options are numbered: the gold is a number, and `answer_index` shows that it counts from 1. */
function isOptionNumber(gold: string, right: ReadonlySet<number>, texts: readonly string[]): boolean {
  return isBareNumber(gold, texts) && right.has(Number(gold) - 1);
}

function isBareNumber(gold: string, texts: readonly string[]): boolean {
  return NUMBER.test(gold) && findSameTexts(gold, texts).length === 0;
}

function findTextIndices(texts: readonly string[], isWanted: (text: string) => boolean): number[] {
  return texts.flatMap((text, index) => (isWanted(text) ? [index] : []));
}

function explainMissingGold(golds: readonly string[], texts: readonly string[]): string {
  const [gold] = golds;
  if (gold === undefined) return "the example has no gold answer (answer, answer_index or label)";
  if (isBareNumber(gold, texts)) {
    return `the answer ${gold} may count from 0 or from 1: set answer_index, which counts from 0, or give the letter or the text of the choice as the answer`;
  }
  const shown = JSON.stringify(gold.length > 60 ? `${gold.slice(0, 59)}…` : gold);
  if (texts.length === 0) return `the answer ${shown} is not a letter, and the example has no choices to find it in`;
  return `the answer ${shown} is not one of the example's choices or the letter of one`;
}
