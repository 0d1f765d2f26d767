import { exactValue } from "./arithmetic.js";
import { isNonlinear, sidesOf } from "./chain.js";
import { namedValuesOf, pairedValues } from "./named-values.js";
import { type Inequality, inequalityOf, intervalOf, isEquation, unionOf } from "./relation.js";
import { type Shape, shapeOf, split, withoutBrackets } from "./shape.js";
import { unmarked } from "./worded.js";

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
  const verdicts = readings(gold, given).map(([wanted, found]) => {
    if (sameText(wanted, found)) return "same";
    const compare: CompareFormulas = (a, b) => compareAnswers(a, b, formulas, depth + 1);
    const related = compareRelations(wanted, found, { compare, formulas });
    return related ?? compareShapes(wanted, found, { compare, formulas });
  });
  return any(verdicts);
}

/** `y = 2x+3` is 2x+3, unless it is compared with an equation that is not solved, or solved for something else. */
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
    // "x + y = 24" answers what x + y is; "x^2 - 5x + 6 = 0" is yet to be solved.
    return exactValue(gold) === null || isNonlinear(left) ? "different" : compare(gold, right);
  }
  return null;
}

function compareInterval(inequality: Inequality, other: string, compare: CompareFormulas): Verdict {
  const interval = intervalOf(inequality);
  return interval === null || !/^[([]/.test(other) ? "different" : compare(interval, other);
}

/** "x < 2 or x > 3" beside a union of intervals; null when neither is the one and the other the other. */
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

/** `x=1,y=2` by its names, or in order beside a tuple. A gold list without names does not say which is which. */
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
  // Commas without brackets may stand for either.
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

/** Equal parts are paired off first; what is left is open only if each part may still find its like. */
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
