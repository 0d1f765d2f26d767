import { DatasetError, UsageError } from "../../../core/index.js";
import { createRandom, hashSeed, type Random } from "../../../stats/index.js";
import { MAX_LENGTH_TOKENS } from "../../needle.js";
import { parseNumberSettings, type SettingsSyntax } from "../../parse-settings.js";
import { isRawRow, type RawRow } from "../../source-row.js";
import type { CatalogEntry, ExampleFields } from "../entry.js";
import {
  getValueAtPath,
  RowProblem,
  readOptionalText,
  requireGoldTexts,
  requireText,
  requireTextList,
} from "../row-fields.js";

const INSTRUCTION = "The text may only imply it. Answer with the name of the character alone.";

/** Each question at each length and depth, in the same part of a haystack for all depths. */
export const nolima: CatalogEntry = {
  about: "A sentence hidden in a book that only world knowledge connects with the question, by length and depth.",
  repo: "amodaresi/NoLiMa",
  license: "adobe-research-license (no commercial use)",
  size: 870,
  hasSettings: true,
  sources(config) {
    // Reject invalid settings before anything is downloaded.
    parseNolimaConfig(config);
    return [{ files: ["needlesets/needle_set.json"] }];
  },
  lookups: { haystacks: () => ({ files: ["haystack/rand_shuffle/*.txt"] }) },
  columns: ["id", "needle", "questions", "character_set", "tests"],
  isExpanding: true,
  examples(row, { config, lookups }) {
    const { lengths, depths, hops } = parseNolimaConfig(config);
    const names = requireGoldTexts(requireTextList(row, "character_set"), "character_set");
    const questions = readNolimaQuestions(row).filter((question) => hops.includes(question.hops));
    const haystacks = lookups.haystacks ?? [];
    return questions.flatMap((question) =>
      lengths.flatMap((length) =>
        depths.map((depth) => buildNolimaExample(question, { length, depth, names, haystacks })),
      ),
    );
  },
  evaluators: ["answer_quality"],
  primaryField: "contains",
  subject: "length",
  facets: ["depth", "length"],
};

interface NolimaCell {
  length: number;
  depth: number;
  names: readonly string[];
  haystacks: readonly RawRow[];
}

function buildNolimaExample({ id, hops, needle, question }: NolimaQuestion, cell: NolimaCell): ExampleFields {
  const { length, depth, names, haystacks } = cell;
  const random = createRandom(hashSeed(0, id, length));
  const haystack = haystacks[random.int(Math.max(1, haystacks.length))];
  if (haystack === undefined) throw new DatasetError("nolima found no haystack to hide its needles in.");
  const name = names[createRandom(hashSeed(0, id, length, depth)).int(names.length)] ?? "";
  const hiding = { needle: needle.replaceAll("{CHAR}", () => name), length, depth, random };
  return {
    id: `${id}_${length}_${depth}`,
    context: hideNeedle(requireText(haystack, "text"), hiding),
    question: `${question.replaceAll("{CHAR}", () => name)}\n\n${INSTRUCTION}`,
    answer: name,
    length,
    depth,
    hops,
  };
}

/** Lengths of the texts, positions of the needle, and distance of the question from it. */
export interface NolimaSettings {
  /** Approximate lengths of the context in tokens. */
  readonly lengths: readonly number[];
  /** Position of the needle: 0 is the beginning, 1 the end. */
  readonly depths: readonly number[];
  /** 1 for questions one inference step away from the needle, 2 for two steps. */
  readonly hops: readonly number[];
}

const DEFAULT_SETTINGS: NolimaSettings = {
  lengths: [1000, 4000, 16_000],
  depths: [0, 0.25, 0.5, 0.75, 1],
  hops: [1, 2],
};

const SETTINGS_SYNTAX: SettingsSyntax = {
  dataset: "nolima",
  example: "nolima:lengths=1000,4000;depths=0,0.5,1;hops=1",
  settings: {
    lengths: { low: 250, high: MAX_LENGTH_TOKENS, whole: true, isList: true },
    depths: { low: 0, high: 1, whole: false, isList: true },
    hops: { low: 1, high: 2, whole: true, isList: true },
  },
};

/**
 * Parses what follows the colon of `nolima:…`.
 * @example
 * parseNolimaConfig("lengths=1000;hops=1"); // { lengths: [1000], depths: [0, 0.25, 0.5, 0.75, 1], hops: [1] }
 */
export function parseNolimaConfig(config: string): NolimaSettings {
  return { ...DEFAULT_SETTINGS, ...parseNumberSettings(config, SETTINGS_SYNTAX) };
}

/** Typical for English prose and current tokenizers; counting tokens would make the text depend on one of them. */
const CHARACTERS_PER_TOKEN = 4.4;
/** A sentence begins after a line break, or after the end of the previous sentence and a space. */
const SENTENCE_END = /(?:\n|[.!?]["'”’)\]]{0,2}\s)\s*/g;
/** How far from the target a sentence boundary is searched: few sentences are longer. */
const MAX_BORDER_DISTANCE = 2000;

/** Where to hide a sentence. */
export interface NeedlePlacement {
  readonly needle: string;
  /** Approximate length of the text in tokens. */
  readonly length: number;
  /** 0 is the beginning, 1 the end. */
  readonly depth: number;
  /** Selects the part of the haystack. */
  readonly random: Random;
}

/**
 * Takes a part of a haystack and inserts a sentence at the sentence boundary nearest to its depth.
 * @example
 * hideNeedle("One. Two. Three.", { needle: "Here!", length: 250, depth: 0.5, random: createRandom(1) });
 */
export function hideNeedle(haystack: string, { needle, length, depth, random }: NeedlePlacement): string {
  const characters = Math.max(0, Math.round(length * CHARACTERS_PER_TOKEN) - needle.length);
  if (haystack.length < characters) throw createHaystackTooShortError(length, haystack.length);
  const begin = findSentenceEnd(haystack, random.int(haystack.length - characters + 1));
  const end = findSentenceEnd(haystack, Math.min(begin + characters, haystack.length));
  const place = findSentenceEnd(haystack, begin + Math.round(depth * (end - begin)));
  const before = haystack.slice(begin, Math.min(Math.max(place, begin), end)).trimEnd();
  const after = haystack.slice(Math.min(Math.max(place, begin), end), end).trim();
  // Concatenated, not joined: the strings stay slices of the haystack, which saves memory for many examples.
  return `${before}${before === "" ? "" : "\n"}${needle}${after === "" ? "" : "\n"}${after}`;
}

/** The nearest sentence boundary; the beginning and the end of the text count as boundaries. */
function findSentenceEnd(text: string, target: number): number {
  if (target <= 0 || target >= text.length) return Math.min(Math.max(target, 0), text.length);
  const from = Math.max(0, target - MAX_BORDER_DISTANCE);
  let nearest = from === 0 ? 0 : text.length;
  for (const match of text.slice(from, target + MAX_BORDER_DISTANCE).matchAll(SENTENCE_END)) {
    const border = from + match.index + match[0].length;
    if (Math.abs(border - target) < Math.abs(nearest - target)) nearest = border;
  }
  return Math.abs(nearest - target) <= MAX_BORDER_DISTANCE ? nearest : target;
}

function createHaystackTooShortError(length: number, characters: number): UsageError {
  const most = Math.floor(characters / CHARACTERS_PER_TOKEN);
  return new UsageError(
    `nolima cannot make a text of ${length} tokens: a haystack has about ${most}. Use shorter lengths, e.g. nolima:lengths=1000,${Math.min(16_000, most)}.`,
  );
}

/** A question and the sentence that answers it, with {CHAR} for the character's name. */
interface NolimaQuestion {
  readonly id: string;
  readonly hops: number;
  readonly needle: string;
  readonly question: string;
}

const HOPS = { onehop: 1, twohop: 2 };

/**
 * The questions of a row of NoLiMa's needle sets: each kind of question with each test, whose words replace {1}, {2} and
 * so on.
 * @example
 * readNolimaQuestions(row); // [{ id: "0401_T01_onehop", hops: 1, needle: "{CHAR} lives in …", question: "Who …?" }, …]
 */
function readNolimaQuestions(row: RawRow): NolimaQuestion[] {
  const tests = getValueAtPath(row, "tests");
  if (!isRawRow(tests) || Object.keys(tests).length === 0) throw new RowProblem('has no test in "tests"');
  const questions = Object.keys(tests).flatMap((test) => readTestQuestions(row, test));
  if (questions.length === 0) throw new RowProblem('has neither "onehop" nor "twohop" in "questions"');
  return questions;
}

function readTestQuestions(row: RawRow, test: string): NolimaQuestion[] {
  const words = requireTextList(row, `tests.${test}.input_args`);
  const needle = fillTemplate(requireText(row, "needle"), words);
  return Object.entries(HOPS).flatMap(([kind, hops]) => {
    const asked = readOptionalText(row, `questions.${kind}`);
    return asked === ""
      ? []
      : [{ id: `${requireText(row, "id")}_${test}_${kind}`, hops, needle, question: fillTemplate(asked, words) }];
  });
}

function fillTemplate(template: string, words: readonly string[]): string {
  return template.replace(/\{(\d+)\}/g, (_, place: string) => {
    const word = words[Number(place) - 1];
    if (word === undefined) throw new RowProblem(`has no word for {${place}} in "tests"`);
    return word;
  });
}
