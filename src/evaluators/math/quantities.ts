import { divide, exactValue, isRounding, type Rational, sameNumber } from "./arithmetic.js";
import { canonical, residue } from "./canonical.js";
import { isList, isName, isNonlinear, split, withoutBrackets } from "./compare.js";

import { type NumberToken, numbersIn, type TokenOptions } from "./numbers.js";
import { type Run, readPair, runsIn } from "./runs.js";

/** A number of a text, or a formula or a list, which has no `values` and is compared as a whole. */
export interface Quantity extends NumberToken {
  /** Where the mathematics begins that this is the result of: "48 + 24 = 72" is 72, from its beginning on. */
  readonly from: number;
  readonly isFormula: boolean;
  readonly isPercent: boolean;
}

/**
 * The numbers and formulas of a short text. What stands around a number decides what it is: "x + 1", "(2, 3)" and
 * "3 or 4" are no numbers, "12 * 2" is 24, and a chain of equations is what it comes to.
 */
export function quantitiesIn(text: string, options: TokenOptions = {}): Quantity[] {
  return joinLists(text, joinPairs(text, piecesOf(text, options))).map(({ quantity }) => quantity);
}

interface Piece {
  readonly quantity: Quantity;
  readonly end: number;
  /** All of it, of which the quantity may only be the last side. */
  readonly whole: string;
  readonly isMarked: boolean;
}

function piecesOf(text: string, options: TokenOptions): Piece[] {
  const tokens = numbersIn(text, options);
  const pieces: Piece[] = [];
  let [next, end] = [0, 0];
  for (const run of runsIn(text)) {
    if (run.start < end || !(run.isMarked || /\d/.test(run.text))) continue;
    while ((tokens[next]?.end ?? text.length) <= run.start && next < tokens.length) next += 1;
    const inside = tokensWithin(tokens, next, run.end);
    const quantity = withPercent(text, quantityOf(text, run, inside));
    end = Math.max(run.end, quantity.end);
    pieces.push({ quantity, end, whole: run.text, isMarked: run.isMarked });
  }
  return pieces;
}

const PERCENT = /^\s?(?:\\?%|percent\b|per cent\b)/i;

function withPercent(text: string, quantity: Omit<Quantity, "isPercent">): Quantity {
  const { start, end } = quantity;
  const isPercent = text.slice(start, end).includes("%") || PERCENT.test(text.slice(end, end + 12));
  return { ...quantity, isPercent };
}

function tokensWithin(tokens: readonly NumberToken[], from: number, end: number): readonly NumberToken[] {
  let to = from;
  while ((tokens[to]?.start ?? end) < end) to += 1;
  return tokens.slice(from, to);
}

function quantityOf(text: string, run: Run, inside: readonly NumberToken[]): Omit<Quantity, "isPercent"> {
  const [first] = inside;
  if (first !== undefined && first.start <= run.start && first.end >= run.end) return plainNumber(first);
  const values = resultOf(run);
  const { start: from, end } = run;
  const source = text.slice(from, end);
  const start = from + Math.max(...["=", "≈", "\\approx"].map((sign) => source.lastIndexOf(sign))) + 1;
  const [number, another] = inside.filter((token) => token.start >= start);
  const isAlone = number !== undefined && another === undefined && DRESS.test(text.slice(start, number.start));
  const isPlain = isAlone && SIGNS.test(text.slice(start, number.start) + text.slice(number.end, end));
  const isKnown = isPlain && (start === from || number.end > end || number.text.includes(":"));
  if (isAlone && (isPlain || DRESS.test(text.slice(number.end, end))) && isResult(number, values, isKnown)) {
    return {
      ...number,
      from,
      end: Math.max(end, number.end),
      values: [...number.values, ...values.slice(1)],
      isFormula: false,
    };
  }
  const isFormula = values.length === 0;
  const shown = isFormula ? run.text : source.trim();
  return {
    text: shown,
    from,
    start: isFormula ? from : start,
    end,
    values,
    hasCurrency: number?.hasCurrency ?? false,
    isFormula,
  };
}

/** A time on the hour, "5 - 3 = 2:00", "1,5 %" and "x = 4k" are numbers that no arithmetic knows. */
function isResult({ values }: NumberToken, results: readonly Rational[], isKnown: boolean): boolean {
  return (isKnown && values.length > 0) || values.some((value) => isAmong(value, results));
}

/** What may stand between a number and the ends of the mathematics it is all of. */
const DRESS = /^(?:[\s$€£¥%°(){}*]|\\[()[\],;:!% ]|\\(?:left|right|text|mathrm)(?![a-zA-Z])|[a-zA-Z])*$/;
/** Signs of money, percent and degrees, which leave a number what it is. */
const SIGNS = /^[\s$€£¥%°*]*$/;

function isAmong(value: Rational, others: readonly Rational[]): boolean {
  return others.some((other) => sameNumber(value, other));
}

function plainNumber(token: NumberToken): Omit<Quantity, "isPercent"> {
  return { ...token, from: token.start, isFormula: false };
}

/** What a calculation or an equation comes to, and the sides that it rounds; nothing for what is no number. */
function resultOf({ text, isNamed }: Run): readonly Rational[] {
  const written = canonical(residue(lastRow(text)));
  if (isList(written) || /[<>]|\\(?:le|ge|ne|in)(?![a-zA-Z])/.test(written)) return [];
  const sides = split(written, "≈").flatMap((part) => split(part, "="));
  // In "18 = x" the name comes last.
  if (sides.length > 1 && isName(sides.at(-1) ?? "")) sides.pop();
  const result = exactValue(withoutBrackets(sides.pop() ?? ""));
  if (result === null) return [];
  const others = sides.map(exactValue).filter((value) => value !== null);
  // "x^2 - 5x + 6 = 0" is yet to be solved; "x^2 = 3 * 3 = 9" was calculated.
  if (others.length === 0 && !isNamed && !isName(sides[0] ?? "") && sides.some(isNonlinear)) return [];
  return [result, ...others.filter((value) => isRounding(result, value))];
}

const ROWS =
  /^\s*\\begin\{(?:align(?:ed|at)?|gather(?:ed)?|equation|split|multline)\*?\}([\s\S]*)\\end\{[a-z]+\*?\}\s*$/;

/** The last line of a calculation over several lines. */
function lastRow(text: string): string {
  const rows = ROWS.exec(text)?.[1]?.split("\\\\") ?? [];
  return rows.findLast((row) => row.trim() !== "")?.replace(/&/g, " ") ?? text;
}

const MAX_BEFORE = 100;

/** Numbers that say one thing together, "2 hours and 30 minutes", as one. */
function joinPairs(text: string, pieces: readonly Piece[]): Piece[] {
  const joined: Piece[] = [];
  for (const piece of pieces) {
    const pair = pairOf(text, joined.at(-1), piece);
    if (pair !== null) joined.pop();
    joined.push(pair ?? piece);
  }
  return joined;
}

function pairOf(text: string, one: Piece | undefined, other: Piece): Piece | null {
  const [first] = one?.quantity.values ?? [];
  const [second] = other.quantity.values;
  if (one === undefined || first === undefined || second === undefined) return null;
  const { from } = one.quantity;
  const values = readPair(first, second, {
    before: text.slice(Math.max(0, from - MAX_BEFORE), from),
    between: text.slice(endOfDigits(text, one), other.quantity.from),
    behind: text.slice(endOfDigits(text, other), other.end + 40),
  });
  if (values === null) return null;
  const isFormula = values.length === 0;
  const source = text.slice(from, other.end).trim();
  const whole = isFormula ? `${one.whole}:${other.whole}` : source;
  const quantity = { ...one.quantity, text: whole, end: other.end, values, isFormula };
  return { ...one, quantity, end: other.end, whole };
}

/** Where the digits of a piece end: its unit belongs to what stands between two numbers. */
function endOfDigits(text: string, { quantity, end }: Piece): number {
  return quantity.start + (/^.*\d/s.exec(text.slice(quantity.start, end))?.[0].length ?? 0);
}

/** "And" and "or" in the languages of MGSM and a few others. */
const AND = "and|und|et|y|e|и|和|と|และ|এবং|మరియు|na";
const OR = "or|and/or|oder|ou|o|или|或者?|または|หรือ|বা|లేదా|au";
const JOINT = new RegExp(`^[\\s*_$]*(?<comma>[,;、]?)\\s*(?:(?<or>${OR})|(?<and>${AND}))?[\\s*_$]*$`);

/** "x = 1 or x = 4", "3, 4 and 5" and "$1$, $2$" are lists; "16 - 7 = 9, 9 * 2 = 18" is a calculation. */
function joinLists(text: string, pieces: readonly Piece[]): Piece[] {
  const joined: Piece[] = [];
  for (let at = 0; at < pieces.length; ) {
    let to = at + 1;
    while (to < pieces.length && isJoint(text, pieces[to - 1], pieces[to])) to += 1;
    joined.push(listOf(text, pieces.slice(at, to)));
    at = to;
  }
  return joined;
}

const END = /^[\s*_)\]"'$]*(?:[.!?;,<。]|$|\n|(?:and|or|because|since)(?![a-z]))/;
/** "18 and 3 of them are red" goes on with something else. */
const NEW_CLAUSE = /^\s*(?:of|more|less|other|are|is|was|were|has|have|had|will|would|can)(?![a-z])/;

function isJoint(text: string, one: Piece | undefined, other: Piece | undefined): boolean {
  if (one === undefined || other === undefined || !isElement(one.whole) || !isElement(other.whole)) return false;
  const { comma = "", and, or } = JOINT.exec(text.slice(one.end, other.quantity.from))?.groups ?? {};
  if (or !== undefined) return true;
  if (and === undefined && comma === "") return false;
  if ((one.isMarked && other.isMarked) || (one.whole.includes("=") && other.whole.includes("="))) return true;
  const rest = text.slice(other.end, other.end + 40);
  return and === undefined ? END.test(rest) : !NEW_CLAUSE.test(rest);
}

/** A list has numbers, formulas or named values in it, and no calculations. */
function isElement(text: string): boolean {
  const [name = "", value, ...more] = split(canonical(text), "=");
  return value === undefined || (more.length === 0 && isName(name));
}

function listOf(text: string, pieces: readonly Piece[]): Piece {
  const [first, ...others] = pieces;
  const last = others.at(-1);
  if (first === undefined) throw new RangeError("A list needs a piece.");
  if (last === undefined) return first;
  const { from } = first.quantity;
  const values = sharedValues(pieces);
  const source = values.length > 0 ? text.slice(from, last.end).trim() : pieces.map(({ whole }) => whole).join(", ");
  const isFormula = values.length === 0;
  const quantity = {
    ...first.quantity,
    text: source,
    start: from,
    end: last.end,
    values,
    hasCurrency: false,
    isFormula,
  };
  return { quantity, end: last.end, whole: source, isMarked: first.isMarked };
}

/** "1/2 or 0.5" and "1/2 or 50%" say one number in two ways. */
function sharedValues([first, ...others]: readonly Piece[]): readonly Rational[] {
  const own = first === undefined ? [] : readingsOf(first);
  return own.filter((value) => others.every((other) => isAmong(value, readingsOf(other))));
}

const HUNDRED = { top: 100n, bottom: 1n };

function readingsOf({ quantity }: Piece): readonly Rational[] {
  const shares = quantity.isPercent ? quantity.values.map((value) => divide(value, HUNDRED)) : [];
  return [...quantity.values, ...shares.filter((value) => value !== null)];
}

/** Words that name what was counted or measured. Single letters are left out: m and s are variables as well. */
const MEASURES = [
  "millimet(?:er|re)s?|centimet(?:er|re)s?|kilomet(?:er|re)s?|met(?:er|re)s?|miles?|yards?|foot|feet|inch(?:es)?",
  "mm|cm|km|ft|yd|mi|lbs?|kg|mg|ml|oz|mph|kph|hrs?|mins?|secs?",
  "seconds?|minutes?|hours?|days?|weeks?|months?|years?|degrees?|deg|radians?|rad",
  "pounds?|ounces?|grams?|kilograms?|tons?|tonnes?|lit(?:er|re)s?|gallons?|quarts?|pints?|cups?",
  "dollars?|cents?|euros?|usd|eur|bucks|rupees?|yen|yuan",
  "percent(?:age)?(?: points?)?|pct|units?|points?|ways?|integers?|solutions?|people|students?|times|sides?|edges?",
];
const POWER = "(?:\\s*\\^\\s*\\{?\\d\\}?)?";
const UNIT = `(?:(?:square|cubic|sq\\.?|cu\\.?)\\s*)?(?:${MEASURES.join("|")})${POWER}`;

/** Units right after a number or a closing bracket, with what they are per: "5 miles per hour". */
const AFTER_NUMBER = new RegExp(
  `(?<=(?:[\\d)}\\]]|\\\\pi)\\s{0,3})(?:\\s*(?:${UNIT})(?![a-z\\d]))(?:\\s*(?:per|/|an?)\\s*(?:${UNIT})(?![a-z\\d]))?`,
  "gi",
);

/** Takes the units off the numbers of an answer; what stood between two numbers leaves a mark, so that they stay two. */
export function withoutUnits(text: string): string {
  return /[a-z]{2}/i.test(text) ? text.replace(AFTER_NUMBER, GONE) : text;
}

/** Stands where words were taken out. */
export const GONE = "\ue000";

const DEGREE = /\s*\^\s*(?:\{\s*\\(?:circ|degree)\s*\}|\\(?:circ|degree)(?![a-zA-Z]))|\\degree(?![a-zA-Z])/g;

const ANGLE = "(?:\\d{1,9}(?:\\.\\d{1,9})?|[a-zA-Z]|\\\\(?:theta|alpha|beta|gamma|phi|varphi))";
const IN_DEGREES = new RegExp(`(${ANGLE})\\s*°`, "g");
/** A function, its power, and what it is taken of: a bracket, or one angle. Inverse functions give angles and take none. */
const FUNCTION_OF_ANGLE = new RegExp(
  `((?<![a-zA-Z])(?:sin|cos|tan|cot|sec|csc)\\s?(?:\\^\\s?\\{?\\d\\}?)?\\s?)(\\([^()]{1,100}\\)|\\{[^{}]{1,100}\\}|-?${ANGLE}\\s?°)`,
  "g",
);
/** With the scale of a temperature, which is a unit as well. */
const DEGREE_UNIT = /\s*°(?:\s*[CF](?![a-zA-Z]))?/g;

/**
 * Degrees are a unit, which an answer may leave out, but not in what a function is taken of: sin 30° is sin(30π/180),
 * and sin 30 is something else.
 */
export function withoutDegrees(text: string): string {
  const signed = text.includes("\\") ? text.replace(DEGREE, "°") : text;
  if (!signed.includes("°")) return signed;
  return signed
    .replace(FUNCTION_OF_ANGLE, (_, name: string, angle: string) => `${name}${inRadians(angle)}`)
    .replace(DEGREE_UNIT, "");
}

function inRadians(angle: string): string {
  const converted = angle.replace(IN_DEGREES, "\\frac{$1\\pi}{180}");
  return converted.startsWith("(") ? converted : `(${converted})`;
}
