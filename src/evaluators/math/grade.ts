import { computeExactValue, divideRationals, isSameNumber, multiplyRationals, type Rational } from "./arithmetic.js";
import { canonicalize, extractResidue, removeWordMarks } from "./canonical.js";
import {
  compareAnswers,
  compareCheaply,
  isEquation,
  isTopLevelList,
  listSides,
  type MathVerdict,
  splitTopLevel,
} from "./compare.js";
import { extractFormula, extractGoldAnswer, extractNumber } from "./extract.js";
import { parseOnlyNumber } from "./find-number.js";
import { parseWordedPhrase } from "./numbers.js";
import type { MathAnswer } from "./quantities.js";

/** How a response compares with one gold answer. */
export interface GoldComparison {
  readonly verdict: MathVerdict;
  /** What symbolic comparison must decide if the verdict is open: two canonical answers. */
  readonly gold: string;
  readonly given: string;
  /** What was found and compared, for the evidence. */
  readonly evidence: string;
}

/** Extracts the answer of a response and compares it with a gold answer, as far as possible without symbolic work. */
export function compareWithGold(gold: string, response: string, question = ""): GoldComparison {
  const found = extractAnswerPair(extractGoldAnswer(gold), response, question);
  const { wanted, written, values, answer } = found;
  if (answer === null) {
    return {
      verdict: "different",
      gold: written,
      given: "",
      evidence: `no answer found, gold ${shortenFormula(wanted)}`,
    };
  }
  const evidence = formatEvidence(answer, wanted);
  if (values.length > 0 && answer.values !== undefined) {
    const { isPercent = false } = answer;
    const verdict = hasCommonValue(addShares(answer.values, isPercent, wanted), values) ? "same" : "different";
    return { verdict, gold: written, given: answer.text, evidence };
  }
  const text = pickComparablePart(answer.text, wanted);
  const given = text.trim() === wanted ? written : canonicalize(text);
  const verdict =
    values.length === 0
      ? compareAnswerTexts(written, given)
      : compareNumber({ values, wanted, written, question }, text, given);
  return { verdict, gold: written, given, evidence };
}

interface AnswerPair {
  /** The gold answer as written, and in canonical form. */
  readonly wanted: string;
  readonly written: string;
  /** The gold's values if it is a number. */
  readonly values: readonly Rational[];
  readonly answer: MathAnswer | null;
}

/** The kind of the gold decides how the response is read. */
function extractAnswerPair(gold: string, response: string, question: string): AnswerPair {
  const option = parseLabeledOption(gold);
  const wanted = option?.content ?? gold;
  const written = canonicalize(wanted);
  const values = parseGoldNumbers(wanted, written);
  const answer = values.length === 0 ? extractFormula(response) : extractNumber(response, { question });
  const isLabel = option !== null && answer !== null && isOptionLabel(answer.text);
  return isLabel
    ? { wanted: option.label, written: option.label, values: [], answer }
    : { wanted, written, values, answer };
}

/** The values of a gold answer; empty if it is a formula, a list or a text. */
function parseGoldNumbers(gold: string, written: string): readonly Rational[] {
  const sides = listSides(written);
  const values = sides.map(computeExactValue).filter((value) => value !== null);
  const [bare = ""] = sides;
  // A comma that does not separate thousands makes a list, "1,2", though in a response it may mark decimals.
  if (values.length > 0 || bare.includes(",") || isEquation(bare)) return values;
  return parseOnlyNumber(gold).slice(0, 1);
}

interface GoldNumber {
  readonly values: readonly Rational[];
  readonly wanted: string;
  readonly written: string;
  readonly question: string;
}

const PERCENT = /%|\bper ?cent\b/i;
const HUNDRED = { top: 100n, bottom: 1n };

/** A percentage against a bare number, either way round, may be a share: 50% is 50 as well as 0.5. */
function addShares(values: readonly Rational[], isPercent: boolean, gold: string): readonly Rational[] {
  if (isPercent === PERCENT.test(gold)) return values;
  const shares = values.map((value) =>
    isPercent ? divideRationals(value, HUNDRED) : multiplyRationals(value, HUNDRED),
  );
  return [...values, ...shares.filter((value) => value !== null)];
}

function compareNumber({ values, wanted, written, question }: GoldNumber, text: string, given: string): MathVerdict {
  const found = addShares(parseAnswerNumbers(text, question), PERCENT.test(text), wanted);
  if (hasCommonValue(found, values)) return "same";
  return found.length === 0 || /[=≈]/.test(given) ? compareAnswerTexts(written, given) : "different";
}

/** The values of an answer that was found as text; empty if it is not a number. */
export function parseAnswerNumbers(text: string, question: string): readonly Rational[] {
  const exact = computeExactValue(canonicalize(extractResidue(text)).replace(/^≈/, ""));
  if (exact !== null) return [parseRemarkedNumber(text) ?? exact];
  const numbers = parseOnlyNumber(text, { question });
  const worded = numbers.length === 0 ? parseWordedPhrase(text) : null;
  return worded === null ? numbers : [worded];
}

const REMARKED_NUMBER = /^([^()]{1,30}?)\s+\(([^()]{1,80})\)\s*$/;

/** "24 (12 + 12)" explains its number and is not a product; null for other texts. */
function parseRemarkedNumber(text: string): Rational | null {
  const [, number, remark] = REMARKED_NUMBER.exec(text.trim()) ?? [];
  const [value, same] = [computeExactValue(canonicalize(number ?? "")), computeExactValue(canonicalize(remark ?? ""))];
  return value !== null && same !== null && isSameNumber(value, same) ? value : null;
}

function hasCommonValue(values: readonly Rational[], others: readonly Rational[]): boolean {
  return values.some((value) => others.some((other) => isSameNumber(value, other)));
}

/** Two digits at the end may be the minutes of a time. */
const RATIO = /^(\d+(?:\.\d+)?):(\d(?!\d$)\d*(?:\.\d+)?)$/;

/** A gold ratio may be answered as a fraction. A gold number is not a ratio: 8 is not 8:1. */
function toFraction(text: string): string {
  return text.replace(RATIO, "\\frac{$1}{$2}");
}

function compareAnswerTexts(written: string, given: string): MathVerdict {
  if (RATIO.test(written)) return compareAnswers(toFraction(written), toFraction(given), compareCheaply);
  const verdict = compareAnswers(written, given, compareCheaply);
  const gold = removeWordMarks(written);
  // Words may follow the answer: "Evelyn (the fastest)", "Monday, because …".
  if (verdict !== "different" || !/^[a-zA-Z]{2,}$/.test(gold) || isWordList(given)) return verdict;
  return compareWords(gold, /^[a-zA-Z]*/.exec(removeWordMarks(given))?.[0] ?? "");
}

const REASON = /^(?:because|since|as|which|where|when|so|the|who|due)/i;

/** "Monday and Tuesday" is a different answer from Monday. */
function isWordList(text: string): boolean {
  return isTopLevelList(text) && !splitTopLevel(text, ",").some((part) => REASON.test(removeWordMarks(part)));
}

function compareWords(a: string, b: string): MathVerdict {
  return a.toLowerCase() === b.toLowerCase() ? "same" : "different";
}

function formatEvidence({ text, source }: MathAnswer, gold: string): string {
  return `${shortenFormula(text)} (${source}), gold ${shortenFormula(gold)}`;
}

const MAX_SHOWN = 60;

function shortenFormula(text: string): string {
  const line = text.trim().replace(/\s+/g, " ");
  return line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN)}…` : line;
}

/** An LRU cache. */
export class VerdictCache {
  readonly #verdicts = new Map<string, boolean>();
  readonly #size: number;

  constructor(size: number) {
    this.#size = size;
  }

  get(gold: string, given: string): boolean | undefined {
    const key = createVerdictKey(gold, given);
    const verdict = this.#verdicts.get(key);
    if (verdict !== undefined) this.#store(key, verdict);
    return verdict;
  }

  set(gold: string, given: string, verdict: boolean): void {
    this.#store(createVerdictKey(gold, given), verdict);
    const [oldest] = this.#verdicts.keys();
    if (this.#verdicts.size > this.#size && oldest !== undefined) this.#verdicts.delete(oldest);
  }

  /** A map lists its keys in insertion order. */
  #store(key: string, verdict: boolean): void {
    this.#verdicts.delete(key);
    this.#verdicts.set(key, verdict);
  }
}

function createVerdictKey(gold: string, given: string): string {
  return `${gold.length} ${gold}${given}`;
}

const LABEL =
  /^\s*(?:\\(?:text|textbf|textrm|textnormal|mathrm|mathbf|mbox)\s?\{\s?\(([A-Z])\)\s*(\}?)|\(([A-Z])\)(?=\\ |\s))(?:\\[ ,;:]|\\q?quad(?![a-z])|[~\s:])*/;

/** A labeled option: `\textbf{(D)}\ 12`. */
interface LabeledOption {
  readonly label: string;
  readonly content: string;
}

/** Several labels, "(A) and (B)", or only a period. */
const GOES_ON = /^(?:[.,;&]|(?:and|or)(?![a-z])|\\text\{\s?(?:,|and|or))/;

/** Null without a label, and for a label alone. */
function parseLabeledOption(answer: string): LabeledOption | null {
  const match = LABEL.exec(answer);
  if (match === null) return null;
  const rest = answer.slice(match[0].length).trim();
  const isOpen = match[1] !== undefined && match[2] === "";
  const content = isOpen ? rest.replace(/\}$/, "") : rest;
  return content.trim() === "" || GOES_ON.test(content) ? null : { label: match[1] ?? match[3] ?? "", content };
}

const LETTER = /^\s*(?:\\(?:text|textbf|textrm|mathrm)\s?\{)?\s?\(?[A-Z]\)?\s?\}?\s*$/;

/** Whether an answer is an option label: `D`, `(D)`, `\text{(D)}`. */
function isOptionLabel(answer: string): boolean {
  return LETTER.test(answer);
}

/** The part that can be compared with another answer: the label if that is a letter, else the content. */
function pickComparablePart(answer: string, other: string): string {
  const option = parseLabeledOption(answer);
  if (option === null) return answer;
  return isOptionLabel(other) ? option.label : option.content;
}
