import { exactValue } from "./arithmetic.js";
import { isRounding } from "./rational.js";
import { isList, split } from "./shape.js";
import { unmarked } from "./worded.js";

const NAME =
  /^(?:[a-zA-Z](?:_\{?\w{1,3}\}?|')?(?:\^\{?-?1\}?)?(?:\([a-zA-Z\d,]{1,9}\))?|\([a-zA-Z](?:,[a-zA-Z]){1,5}\)|\\(?!log(?![a-zA-Z]))[a-zA-Z]{2,9}(?:_\{?\w{1,3}\}?| ?[A-Z]{1,4})?|\\frac\{d[a-z]\}\{d[a-z]\}|[A-Z]{2,4}|[a-zA-Z']{3,}|)$/;
const CONSTANT_COMMANDS = /\\(?:frac|sqrt|pi|(?:arc)?(?:sin|cos|tan|cot|sec|csc)|log|ln|binom)(?![a-zA-Z])|e(?=\^)/g;

const MAX_OTHERS = 4;

/** Whether a side of an equation is what the answer is called, `x` or `f(2)` or `\angle ABC`. */
export function isName(side: string): boolean {
  return NAME.test(unmarked(side).replace(/\ue000/g, ""));
}

/** Commands, words, and points such as AB. */
const NAMES = /[\\\ue002][a-zA-Z]+|[a-zA-Z]{3,}|[A-Z]{2}/g;
/** Roots, logarithms and absolute values of unknowns; but |z| and |AB| name a size. */
const UNSOLVED =
  /\\(?:sqrt|ln|log)(?:\[[^\]]*\]|_\w|_\{[^{}]*\})? ?(?:[a-df-z]|[{(][^{}()]*(?<![\\a-zA-Z])[a-df-z](?![a-zA-Z]))|\|[xyt]\|/;
/** Powers and products of unknowns. A letter before a bracket is a function, unless the bracket holds it again. */
const NONLINEAR =
  /[a-zA-Z)]\^|\^(?:\{[^{}]*)?[a-zA-Z]|[a-zA-Z]\*?[a-zA-Z]|[a-zA-Z]\*\(|\)\*?[a-zA-Z(]|([a-zA-Z])\([^()]*\1[^()]*\)/;

/** Whether a side of an equation has unknowns in it that are multiplied with one another, raised to a power or the like. */
export function isNonlinear(side: string): boolean {
  if (UNSOLVED.test(side)) return true;
  const unknowns = side.replace(CONSTANT_COMMANDS, " ").replace(NAMES, " ");
  return /[a-zA-Z]/.test(unknowns) && NONLINEAR.test(unknowns);
}

function isConstant(side: string): boolean {
  return !/[a-zA-Z\\]/.test(side.replace(CONSTANT_COMMANDS, ""));
}

/**
 * Everything in an equation or a chain of them that may be its answer, the likeliest first: `5` of `x = 5`, `[2,3)` of
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
