import { exactValue } from "./arithmetic.js";
import { sameNumber } from "./rational.js";
import { type Inequality, inequalityOf, intervalOf, isEquation, withoutName } from "./relation.js";
import { type Shape, shapeOf, withoutBrackets } from "./shape.js";

/** `open` is what only symbolic work can decide. */
export type Verdict = "same" | "different" | "open";

/** Compares two formulas that have no parts. */
export type CompareFormulas = (gold: string, given: string) => Verdict;

const MAX_DEPTH = 8;

/**
 * Compares two answers in canonical form part by part: intervals and tuples in order with their brackets, sets, lists
 * and unions in any order, matrices cell by cell, equations and inequalities by their sides.
 */
export function compareAnswers(gold: string, given: string, formulas: CompareFormulas, depth = 0): Verdict {
  if (sameText(gold, given)) return "same";
  if (gold === "" || given === "" || depth > MAX_DEPTH) return "different";
  const [wanted, found] = namedAlike(gold, given);
  if (sameText(wanted, found)) return "same";
  const compare: CompareFormulas = (a, b) => compareAnswers(a, b, formulas, depth + 1);
  const related = compareRelations(wanted, found, { compare, formulas });
  return related ?? compareShapes(wanted, found, { compare, formulas });
}

/** `y = 2x+3` is 2x+3, unless it is compared with an equation that is not solved. */
function namedAlike(gold: string, given: string): [string, string] {
  const [wanted, found] = [withoutName(gold), withoutName(given)];
  const areBothEquations = isEquation(gold) && isEquation(given);
  return areBothEquations && (isEquation(wanted) || isEquation(found)) ? [gold, given] : [wanted, found];
}

interface Comparers {
  readonly compare: CompareFormulas;
  readonly formulas: CompareFormulas;
}

function sameText(a: string, b: string): boolean {
  return a === b || (a.length === b.length && a.toLowerCase() === b.toLowerCase());
}

function compareRelations(gold: string, given: string, { compare, formulas }: Comparers): Verdict | null {
  const [wanted, found] = [inequalityOf(gold), inequalityOf(given)];
  if (wanted !== null && found !== null) {
    const hasSameSigns = wanted.signs.join() === found.signs.join();
    return hasSameSigns ? inOrder(wanted.terms, found.terms, compare) : "different";
  }
  if (wanted !== null) return compareInterval(wanted, given, compare);
  if (found !== null) return compareInterval(found, gold, compare);
  if (isEquation(gold)) return isEquation(given) ? formulas(gold, given) : "different";
  // "x + y = 24" answers what x + y is.
  if (isEquation(given))
    return exactValue(gold) === null ? "different" : compare(gold, given.slice(given.indexOf("=") + 1));
  return null;
}

function compareInterval(inequality: Inequality, other: string, compare: CompareFormulas): Verdict {
  const interval = intervalOf(inequality);
  return interval === null || !/^[([]/.test(other) ? "different" : compare(interval, other);
}

function compareShapes(gold: string, given: string, comparers: Comparers): Verdict {
  const [wanted, found] = [shapeOf(gold), shapeOf(given)];
  if (wanted.kind === "single" && found.kind === "single") {
    const [a, b] = [withoutBrackets(gold), withoutBrackets(given)];
    return sameText(a, b) ? "same" : comparers.formulas(a, b);
  }
  if (wanted.kind === "matrix" || found.kind === "matrix") return compareMatrices(wanted, found, comparers);
  if (wanted.kind === "single" || found.kind === "single") return "different";
  return compareParts(wanted, found, comparers.compare);
}

type Parts = Exclude<Shape, { kind: "single" } | { kind: "matrix" }>;

function compareParts(gold: Parts, given: Parts, compare: CompareFormulas): Verdict {
  if (gold.kind === "tuple" && given.kind === "tuple") {
    return gold.brackets === given.brackets ? inOrder(gold.parts, given.parts, compare) : "different";
  }
  // Commas without brackets may stand for either.
  if (gold.kind === "tuple" || given.kind === "tuple") {
    const isBare = gold.kind === "list" || given.kind === "list";
    return isBare ? inOrder(gold.parts, given.parts, compare) : "different";
  }
  const areAlike = gold.kind === given.kind || (gold.kind !== "union" && given.kind !== "union");
  return areAlike ? inAnyOrder(gold.parts, given.parts, compare) : "different";
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

/** Equal parts are paired off first; what is left is open only if each part may still find its like. */
function inAnyOrder(gold: readonly string[], given: readonly string[], compare: CompareFormulas): Verdict {
  const [wanted, found] = [distinct(gold), distinct(given)];
  if (wanted.length !== found.length) return "different";
  const left = [...found];
  const unpaired = wanted.filter((part) => {
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

function distinct(parts: readonly string[]): string[] {
  return [...new Set(parts)];
}

const MAX_FORMULA = 300;
const FUNCTIONS =
  /\\[a-zA-Z]+|(?<![a-zA-Z])(?:sin|cos|tan|cot|sec|csc|log|ln|exp|sqrt|max|min|arc(?:sin|cos|tan))(?![a-zA-Z])/g;

/** A number or a letter alone: two that are not the same text or number are not the same. */
const NAMED = /^(?:-?[\d.]+|[a-zA-Z])$/;
/** 204_5 is an answer in base 5, which 54 is not. */
const BASED = /^[\dA-F]+_\{?\d+\}?$/;

/** Decides without symbolic work: by exact numbers, and by telling words from formulas. */
export function compareCheaply(gold: string, given: string): Verdict {
  const [wanted, found] = [exactValue(gold), exactValue(given)];
  if (wanted !== null && found !== null) return sameNumber(wanted, found) ? "same" : "different";
  if (gold.length > MAX_FORMULA || given.length > MAX_FORMULA) return "different";
  if (NAMED.test(gold) && NAMED.test(given)) return "different";
  if (BASED.test(gold) || BASED.test(given)) return "different";
  return isFormula(gold) && isFormula(given) ? "open" : "different";
}

/** Words are no formulas, nor is what has marks that no formula has. */
function isFormula(text: string): boolean {
  const letters = text.replace(FUNCTIONS, "");
  return !/[a-zA-Z]{4,}|[^\x20-\x7e]|[?#@"':;&]/.test(letters) && /[\da-zA-Z\\]/.test(text);
}
