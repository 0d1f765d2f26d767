import { divide, exactValue, multiply, type Rational, sameNumber } from "./arithmetic.js";
import { canonical, residue, unmarked } from "./canonical.js";
import { compareAnswers, compareCheaply, isEquation, isList, sidesOf, split, type Verdict } from "./compare.js";
import { extractFormula, extractNumber, goldAnswer } from "./extract.js";
import { onlyNumber } from "./find-number.js";
import { wordedPhrase } from "./numbers.js";
import type { Answer } from "./quantities.js";

/** How a response compares with one gold answer. */
export interface Comparison {
  readonly verdict: Verdict;
  /** What symbolic comparison must decide if the verdict is open: two canonical answers. */
  readonly gold: string;
  readonly given: string;
  /** What was found and compared, for the evidence. */
  readonly evidence: string;
}

/** Extracts the answer of a response and compares it with a gold answer, as far as possible without symbolic work. */
export function compareWithGold(gold: string, response: string, question = ""): Comparison {
  const found = extract(goldAnswer(gold), response, question);
  const { wanted, written, values, answer } = found;
  if (answer === null) {
    return { verdict: "different", gold: written, given: "", evidence: `no answer found, gold ${short(wanted)}` };
  }
  const evidence = evidenceOf(answer, wanted);
  if (values.length > 0 && answer.values !== undefined) {
    const { isPercent = false } = answer;
    const verdict = haveCommon(withShares(answer.values, isPercent, wanted), values) ? "same" : "different";
    return { verdict, gold: written, given: answer.text, evidence };
  }
  const text = comparablePart(answer.text, wanted);
  const given = text.trim() === wanted ? written : canonical(text);
  const verdict =
    values.length === 0
      ? compareTexts(written, given)
      : compareNumber({ values, wanted, written, question }, text, given);
  return { verdict, gold: written, given, evidence };
}

interface Extracted {
  /** The gold answer as written, and in canonical form. */
  readonly wanted: string;
  readonly written: string;
  /** The gold's values if it is a number. */
  readonly values: readonly Rational[];
  readonly answer: Answer | null;
}

/** The kind of the gold decides how the response is read. */
function extract(gold: string, response: string, question: string): Extracted {
  const option = optionOf(gold);
  const wanted = option?.content ?? gold;
  const written = canonical(wanted);
  const values = numbersOf(wanted, written);
  const answer = values.length === 0 ? extractFormula(response) : extractNumber(response, { question });
  const isLabel = option !== null && answer !== null && isLetter(answer.text);
  return isLabel
    ? { wanted: option.label, written: option.label, values: [], answer }
    : { wanted, written, values, answer };
}

/** The values of a gold answer; empty if it is a formula, a list or a text. */
function numbersOf(gold: string, written: string): readonly Rational[] {
  const sides = sidesOf(written);
  const values = sides.map(exactValue).filter((value) => value !== null);
  const [bare = ""] = sides;
  // A comma that does not separate thousands makes a list, "1,2", though in a response it may mark decimals.
  if (values.length > 0 || bare.includes(",") || isEquation(bare)) return values;
  return onlyNumber(gold).slice(0, 1);
}

interface WantedNumber {
  readonly values: readonly Rational[];
  readonly wanted: string;
  readonly written: string;
  readonly question: string;
}

const PERCENT = /%|\bper ?cent\b/i;
const HUNDRED = { top: 100n, bottom: 1n };

/** A percentage against a bare number, either way round, may be a share: 50% is 50 as well as 0.5. */
function withShares(values: readonly Rational[], isPercent: boolean, gold: string): readonly Rational[] {
  if (isPercent === PERCENT.test(gold)) return values;
  const shares = values.map((value) => (isPercent ? divide(value, HUNDRED) : multiply(value, HUNDRED)));
  return [...values, ...shares.filter((value) => value !== null)];
}

function compareNumber({ values, wanted, written, question }: WantedNumber, text: string, given: string): Verdict {
  const found = withShares(numbersOfText(text, question), PERCENT.test(text), wanted);
  if (haveCommon(found, values)) return "same";
  return found.length === 0 || /[=≈]/.test(given) ? compareTexts(written, given) : "different";
}

/** The values of an answer that was found as text; empty if it is not a number. */
export function numbersOfText(text: string, question: string): readonly Rational[] {
  const exact = exactValue(canonical(residue(text)).replace(/^≈/, ""));
  if (exact !== null) return [remarked(text) ?? exact];
  const numbers = onlyNumber(text, { question });
  const worded = numbers.length === 0 ? wordedPhrase(text) : null;
  return worded === null ? numbers : [worded];
}

const REMARKED = /^([^()]{1,30}?)\s+\(([^()]{1,80})\)\s*$/;

/** "24 (12 + 12)" explains its number and is not a product; null for other texts. */
function remarked(text: string): Rational | null {
  const [, number, remark] = REMARKED.exec(text.trim()) ?? [];
  const [value, same] = [exactValue(canonical(number ?? "")), exactValue(canonical(remark ?? ""))];
  return value !== null && same !== null && sameNumber(value, same) ? value : null;
}

function haveCommon(values: readonly Rational[], others: readonly Rational[]): boolean {
  return values.some((value) => others.some((other) => sameNumber(value, other)));
}

/** Two digits at the end may be the minutes of a time. */
const RATIO = /^(\d+(?:\.\d+)?):(\d(?!\d$)\d*(?:\.\d+)?)$/;

/** A gold ratio may be answered as a fraction. A gold number is not a ratio: 8 is not 8:1. */
function asFraction(text: string): string {
  return text.replace(RATIO, "\\frac{$1}{$2}");
}

function compareTexts(written: string, given: string): Verdict {
  if (RATIO.test(written)) return compareAnswers(asFraction(written), asFraction(given), compareCheaply);
  const verdict = compareAnswers(written, given, compareCheaply);
  const gold = unmarked(written);
  // Words may follow the answer: "Evelyn (the fastest)", "Monday, because …".
  if (verdict !== "different" || !/^[a-zA-Z]{2,}$/.test(gold) || isWordList(given)) return verdict;
  return sameWord(gold, /^[a-zA-Z]*/.exec(unmarked(given))?.[0] ?? "");
}

const REASON = /^(?:because|since|as|which|where|when|so|the|who|due)/i;

/** "Monday and Tuesday" is a different answer from Monday. */
function isWordList(text: string): boolean {
  return isList(text) && !split(text, ",").some((part) => REASON.test(unmarked(part)));
}

function sameWord(a: string, b: string): Verdict {
  return a.toLowerCase() === b.toLowerCase() ? "same" : "different";
}

function evidenceOf({ text, source }: Answer, gold: string): string {
  return `${short(text)} (${source}), gold ${short(gold)}`;
}

const MAX_SHOWN = 60;

function short(text: string): string {
  const line = text.trim().replace(/\s+/g, " ");
  return line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN)}…` : line;
}

/** An LRU cache. */
export class VerdictMemory {
  readonly #verdicts = new Map<string, boolean>();
  readonly #size: number;

  constructor(size: number) {
    this.#size = size;
  }

  recall(gold: string, given: string): boolean | undefined {
    const key = keyOf(gold, given);
    const verdict = this.#verdicts.get(key);
    if (verdict !== undefined) this.#keep(key, verdict);
    return verdict;
  }

  remember(gold: string, given: string, verdict: boolean): void {
    this.#keep(keyOf(gold, given), verdict);
    const [oldest] = this.#verdicts.keys();
    if (this.#verdicts.size > this.#size && oldest !== undefined) this.#verdicts.delete(oldest);
  }

  /** A map lists its keys in insertion order. */
  #keep(key: string, verdict: boolean): void {
    this.#verdicts.delete(key);
    this.#verdicts.set(key, verdict);
  }
}

function keyOf(gold: string, given: string): string {
  return `${gold.length} ${gold}${given}`;
}

const LABEL =
  /^\s*(?:\\(?:text|textbf|textrm|textnormal|mathrm|mathbf|mbox)\s?\{\s?\(([A-Z])\)\s*(\}?)|\(([A-Z])\)(?=\\ |\s))(?:\\[ ,;:]|\\q?quad(?![a-z])|[~\s:])*/;

/** A labeled option: `\textbf{(D)}\ 12`. */
interface Option {
  readonly label: string;
  readonly content: string;
}

/** Several labels, "(A) and (B)", or only a period. */
const GOES_ON = /^(?:[.,;&]|(?:and|or)(?![a-z])|\\text\{\s?(?:,|and|or))/;

/** Null without a label, and for a label alone. */
function optionOf(answer: string): Option | null {
  const match = LABEL.exec(answer);
  if (match === null) return null;
  const rest = answer.slice(match[0].length).trim();
  const isOpen = match[1] !== undefined && match[2] === "";
  const content = isOpen ? rest.replace(/\}$/, "") : rest;
  return content.trim() === "" || GOES_ON.test(content) ? null : { label: match[1] ?? match[3] ?? "", content };
}

const LETTER = /^\s*(?:\\(?:text|textbf|textrm|mathrm)\s?\{)?\s?\(?[A-Z]\)?\s?\}?\s*$/;

/** Whether an answer is an option label: `D`, `(D)`, `\text{(D)}`. */
function isLetter(answer: string): boolean {
  return LETTER.test(answer);
}

/** The part that can be compared with another answer: the label if that is a letter, else the content. */
function comparablePart(answer: string, other: string): string {
  const option = optionOf(answer);
  if (option === null) return answer;
  return isLetter(other) ? option.label : option.content;
}
