import { split } from "./shape.js";

const NAME =
  /^(?:[a-zA-Z](?:_\{?\w{1,3}\}?|')?(?:\^\{?-?1\}?)?(?:\([a-zA-Z\d,]{1,9}\))?|\([a-zA-Z](?:,[a-zA-Z]){1,5}\)|\\[a-zA-Z]{2,9}(?: ?[A-Z]{1,4})?|[A-Z]{2,4}|[a-zA-Z']{3,}|)$/;

/**
 * What is said of a name: `5` of `x = 5`, `[2,3)` of `x \in [2,3)`, `11` of `x = 5+6 = 11`. An equation between two
 * formulas stays as it is.
 */
export function withoutName(text: string): string {
  const [member = "", ...sets] = split(text, "\\in");
  if (sets.length === 1 && NAME.test(member)) return sets[0] ?? "";
  const sides = split(text, "=");
  const [left = ""] = sides;
  const isSolved = NAME.test(left.replace(/\ue000/g, "")) || !/[a-zA-Z]/.test(left);
  return sides.length > 1 && isSolved ? (sides.at(-1) ?? "") : text;
}

export function isEquation(text: string): boolean {
  return split(text, "=").length === 2;
}

/** A chain of inequalities, from small to large. */
export interface Inequality {
  readonly terms: readonly string[];
  readonly signs: readonly string[];
}

const SIGN = /\\le ?|\\ge ?|\\ne ?|<|>/g;

/** Null for what is no inequality, and for a chain whose signs point both ways. */
export function inequalityOf(text: string): Inequality | null {
  const signs = (text.match(SIGN) ?? []).map((sign) => sign.trim());
  if (signs.length === 0 || signs.length > 4) return null;
  const terms = text.split(SIGN);
  const fall = signs.filter((sign) => sign === ">" || sign === "\\ge").length;
  if (fall === 0) return { terms, signs };
  if (fall < signs.length) return null;
  return { terms: terms.reverse(), signs: signs.reverse().map((sign) => (sign === ">" ? "<" : "\\le")) };
}

const BRACKETS: Record<string, readonly [string, string]> = { "<": ["(", ")"], "\\le": ["[", "]"] };

/** The interval of the numbers that an inequality leaves to a variable: `[-2,7]` for `-2 \le x \le 7`; null for others. */
export function intervalOf({ terms, signs }: Inequality): string | null {
  const place = terms.findIndex((term) => /^[a-zA-Z]$/.test(term));
  const isPlain = place !== -1 && terms.length <= 3 && (terms.length === 2 || place === 1) && !signs.includes("\\ne");
  if (!isPlain) return null;
  const low = place === 0 ? "(-\\infty" : `${BRACKETS[signs[place - 1] ?? ""]?.[0] ?? ""}${terms[place - 1] ?? ""}`;
  const high =
    place === terms.length - 1 ? "\\infty)" : `${terms[place + 1] ?? ""}${BRACKETS[signs[place] ?? ""]?.[1] ?? ""}`;
  return `${low},${high}`;
}
