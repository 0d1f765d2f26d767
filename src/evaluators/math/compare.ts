import { exactValue, isRounding, sameNumber } from "./arithmetic.js";
import { unmarked } from "./canonical.js";

/** `open` means that only symbolic comparison can decide. */
export type Verdict = "same" | "different" | "open";

/** Compares two formulas that have no parts. */
export type CompareFormulas = (gold: string, given: string) => Verdict;

const MAX_DEPTH = 8;

/**
 * Compares two canonical answers part by part: intervals and tuples in order with their brackets, sets, lists
 * and unions in any order, matrices cell by cell, equations and inequalities by their sides.
 */
export function compareAnswers(gold: string, given: string, formulas: CompareFormulas, depth = 0): Verdict {
  if (sameText(gold, given)) return "same";
  if (gold === "" || given === "" || depth > MAX_DEPTH) return "different";
  const verdicts = readings(gold, given).map(([wanted, found]) => {
    if (sameText(wanted, found)) return "same";
    const compare: CompareFormulas = (a, b) => compareAnswers(a, b, formulas, depth + 1);
    const related = compareRelations(wanted, found, { compare, formulas });
    return related ?? compareShapes(wanted, found, { compare, formulas });
  });
  return any(verdicts);
}

/** `y = 2x+3` is 2x+3, unless compared with an equation that is unsolved or solved for something else. */
function readings(gold: string, given: string): (readonly [string, string])[] {
  const [wanted, found] = [sidesOf(gold), sidesOf(given)];
  const pairs = wanted.flatMap((a) => found.map((b) => [a, b] as const));
  if (!(isEquation(gold) && isEquation(given))) return pairs;
  if ([...wanted, ...found].some(isEquation)) return [[gold, given]];
  const isSame = split(gold, "=")[0] === split(given, "=")[0] || [...wanted, ...found].every(isNumber);
  return isSame ? pairs : [...pairs, [gold, given]];
}

function isNumber(text: string): boolean {
  return exactValue(text) !== null;
}

interface Comparers {
  readonly compare: CompareFormulas;
  readonly formulas: CompareFormulas;
}

function sameText(a: string, b: string): boolean {
  return a === b || unmarked(a).toLowerCase() === unmarked(b).toLowerCase();
}

function compareRelations(gold: string, given: string, { compare, formulas }: Comparers): Verdict | null {
  const [wanted, found] = [inequalityOf(gold), inequalityOf(given)];
  if (wanted !== null && found !== null) {
    const hasSameSigns = wanted.signs.join() === found.signs.join();
    return hasSameSigns ? inOrder(wanted.terms, found.terms, compare) : "different";
  }
  const union = compareUnion(gold, given, compare);
  if (union !== null) return union;
  if (wanted !== null) return compareInterval(wanted, given, compare);
  if (found !== null) return compareInterval(found, gold, compare);
  if (isEquation(gold)) return isEquation(given) ? formulas(gold, given) : "different";
  if (isEquation(given)) {
    const [left = "", right = ""] = split(given, "=");
    // "x + y = 24" answers what x + y is; "x^2 - 5x + 6 = 0" is unsolved.
    return exactValue(gold) === null || isNonlinear(left) ? "different" : compare(gold, right);
  }
  return null;
}

function compareInterval(inequality: Inequality, other: string, compare: CompareFormulas): Verdict {
  const interval = intervalOf(inequality);
  return interval === null || !/^[([]/.test(other) ? "different" : compare(interval, other);
}

/** "x < 2 or x > 3" against a union of intervals; null for other pairs. */
function compareUnion(gold: string, given: string, compare: CompareFormulas): Verdict | null {
  const isUnion = (text: string): boolean => /^[([]/.test(text) && text.includes("\\cup");
  if (isUnion(gold) === isUnion(given)) return null;
  const [wanted, found] = isUnion(gold) ? [gold, unionOf(given)] : [unionOf(gold), given];
  return wanted === null || found === null ? null : compare(wanted, found);
}

function compareShapes(gold: string, given: string, comparers: Comparers): Verdict {
  const named = compareNamed(gold, given, comparers.compare);
  if (named !== null) return named;
  const [wanted, found] = [shapeOf(gold), shapeOf(given)];
  if (wanted.kind === "single" && found.kind === "single") {
    const [a, b] = [withoutBrackets(gold), withoutBrackets(given)];
    return sameText(a, b) ? "same" : comparers.formulas(a, b);
  }
  if (wanted.kind === "matrix" || found.kind === "matrix") return compareMatrices(wanted, found, comparers);
  if (wanted.kind === "single" || found.kind === "single") return "different";
  return compareParts(wanted, found, comparers.compare);
}

/** `x=1,y=2` by names, or in order against a tuple. A gold list without names does not say which is which. */
function compareNamed(gold: string, given: string, compare: CompareFormulas): Verdict | null {
  const [wanted, found] = [namedValuesOf(gold), namedValuesOf(given)];
  if (wanted !== null && found !== null) return inOrder(wanted.values, pairedValues(wanted, found) ?? [], compare);
  const named = wanted ?? found;
  const other = shapeOf(wanted === null ? gold : given);
  const isOrdered = other.kind === "tuple" || (other.kind === "list" && wanted !== null);
  if (named === null || !isOrdered) return null;
  return wanted === null ? inOrder(other.parts, named.values, compare) : inOrder(named.values, other.parts, compare);
}

type Parts = Exclude<Shape, { kind: "single" } | { kind: "matrix" }>;

function compareParts(gold: Parts, given: Parts, compare: CompareFormulas): Verdict {
  if (gold.kind === "tuple" && given.kind === "tuple") {
    return gold.brackets === given.brackets ? inOrder(gold.parts, given.parts, compare) : "different";
  }
  // Commas without brackets may mean either.
  if (gold.kind === "tuple" || given.kind === "tuple") {
    const isBare = gold.kind === "list" || given.kind === "list";
    return isBare ? inOrder(gold.parts, given.parts, compare) : "different";
  }
  const areAlike = gold.kind === given.kind || (gold.kind !== "union" && given.kind !== "union");
  return areAlike ? inAnyOrder(elementsOf(gold), elementsOf(given), compare) : "different";
}

/** A set has each element once, however often it is written. */
function elementsOf({ kind, parts }: Parts): readonly string[] {
  return kind === "list" ? parts : [...new Set(parts)];
}

function compareMatrices(gold: Shape, given: Shape, { compare }: Comparers): Verdict {
  if (gold.kind !== "matrix" || given.kind !== "matrix" || gold.brackets !== given.brackets) return "different";
  const isSameSize = sizeOf(gold.rows) === sizeOf(given.rows);
  return isSameSize ? inOrder(gold.rows.flat(), given.rows.flat(), compare) : "different";
}

function sizeOf(rows: readonly (readonly string[])[]): string {
  return rows.map(({ length }) => length).join();
}

function inOrder(gold: readonly string[], given: readonly string[], compare: CompareFormulas): Verdict {
  if (gold.length !== given.length) return "different";
  return all(gold.map((part, index) => compare(part, given[index] ?? "")));
}

function all(verdicts: readonly Verdict[]): Verdict {
  if (verdicts.includes("different")) return "different";
  return verdicts.includes("open") ? "open" : "same";
}

function any(verdicts: readonly Verdict[]): Verdict {
  if (verdicts.includes("same")) return "same";
  return verdicts.includes("open") ? "open" : "different";
}

/** Equal parts are paired first; the rest is open only if each part may still have a match. */
function inAnyOrder(gold: readonly string[], given: readonly string[], compare: CompareFormulas): Verdict {
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

type Shape =
  | { readonly kind: "single" }
  | { readonly kind: "matrix"; readonly brackets: string; readonly rows: readonly (readonly string[])[] }
  | { readonly kind: "union" | "set" | "list"; readonly parts: readonly string[] }
  | { readonly kind: "tuple"; readonly brackets: string; readonly parts: readonly string[] };

/** Longer lists are compared as text: matching each element with each would take too long. */
const MAX_PARTS = 200;

function shapeOf(text: string): Shape {
  const matrix = matrixOf(text);
  if (matrix !== null) return matrix;
  const union = split(text, "\\cup");
  if (union.length > 1) return { kind: "union", parts: union };
  if (isSet(text)) {
    const parts = split(text.slice(2, -2), ",");
    return parts.length === 1 && isElement(parts[0] ?? "") ? { kind: "single" } : { kind: "set", parts };
  }
  const parts = split(text, ",");
  if (parts.length > 1 && parts.length <= MAX_PARTS) return { kind: "list", parts: parts.flatMap(bothSigns) };
  return tupleOf(text) ?? signed(text);
}

function isSet(text: string): boolean {
  return text.startsWith("\\{") && closes(text, 2, text.length - 2);
}

/** A single solution; a condition, `x \mid x > 3`, describes many. */
function isElement(text: string): boolean {
  return text !== "" && !/[:|]|\\mid|\\in/.test(text);
}

function tupleOf(text: string): Shape | null {
  if (!/^[([].*[)\]]$/s.test(text) || !closes(text, 1, text.length - 1)) return null;
  const parts = split(text.slice(1, -1), ",");
  if (parts.length < 2 || parts.length > MAX_PARTS) return null;
  return { kind: "tuple", brackets: `${text[0]}${text.at(-1)}`, parts };
}

/** `a \pm b` stands for two numbers. */
function signed(text: string): Shape {
  const parts = bothSigns(text);
  return parts.length > 1 ? { kind: "list", parts } : { kind: "single" };
}

function bothSigns(text: string): string[] {
  if (text.split("\\pm").length !== 2 || text.includes("\\mp")) return [text];
  return [text.replace(/\\pm ?/, "+").replace(/^\+/, ""), text.replace(/\\pm ?/, "-")];
}

const MATRIX =
  /^\(?\[?\\begin\{(?<kind>[pbvBV]?matrix|smallmatrix|array)\}(?:\{[lcr|]*\})?(?<body>[\s\S]*)\\end\{\k<kind>\}\]?\)?$/;

function matrixOf(text: string): Shape | null {
  if (!text.includes("\\begin")) return null;
  const { kind = "", body = "" } = MATRIX.exec(text)?.groups ?? {};
  if (kind === "" || body.includes("\\begin")) return null;
  const rows = body.split("\\\\").filter((row) => row !== "");
  return { kind: "matrix", brackets: /^[vV]/.test(kind) ? kind : "", rows: rows.map((row) => row.split("&")) };
}

const OPENING = new Set(["(", "[", "{"]);
const CLOSING = new Set([")", "]", "}"]);

/** Splits at separators outside of all brackets. */
export function split(text: string, separator: string): string[] {
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
export function isList(text: string): boolean {
  return text.includes(",") && split(text, ",").length > 1;
}

/** Whether the bracket before `start` is closed at `end` and not earlier. */
function closes(text: string, start: number, end: number): boolean {
  let depth = 1;
  for (let at = start; at < end; at++) {
    const character = text[at] ?? "";
    if (OPENING.has(character)) depth += 1;
    else if (CLOSING.has(character) && --depth === 0) return false;
  }
  return depth === 1 && end > start;
}

/** Removes brackets around the whole text: (A) is A, [4] and \{4\} are 4, and (x+1) is x+1. */
export function withoutBrackets(text: string): string {
  let inner = isSet(text) && isElement(text) ? text.slice(2, -2) : text;
  while (/^(?:[({].*[)}]|\[.*\])$/s.test(inner) && closes(inner, 1, inner.length - 1)) inner = inner.slice(1, -1);
  return inner;
}

export function isEquation(text: string): boolean {
  return split(text, "=").length === 2 && !isList(text);
}

/** A chain of inequalities, from small to large. */
interface Inequality {
  readonly terms: readonly string[];
  readonly signs: readonly string[];
}

const SIGN = /\\le ?|\\ge ?|\\ne ?|<|>/g;

/** Null for other texts, and for a chain whose signs point both ways. */
function inequalityOf(text: string): Inequality | null {
  const signs = (text.match(SIGN) ?? []).map((sign) => sign.trim());
  if (signs.length === 0 || signs.length > 4 || isList(text)) return null;
  const terms = text.split(SIGN);
  const fall = signs.filter((sign) => sign === ">" || sign === "\\ge").length;
  if (fall === 0) return { terms, signs };
  if (fall < signs.length) return null;
  return { terms: terms.reverse(), signs: signs.reverse().map((sign) => (sign === ">" ? "<" : "\\le")) };
}

const BRACKETS: Record<string, readonly [string, string]> = { "<": ["(", ")"], "\\le": ["[", "]"] };

/** The interval that an inequality describes: `[-2,7]` for `-2 \le x \le 7`; null if it is not about a variable. */
function intervalOf({ terms, signs }: Inequality): string | null {
  const place = terms.findIndex(isVariable);
  const isPlain = place !== -1 && terms.length <= 3 && (terms.length === 2 || place === 1) && !signs.includes("\\ne");
  if (!isPlain) return null;
  const low = place === 0 ? "(-\\infty" : `${BRACKETS[signs[place - 1] ?? ""]?.[0] ?? ""}${terms[place - 1] ?? ""}`;
  const high =
    place === terms.length - 1 ? "\\infty)" : `${terms[place + 1] ?? ""}${BRACKETS[signs[place] ?? ""]?.[1] ?? ""}`;
  return `${low},${high}`;
}

/** The union of intervals for inequalities of one variable, `x<2,x>3`; null for other lists. */
function unionOf(text: string): string | null {
  const inequalities = isList(text) ? split(text, ",").map(inequalityOf) : [];
  const intervals = inequalities.map((inequality) => (inequality === null ? null : intervalOf(inequality)));
  const variables = new Set(inequalities.map((inequality) => inequality?.terms.find(isVariable)));
  return intervals.length === 0 || intervals.includes(null) || variables.size !== 1 ? null : intervals.join("\\cup ");
}

function isVariable(term: string): boolean {
  return /^[a-zA-Z]$/.test(term);
}

const NAME =
  /^(?:[a-zA-Z](?:_\{?\w{1,3}\}?|')?(?:\^\{?-?1\}?)?(?:\([a-zA-Z\d,]{1,9}\))?|\([a-zA-Z](?:,[a-zA-Z]){1,5}\)|\\(?!log(?![a-zA-Z]))[a-zA-Z]{2,9}(?:_\{?\w{1,3}\}?| ?[A-Z]{1,4})?|\\frac\{d[a-z]\}\{d[a-z]\}|[A-Z]{2,4}|[a-zA-Z']{3,}|)$/;
const CONSTANT_COMMANDS = /\\(?:frac|sqrt|pi|(?:arc)?(?:sin|cos|tan|cot|sec|csc)|log|ln|binom)(?![a-zA-Z])|e(?=\^)/g;

const MAX_OTHERS = 4;

/** Whether a side of an equation only names the answer: `x`, `f(2)`, `\angle ABC`. */
export function isName(side: string): boolean {
  return NAME.test(unmarked(side).replace(/\ue000/g, ""));
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

function isConstant(side: string): boolean {
  return !/[a-zA-Z\\]/.test(side.replace(CONSTANT_COMMANDS, ""));
}

/**
 * Lists everything in an equation or a chain that may be its answer, likeliest first: `5` of `x = 5`, `[2,3)` of
 * `x \in [2,3)`, `11` of `x = 5+6 = 11`. An equation between two formulas stays as it is, and so does a list, whose
 * elements may each have a name.
 */
export function sidesOf(text: string): string[] {
  if (isList(text)) return [text];
  const [member = "", ...sets] = split(text, "\\in");
  if (sets.length === 1 && isName(member)) return [sets[0] ?? ""];
  const chain = split(text, "≈").map((part) => split(part, "="));
  const sides = chain.flat();
  const [left = ""] = sides;
  if (sides.length === 1) return [text];
  const last = sides.at(-1) ?? "";
  const isSolved = isName(left) || (isConstant(left) && (isConstant(last) || isName(last)));
  return isSolved ? solved(chain, sides) : [text.replace(/≈/g, "=")];
}

/** The last side, and those that it only approximates. In `1 = x` the name comes last. */
function solved(chain: readonly (readonly string[])[], sides: readonly string[]): string[] {
  const last = sides.at(-1) ?? "";
  if (isName(last) && !isConstant(last) && sides.length === 2 && !isName(sides[0] ?? "")) return sides.slice(0, 1);
  const exact = sides.slice(0, -1).filter((side) => rounds(last, side));
  const approximated = chain.slice(0, -1).map((part) => part.at(-1) ?? "");
  const others = [...new Set([...approximated, ...exact])].slice(-MAX_OTHERS);
  return [last, ...others.filter((side) => isConstant(side) || !isName(side))];
}

function rounds(decimal: string, side: string): boolean {
  const [rounded, exact] = [exactValue(decimal), exactValue(side)];
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
const BASED = /^[\dA-F]+_\{?\d+\}?$/;
/** Transposed and inverted matrices: their products depend on order, which sampling with numbers would not show. */
const MATRICES =
  /(?:[A-Z]|\([A-Z]+\))\^(?:T|\{T\})(?![a-z])|\^\{?\\(?:top|intercal)|[A-Z]\^\{-1\}[A-Z]|[A-Z]{2}\^\{-1\}/;

/** Decides without symbolic work: by exact numbers, and by separating words from formulas. */
export function compareCheaply(gold: string, given: string): Verdict {
  const [wanted, found] = [exactValue(gold), exactValue(given)];
  if (wanted !== null && found !== null) return sameNumber(wanted, found) ? "same" : "different";
  if (gold.length > MAX_FORMULA || given.length > MAX_FORMULA) return "different";
  const areBoth = (pattern: RegExp): boolean => pattern.test(gold) && pattern.test(given);
  if (areBoth(CHEAP_NAMES) || areBoth(CAPITALS)) return "different";
  if (BASED.test(gold) || BASED.test(given)) return "different";
  return isFormula(gold) && isFormula(given) ? "open" : "different";
}

/** The short words that are often answers; other runs of letters are products of variables. */
const SHORT_WORDS = /^(?:yes|no|odd|red|one|two|six|ten|all)$/i;

/** Words, and texts with other characters, are not formulas. */
function isFormula(text: string): boolean {
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
function namedValuesOf(text: string): NamedValues | null {
  if (!text.includes("=") || !isList(text)) return null;
  const pairs = pairsOf(text);
  const areNamed = pairs.every(({ name, value }) => name !== "" && isName(name) && value !== "");
  if (!areNamed || new Set(pairs.map(({ name }) => withoutIndex(name))).size < pairs.length) return null;
  if (pairs.every(({ name }) => name.length === 1)) pairs.sort((a, b) => (a.name < b.name ? -1 : 1));
  return { names: pairs.map(({ name }) => name), values: pairs.map(({ value }) => value) };
}

interface Pair {
  readonly name: string;
  readonly value: string;
}

function pairsOf(text: string): Pair[] {
  const [names = "", values = "", ...more] = split(text, "=");
  const [left, right] = [split(names, ","), split(values, ",")];
  if (more.length === 0 && left.length === right.length) {
    return left.map((name, at) => ({ name, value: right[at] ?? "" }));
  }
  return split(text, ",").map((part) => {
    const sides = split(part, "=");
    return { name: sides.length > 1 ? (sides[0] ?? "") : "", value: sides.at(-1) ?? "" };
  });
}

function withoutIndex(name: string): string {
  return name.replace(/_\{?\w{1,3}\}?|'/, "");
}

/** The values of the second answer in the order of the first: by name if the names are equal, else in order; null if the counts differ. */
function pairedValues(gold: NamedValues, given: NamedValues): readonly string[] | null {
  if (gold.names.length !== given.names.length) return null;
  const byName = gold.names.map((name) => given.values[given.names.indexOf(name)]);
  const named = byName.filter((value) => value !== undefined);
  return named.length === gold.names.length ? named : given.values;
}
