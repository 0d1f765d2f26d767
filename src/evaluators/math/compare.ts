import { computeExactValue, isRounding, isSameNumber } from "./arithmetic.js";
import { removeWordMarks } from "./canonical.js";

/** `open` means that only symbolic comparison can decide. */
export type MathVerdict = "same" | "different" | "open";

/** Compares two formulas that have no parts. */
export type FormulaComparer = (gold: string, given: string) => MathVerdict;

const MAX_DEPTH = 8;

/**
 * Compares two canonical answers part by part: intervals and tuples in order with their brackets, sets, lists
 * and unions in any order, matrices cell by cell, equations and inequalities by their sides.
 */
export function compareAnswers(gold: string, given: string, formulas: FormulaComparer, depth = 0): MathVerdict {
  if (isSameText(gold, given)) return "same";
  if (gold === "" || given === "" || depth > MAX_DEPTH) return "different";
  const verdicts = listReadings(gold, given).map(([wanted, found]) => {
    if (isSameText(wanted, found)) return "same";
    const compare: FormulaComparer = (a, b) => compareAnswers(a, b, formulas, depth + 1);
    const related = compareRelations(wanted, found, { compare, formulas });
    return related ?? compareShapes(wanted, found, { compare, formulas });
  });
  return combineAnyVerdicts(verdicts);
}

/** `y = 2x+3` is 2x+3, unless compared with an equation that is unsolved or solved for something else. */
function listReadings(gold: string, given: string): (readonly [string, string])[] {
  const [wanted, found] = [listSides(gold), listSides(given)];
  const pairs = wanted.flatMap((a) => found.map((b) => [a, b] as const));
  if (!(isEquation(gold) && isEquation(given))) return pairs;
  if ([...wanted, ...found].some(isEquation)) return [[gold, given]];
  const isSame =
    splitTopLevel(gold, "=")[0] === splitTopLevel(given, "=")[0] || [...wanted, ...found].every(isPlainNumber);
  return isSame ? pairs : [...pairs, [gold, given]];
}

function isPlainNumber(text: string): boolean {
  return computeExactValue(text) !== null;
}

interface AnswerComparers {
  readonly compare: FormulaComparer;
  readonly formulas: FormulaComparer;
}

function isSameText(a: string, b: string): boolean {
  return a === b || removeWordMarks(a).toLowerCase() === removeWordMarks(b).toLowerCase();
}

function compareRelations(gold: string, given: string, { compare, formulas }: AnswerComparers): MathVerdict | null {
  const [wanted, found] = [parseInequality(gold), parseInequality(given)];
  if (wanted !== null && found !== null) {
    const hasSameSigns = wanted.signs.join() === found.signs.join();
    return hasSameSigns ? compareInOrder(wanted.terms, found.terms, compare) : "different";
  }
  const union = compareUnion(gold, given, compare);
  if (union !== null) return union;
  if (wanted !== null) return compareWithInterval(wanted, given, compare);
  if (found !== null) return compareWithInterval(found, gold, compare);
  if (isEquation(gold)) return isEquation(given) ? formulas(gold, given) : "different";
  if (isEquation(given)) {
    const [left = "", right = ""] = splitTopLevel(given, "=");
    // "x + y = 24" answers what x + y is; "x^2 - 5x + 6 = 0" is unsolved.
    return computeExactValue(gold) === null || isNonlinear(left) ? "different" : compare(gold, right);
  }
  return null;
}

function compareWithInterval(inequality: Inequality, other: string, compare: FormulaComparer): MathVerdict {
  const interval = toInterval(inequality);
  return interval === null || !/^[([]/.test(other) ? "different" : compare(interval, other);
}

/** "x < 2 or x > 3" against a union of intervals; null for other pairs. */
function compareUnion(gold: string, given: string, compare: FormulaComparer): MathVerdict | null {
  const isUnion = (text: string): boolean => /^[([]/.test(text) && text.includes("\\cup");
  if (isUnion(gold) === isUnion(given)) return null;
  const [wanted, found] = isUnion(gold) ? [gold, toUnion(given)] : [toUnion(gold), given];
  return wanted === null || found === null ? null : compare(wanted, found);
}

function compareShapes(gold: string, given: string, comparers: AnswerComparers): MathVerdict {
  const named = compareNamedValues(gold, given, comparers.compare);
  if (named !== null) return named;
  const [wanted, found] = [parseShape(gold), parseShape(given)];
  if (wanted.kind === "single" && found.kind === "single") {
    const [a, b] = [stripBrackets(gold), stripBrackets(given)];
    return isSameText(a, b) ? "same" : comparers.formulas(a, b);
  }
  if (wanted.kind === "matrix" || found.kind === "matrix") return compareMatrices(wanted, found, comparers);
  if (wanted.kind === "single" || found.kind === "single") return "different";
  return compareParts(wanted, found, comparers.compare);
}

/** `x=1,y=2` by names, or in order against a tuple. A gold list without names does not say which is which. */
function compareNamedValues(gold: string, given: string, compare: FormulaComparer): MathVerdict | null {
  const [wanted, found] = [parseNamedValues(gold), parseNamedValues(given)];
  if (wanted !== null && found !== null)
    return compareInOrder(wanted.values, pairNamedValues(wanted, found) ?? [], compare);
  const named = wanted ?? found;
  const other = parseShape(wanted === null ? gold : given);
  const isOrdered = other.kind === "tuple" || (other.kind === "list" && wanted !== null);
  if (named === null || !isOrdered) return null;
  return wanted === null
    ? compareInOrder(other.parts, named.values, compare)
    : compareInOrder(named.values, other.parts, compare);
}

type MultiPartShape = Exclude<AnswerShape, { kind: "single" } | { kind: "matrix" }>;

function compareParts(gold: MultiPartShape, given: MultiPartShape, compare: FormulaComparer): MathVerdict {
  if (gold.kind === "tuple" && given.kind === "tuple") {
    return gold.brackets === given.brackets ? compareInOrder(gold.parts, given.parts, compare) : "different";
  }
  // Commas without brackets may mean either.
  if (gold.kind === "tuple" || given.kind === "tuple") {
    const isBare = gold.kind === "list" || given.kind === "list";
    return isBare ? compareInOrder(gold.parts, given.parts, compare) : "different";
  }
  const areAlike = gold.kind === given.kind || (gold.kind !== "union" && given.kind !== "union");
  return areAlike ? compareInAnyOrder(listElements(gold), listElements(given), compare) : "different";
}

/** A set has each element once, however often it is written. */
function listElements({ kind, parts }: MultiPartShape): readonly string[] {
  return kind === "list" ? parts : [...new Set(parts)];
}

function compareMatrices(gold: AnswerShape, given: AnswerShape, { compare }: AnswerComparers): MathVerdict {
  if (gold.kind !== "matrix" || given.kind !== "matrix" || gold.brackets !== given.brackets) return "different";
  const isSameSize = formatMatrixSize(gold.rows) === formatMatrixSize(given.rows);
  return isSameSize ? compareInOrder(gold.rows.flat(), given.rows.flat(), compare) : "different";
}

function formatMatrixSize(rows: readonly (readonly string[])[]): string {
  return rows.map(({ length }) => length).join();
}

function compareInOrder(gold: readonly string[], given: readonly string[], compare: FormulaComparer): MathVerdict {
  if (gold.length !== given.length) return "different";
  return combineAllVerdicts(gold.map((part, index) => compare(part, given[index] ?? "")));
}

function combineAllVerdicts(verdicts: readonly MathVerdict[]): MathVerdict {
  if (verdicts.includes("different")) return "different";
  return verdicts.includes("open") ? "open" : "same";
}

function combineAnyVerdicts(verdicts: readonly MathVerdict[]): MathVerdict {
  if (verdicts.includes("same")) return "same";
  return verdicts.includes("open") ? "open" : "different";
}

/** Equal parts are paired first; the rest is open only if each part may still have a match. */
function compareInAnyOrder(gold: readonly string[], given: readonly string[], compare: FormulaComparer): MathVerdict {
  if (gold.length !== given.length) return "different";
  const left = [...given];
  const unpaired = gold.filter((part) => {
    const at = left.findIndex((other) => compare(part, other) === "same");
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
  if (unpaired.length === 0) return "same";
  const mayPair = (part: string, other: string): boolean => compare(part, other) === "open";
  const isOpen =
    unpaired.every((part) => left.some((other) => mayPair(part, other))) &&
    left.every((other) => unpaired.some((part) => mayPair(part, other)));
  return isOpen ? "open" : "different";
}

type AnswerShape =
  | { readonly kind: "single" }
  | { readonly kind: "matrix"; readonly brackets: string; readonly rows: readonly (readonly string[])[] }
  | { readonly kind: "union" | "set" | "list"; readonly parts: readonly string[] }
  | { readonly kind: "tuple"; readonly brackets: string; readonly parts: readonly string[] };

/** Longer lists are compared as text: matching each element with each would take too long. */
const MAX_PARTS = 200;

function parseShape(text: string): AnswerShape {
  const matrix = parseMatrixShape(text);
  if (matrix !== null) return matrix;
  const union = splitTopLevel(text, "\\cup");
  if (union.length > 1) return { kind: "union", parts: union };
  if (isSet(text)) {
    const parts = splitTopLevel(text.slice(2, -2), ",");
    return parts.length === 1 && isSetElement(parts[0] ?? "") ? { kind: "single" } : { kind: "set", parts };
  }
  const parts = splitTopLevel(text, ",");
  if (parts.length > 1 && parts.length <= MAX_PARTS) return { kind: "list", parts: parts.flatMap(listBothSigns) };
  return parseTuple(text) ?? expandSigns(text);
}

function isSet(text: string): boolean {
  return text.startsWith("\\{") && isBracketPair(text, 2, text.length - 2);
}

/** A single solution; a condition, `x \mid x > 3`, describes many. */
function isSetElement(text: string): boolean {
  return text !== "" && !/[:|]|\\mid|\\in/.test(text);
}

function parseTuple(text: string): AnswerShape | null {
  if (!/^[([].*[)\]]$/s.test(text) || !isBracketPair(text, 1, text.length - 1)) return null;
  const parts = splitTopLevel(text.slice(1, -1), ",");
  if (parts.length < 2 || parts.length > MAX_PARTS) return null;
  return { kind: "tuple", brackets: `${text[0]}${text.at(-1)}`, parts };
}

/** `a \pm b` stands for two numbers. */
function expandSigns(text: string): AnswerShape {
  const parts = listBothSigns(text);
  return parts.length > 1 ? { kind: "list", parts } : { kind: "single" };
}

function listBothSigns(text: string): string[] {
  if (text.split("\\pm").length !== 2 || text.includes("\\mp")) return [text];
  return [text.replace(/\\pm ?/, "+").replace(/^\+/, ""), text.replace(/\\pm ?/, "-")];
}

const MATRIX =
  /^\(?\[?\\begin\{(?<kind>[pbvBV]?matrix|smallmatrix|array)\}(?:\{[lcr|]*\})?(?<body>[\s\S]*)\\end\{\k<kind>\}\]?\)?$/;

function parseMatrixShape(text: string): AnswerShape | null {
  if (!text.includes("\\begin")) return null;
  const { kind = "", body = "" } = MATRIX.exec(text)?.groups ?? {};
  if (kind === "" || body.includes("\\begin")) return null;
  const rows = body.split("\\\\").filter((row) => row !== "");
  return { kind: "matrix", brackets: /^[vV]/.test(kind) ? kind : "", rows: rows.map((row) => row.split("&")) };
}

const OPENING = new Set(["(", "[", "{"]);
const CLOSING = new Set([")", "]", "}"]);

/** Splits at separators outside of all brackets. */
export function splitTopLevel(text: string, separator: string): string[] {
  if (!text.includes(separator)) return [text];
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? "";
    if (OPENING.has(character)) depth += 1;
    else if (CLOSING.has(character)) depth -= 1;
    else if (depth === 0 && text.startsWith(separator, at)) {
      parts.push(text.slice(start, at));
      start = at + separator.length;
      at = start - 1;
    }
  }
  return [...parts, text.slice(start)].map((part) => part.trim());
}

/** Whether there is a comma outside of all brackets. */
export function isTopLevelList(text: string): boolean {
  return text.includes(",") && splitTopLevel(text, ",").length > 1;
}

/** Whether the bracket before `start` is closed at `end` and not earlier. */
function isBracketPair(text: string, start: number, end: number): boolean {
  let depth = 1;
  for (let at = start; at < end; at++) {
    const character = text[at] ?? "";
    if (OPENING.has(character)) depth += 1;
    else if (CLOSING.has(character) && --depth === 0) return false;
  }
  return depth === 1 && end > start;
}

/** Removes brackets around the whole text: (A) is A, [4] and \{4\} are 4, and (x+1) is x+1. */
export function stripBrackets(text: string): string {
  let inner = isSet(text) && isSetElement(text) ? text.slice(2, -2) : text;
  while (/^(?:[({].*[)}]|\[.*\])$/s.test(inner) && isBracketPair(inner, 1, inner.length - 1))
    inner = inner.slice(1, -1);
  return inner;
}

export function isEquation(text: string): boolean {
  return splitTopLevel(text, "=").length === 2 && !isTopLevelList(text);
}

/** A chain of inequalities, from small to large. */
interface Inequality {
  readonly terms: readonly string[];
  readonly signs: readonly string[];
}

const SIGN = /\\le ?|\\ge ?|\\ne ?|<|>/g;

/** Null for other texts, and for a chain whose signs point both ways. */
function parseInequality(text: string): Inequality | null {
  const signs = (text.match(SIGN) ?? []).map((sign) => sign.trim());
  if (signs.length === 0 || signs.length > 4 || isTopLevelList(text)) return null;
  const terms = text.split(SIGN);
  const fall = signs.filter((sign) => sign === ">" || sign === "\\ge").length;
  if (fall === 0) return { terms, signs };
  if (fall < signs.length) return null;
  return { terms: terms.reverse(), signs: signs.reverse().map((sign) => (sign === ">" ? "<" : "\\le")) };
}

const BRACKETS: Record<string, readonly [string, string]> = { "<": ["(", ")"], "\\le": ["[", "]"] };

/** The interval that an inequality describes: `[-2,7]` for `-2 \le x \le 7`; null if it is not about a variable. */
function toInterval({ terms, signs }: Inequality): string | null {
  const place = terms.findIndex(isVariableTerm);
  const isPlain = place !== -1 && terms.length <= 3 && (terms.length === 2 || place === 1) && !signs.includes("\\ne");
  if (!isPlain) return null;
  const low = place === 0 ? "(-\\infty" : `${BRACKETS[signs[place - 1] ?? ""]?.[0] ?? ""}${terms[place - 1] ?? ""}`;
  const high =
    place === terms.length - 1 ? "\\infty)" : `${terms[place + 1] ?? ""}${BRACKETS[signs[place] ?? ""]?.[1] ?? ""}`;
  return `${low},${high}`;
}

/** The union of intervals for inequalities of one variable, `x<2,x>3`; null for other lists. */
function toUnion(text: string): string | null {
  const inequalities = isTopLevelList(text) ? splitTopLevel(text, ",").map(parseInequality) : [];
  const intervals = inequalities.map((inequality) => (inequality === null ? null : toInterval(inequality)));
  const variables = new Set(inequalities.map((inequality) => inequality?.terms.find(isVariableTerm)));
  return intervals.length === 0 || intervals.includes(null) || variables.size !== 1 ? null : intervals.join("\\cup ");
}

function isVariableTerm(term: string): boolean {
  return /^[a-zA-Z]$/.test(term);
}

const NAME =
  /^(?:[a-zA-Z](?:_\{?\w{1,3}\}?|')?(?:\^\{?-?1\}?)?(?:\([a-zA-Z\d,]{1,9}\))?|\([a-zA-Z](?:,[a-zA-Z]){1,5}\)|\\(?!log(?![a-zA-Z]))[a-zA-Z]{2,9}(?:_\{?\w{1,3}\}?| ?[A-Z]{1,4})?|\\frac\{d[a-z]\}\{d[a-z]\}|[A-Z]{2,4}|[a-zA-Z']{3,}|)$/;
const CONSTANT_COMMANDS = /\\(?:frac|sqrt|pi|(?:arc)?(?:sin|cos|tan|cot|sec|csc)|log|ln|binom)(?![a-zA-Z])|e(?=\^)/g;

const MAX_OTHER_NAMES = 4;

/** Whether a side of an equation only names the answer: `x`, `f(2)`, `\angle ABC`. */
export function isAnswerName(side: string): boolean {
  return NAME.test(removeWordMarks(side).replace(/\ue000/g, ""));
}

/** Commands, words, and points such as AB. */
const NAMES = /[\\\ue002][a-zA-Z]+|[a-zA-Z]{3,}|[A-Z]{2}/g;
/** Roots, logarithms and absolute values of unknowns; but |z| and |AB| name a size. */
const UNSOLVED =
  /\\(?:sqrt|ln|log)(?:\[[^\]]*\]|_\w|_\{[^{}]*\})? ?(?:[a-df-z]|[{(][^{}()]*(?<![\\a-zA-Z])[a-df-z](?![a-zA-Z]))|\|[xyt]\|/;
/** Powers and products of unknowns. A letter before a bracket is a function, unless the bracket contains it again. */
const NONLINEAR =
  /[a-zA-Z)]\^|\^(?:\{[^{}]*)?[a-zA-Z]|[a-zA-Z]\*?[a-zA-Z]|[a-zA-Z]\*\(|\)\*?[a-zA-Z(]|([a-zA-Z])\([^()]*\1[^()]*\)/;

/** Whether a side of an equation multiplies unknowns, raises them to a power or similar. */
export function isNonlinear(side: string): boolean {
  if (UNSOLVED.test(side)) return true;
  const unknowns = side.replace(CONSTANT_COMMANDS, " ").replace(NAMES, " ");
  return /[a-zA-Z]/.test(unknowns) && NONLINEAR.test(unknowns);
}

function isConstantSide(side: string): boolean {
  return !/[a-zA-Z\\]/.test(side.replace(CONSTANT_COMMANDS, ""));
}

/**
 * Lists everything in an equation or a chain that may be its answer, likeliest first: `5` of `x = 5`, `[2,3)` of
 * `x \in [2,3)`, `11` of `x = 5+6 = 11`. An equation between two formulas stays as it is, and so does a list, whose
 * elements may each have a name.
 */
export function listSides(text: string): string[] {
  if (isTopLevelList(text)) return [text];
  const [member = "", ...sets] = splitTopLevel(text, "\\in");
  if (sets.length === 1 && isAnswerName(member)) return [sets[0] ?? ""];
  const chain = splitTopLevel(text, "≈").map((part) => splitTopLevel(part, "="));
  const sides = chain.flat();
  const [left = ""] = sides;
  if (sides.length === 1) return [text];
  const last = sides.at(-1) ?? "";
  const isSolved = isAnswerName(left) || (isConstantSide(left) && (isConstantSide(last) || isAnswerName(last)));
  return isSolved ? listSolvedSides(chain, sides) : [text.replace(/≈/g, "=")];
}

/** The last side, and those that it only approximates. In `1 = x` the name comes last. */
function listSolvedSides(chain: readonly (readonly string[])[], sides: readonly string[]): string[] {
  const last = sides.at(-1) ?? "";
  if (isAnswerName(last) && !isConstantSide(last) && sides.length === 2 && !isAnswerName(sides[0] ?? ""))
    return sides.slice(0, 1);
  const exact = sides.slice(0, -1).filter((side) => isRoundedSide(last, side));
  const approximated = chain.slice(0, -1).map((part) => part.at(-1) ?? "");
  const others = [...new Set([...approximated, ...exact])].slice(-MAX_OTHER_NAMES);
  return [last, ...others.filter((side) => isConstantSide(side) || !isAnswerName(side))];
}

function isRoundedSide(decimal: string, side: string): boolean {
  const [rounded, exact] = [computeExactValue(decimal), computeExactValue(side)];
  return rounded !== null && exact !== null && isRounding(rounded, exact);
}

const MAX_FORMULA = 300;
const FUNCTIONS =
  /\\[a-zA-Z]+|(?<![a-zA-Z])(?:sin|cos|tan|cot|sec|csc|log|ln|exp|sqrt|max|min|arc(?:sin|cos|tan))(?![a-zA-Z])/g;

/** Two different single numbers or letters are never equal. */
const CHEAP_NAMES = /^(?:-?[\d.]+|[a-zA-Z])$/;
/** Points, matrices or initials: their order matters. */
const CAPITALS = /^[A-Z]{2,3}$/;
/** 204_5 is an answer in base 5, which 54 is not. */
const BASED_NUMBER = /^[\dA-F]+_\{?\d+\}?$/;
/** Transposed and inverted matrices: their products depend on order, which sampling with numbers would not show. */
const MATRICES =
  /(?:[A-Z]|\([A-Z]+\))\^(?:T|\{T\})(?![a-z])|\^\{?\\(?:top|intercal)|[A-Z]\^\{-1\}[A-Z]|[A-Z]{2}\^\{-1\}/;

/** Decides without symbolic work: by exact numbers, and by separating words from formulas. */
export function compareCheaply(gold: string, given: string): MathVerdict {
  const [wanted, found] = [computeExactValue(gold), computeExactValue(given)];
  if (wanted !== null && found !== null) return isSameNumber(wanted, found) ? "same" : "different";
  if (gold.length > MAX_FORMULA || given.length > MAX_FORMULA) return "different";
  const areBoth = (pattern: RegExp): boolean => pattern.test(gold) && pattern.test(given);
  if (areBoth(CHEAP_NAMES) || areBoth(CAPITALS)) return "different";
  if (BASED_NUMBER.test(gold) || BASED_NUMBER.test(given)) return "different";
  return isFormulaText(gold) && isFormulaText(given) ? "open" : "different";
}

/** The short words that are often answers; other runs of letters are products of variables. */
const SHORT_WORDS = /^(?:yes|no|odd|red|one|two|six|ten|all)$/i;

/** Words, and texts with other characters, are not formulas. */
function isFormulaText(text: string): boolean {
  const letters = text.replace(FUNCTIONS, "");
  const hasWords = SHORT_WORDS.test(text) || /[a-zA-Z]{4,}|[^\x20-\x7e]|[?#@"':;&]/.test(letters);
  return !hasWords && /[\da-zA-Z\\]/.test(text) && !MATRICES.test(text);
}

/** Values of different names; sorted by name if the names are letters. */
interface NamedValues {
  readonly names: readonly string[];
  readonly values: readonly string[];
}

/** Parses `x=1,y=2` or `x,y=1,2`; null for other lists. In `x=1,x=2` and `x_1=1,x_2=2` the names distinguish nothing. */
function parseNamedValues(text: string): NamedValues | null {
  if (!text.includes("=") || !isTopLevelList(text)) return null;
  const pairs = listNamedValues(text);
  const areNamed = pairs.every(({ name, value }) => name !== "" && isAnswerName(name) && value !== "");
  if (!areNamed || new Set(pairs.map(({ name }) => stripIndex(name))).size < pairs.length) return null;
  if (pairs.every(({ name }) => name.length === 1)) pairs.sort((a, b) => (a.name < b.name ? -1 : 1));
  return { names: pairs.map(({ name }) => name), values: pairs.map(({ value }) => value) };
}

interface NamedValue {
  readonly name: string;
  readonly value: string;
}

function listNamedValues(text: string): NamedValue[] {
  const [names = "", values = "", ...more] = splitTopLevel(text, "=");
  const [left, right] = [splitTopLevel(names, ","), splitTopLevel(values, ",")];
  if (more.length === 0 && left.length === right.length) {
    return left.map((name, at) => ({ name, value: right[at] ?? "" }));
  }
  return splitTopLevel(text, ",").map((part) => {
    const sides = splitTopLevel(part, "=");
    return { name: sides.length > 1 ? (sides[0] ?? "") : "", value: sides.at(-1) ?? "" };
  });
}

function stripIndex(name: string): string {
  return name.replace(/_\{?\w{1,3}\}?|'/, "");
}

/** The values of the second answer in the order of the first: by name if the names are equal, else in order; null if the counts differ. */
function pairNamedValues(gold: NamedValues, given: NamedValues): readonly string[] | null {
  if (gold.names.length !== given.names.length) return null;
  const byName = gold.names.map((name) => given.values[given.names.indexOf(name)]);
  const named = byName.filter((value) => value !== undefined);
  return named.length === gold.names.length ? named : given.values;
}
