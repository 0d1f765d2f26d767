import { answersIn } from "../math/answering.js";
import { plainText } from "../math/characters.js";
import { findLeading } from "../math/chosen-number.js";
import { onlyWordedNumber } from "../math/number-words.js";
import { quantitiesIn } from "../math/quantities.js";
import { isRefusal } from "../math/refusal.js";
import { findResult } from "../stated-answer/index.js";
import { cleaned, firstBold } from "./clean.js";
import { wholeNumber } from "./kind.js";

const LONGEST = 200;
const MAX_LINE = 1000;
const WITH_UNIT = /^([-−+]?[\d,]*\.?\d+) [a-z][^\d]*$/i;
/** Where a number ends that an explanation follows; a minus before a digit, and a remark that a sign
 * follows, go on with the sum. */
const CLAUSE_END = /[.,;:!?](?=\s|$)|\s[-–—](?!\s?[\d$])|\s\((?![^()]{0,60}\)\s?[-+*/×÷=])|\s(?:because|since|as)\s/;
/** Where a sum ends: it may hold brackets. */
const SUM_END = /[.,;!?](?=\s|$)|\s(?:because|since|as|where|which)\s/;

/** The numbers that a line may answer with; the result of a sum only when the line does not begin with its answer. */
export function numbersOf(line: string, isExplicit: boolean): number[] {
  const plain = findResult(line.replaceAll("**", ""));
  if (isFormula(plain)) return [];
  const direct = numbersAmong([line, before(plain, CLAUSE_END), firstBold(line) ?? ""]);
  if (direct.length > 0) return direct;
  const sum = isExplicit ? before(plain, SUM_END) : plain;
  if (quantitiesIn(sum.slice(-MAX_LINE)).at(-1)?.isFormula === true) return [];
  const result = sum.slice(sum.lastIndexOf("=") + 1);
  const results = sum.includes("=") ? numbersAmong([result, before(result, CLAUSE_END)]) : [];
  return results.length > 0 ? results : onlyNumber(plain, isExplicit);
}

/** The one number of a line: "There are 11 animals"; behind an announcement only one that it begins with. */
function onlyNumber(line: string, isLeading: boolean): number[] {
  if (line.length > MAX_LINE || isRefusal(line)) return [];
  const text = latexText(plainText(line));
  const [number, another] = answersIn(text);
  const worded = isLeading || number !== undefined ? null : onlyWordedNumber(text);
  if (worded !== null) return [Number(worded.top) / Number(worded.bottom)];
  if (number === undefined || another !== undefined || number.isFormula) return [];
  const isFound = !(isLeading && findLeading(text) === null) && !/[/%:]|frac/.test(number.text);
  const [value] = number.values;
  return isFound && value !== undefined ? [Number(value.top) / Number(value.bottom)] : [];
}

/** Without the commands that only put words into a formula. */
function latexText(text: string): string {
  return text.replace(/^\\(?:boxed|fbox)\s?\{/, "").replace(/\\(?:text|textbf|mathrm|mbox)\s?\{([^{}]*)\}/g, "$1");
}

/** Whether a line answers with a formula or a list, "x = 1 or x = 4": no number of it is the answer. */
function isFormula(line: string): boolean {
  return line.length <= MAX_LINE && findLeading(line)?.isFormula === true;
}

/** Those of some texts that are numbers, spelled or with a unit. */
export function numbersAmong(texts: readonly string[]): number[] {
  return texts.flatMap((text) => numberOf(cleaned(text)) ?? []);
}

function numberOf(text: string): number | null {
  if (text.length > LONGEST || isFormula(text)) return null;
  return wholeNumber(moneyless(text)) ?? numberWithUnit(text);
}

/** "24 clips" is 24; "8 squared" and "8 and a half" are other numbers. */
function numberWithUnit(text: string): number | null {
  const number = wholeNumber(WITH_UNIT.exec(text)?.[1] ?? "");
  const values = findLeading(text)?.values.map(({ top, bottom }) => Number(top) / Number(bottom)) ?? [];
  return number !== null && values.length > 0 && !values.includes(number) ? null : number;
}

function before(text: string, end: RegExp): string {
  const at = text.trimStart().search(end);
  return at === -1 ? text : text.trimStart().slice(0, at);
}

function moneyless(text: string): string {
  return text.replace(/^([-−+]?)[$€£]/, "$1");
}
