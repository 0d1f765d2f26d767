import type { Answer } from "./answer.js";
import { exactValue } from "./arithmetic.js";
import { canonical } from "./canonical.js";
import { compareAnswers, compareCheaply, type Verdict } from "./compare.js";
import { extractFormula, extractNumber, goldAnswer } from "./extract.js";
import { onlyNumber } from "./only-number.js";
import { type Rational, sameNumber } from "./rational.js";
import { isEquation, withoutName } from "./relation.js";

/** How a response compares with one gold answer. */
export interface Comparison {
  readonly verdict: Verdict;
  /** What is left to compare when the verdict is open: two answers in canonical form. */
  readonly gold: string;
  readonly given: string;
  /** What was found and compared, for people. */
  readonly evidence: string;
}

/** Finds the answer of a response and compares it with a gold answer, as far as that can be done at once. */
export function compareWithGold(gold: string, response: string): Comparison {
  const wanted = goldAnswer(gold);
  const written = canonical(wanted);
  const value = numberOf(wanted, written);
  const answer = value === null ? extractFormula(response) : extractNumber(response);
  if (answer === null) {
    return { verdict: "different", gold: written, given: "", evidence: `no answer found, gold ${short(wanted)}` };
  }
  if (value !== null && answer.values !== undefined) {
    const verdict = isOneOf(answer.values, value) ? "same" : "different";
    return { verdict, gold: written, given: answer.text, evidence: evidenceOf(answer, wanted) };
  }
  const given = answer.text.trim() === wanted ? written : canonical(answer.text);
  const verdict = value === null ? compareTexts(written, given) : compareNumber({ value, written }, answer, given);
  return { verdict, gold: written, given, evidence: evidenceOf(answer, wanted) };
}

/** The number that a gold answer is; null when it is a formula, a list or a text. */
function numberOf(gold: string, written: string): Rational | null {
  const bare = withoutName(written);
  const value = exactValue(bare);
  // A comma that separates no thousands makes a list, "1,2", though in a response it may mark decimals.
  if (value !== null || bare.includes(",") || isEquation(bare)) return value;
  return onlyNumber(gold)[0] ?? null;
}

interface WantedNumber {
  readonly value: Rational;
  readonly written: string;
}

function compareNumber({ value, written }: WantedNumber, { text }: Answer, given: string): Verdict {
  const exact = exactValue(given);
  const values = exact === null ? onlyNumber(text) : [exact];
  if (values.length === 0) return compareTexts(written, given);
  return isOneOf(values, value) ? "same" : "different";
}

function isOneOf(values: readonly Rational[], wanted: Rational): boolean {
  return values.some((value) => sameNumber(value, wanted));
}

function compareTexts(gold: string, given: string): Verdict {
  const verdict = compareAnswers(gold, given, compareCheaply);
  // Words may go on where the answer ends: "Evelyn (the fastest)", "Monday, because …".
  if (verdict !== "different" || !/^[a-zA-Z]{2,}$/.test(gold)) return verdict;
  return compareAnswers(gold, /^[a-zA-Z]*/.exec(given)?.[0] ?? "", compareCheaply);
}

function evidenceOf({ text, source }: Answer, gold: string): string {
  return `${short(text)} (${source}), gold ${short(gold)}`;
}

const MAX_SHOWN = 60;

function short(text: string): string {
  const line = text.trim().replace(/\s+/g, " ");
  return line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN)}…` : line;
}
