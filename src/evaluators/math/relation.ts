import { isList, split } from "./shape.js";

export function isEquation(text: string): boolean {
  return split(text, "=").length === 2 && !isList(text);
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
  if (signs.length === 0 || signs.length > 4 || isList(text)) return null;
  const terms = text.split(SIGN);
  const fall = signs.filter((sign) => sign === ">" || sign === "\\ge").length;
  if (fall === 0) return { terms, signs };
  if (fall < signs.length) return null;
  return { terms: terms.reverse(), signs: signs.reverse().map((sign) => (sign === ">" ? "<" : "\\le")) };
}

const BRACKETS: Record<string, readonly [string, string]> = { "<": ["(", ")"], "\\le": ["[", "]"] };

/** The interval of the numbers that an inequality leaves to a variable: `[-2,7]` for `-2 \le x \le 7`; null for others. */
export function intervalOf({ terms, signs }: Inequality): string | null {
  const place = terms.findIndex(isVariable);
  const isPlain = place !== -1 && terms.length <= 3 && (terms.length === 2 || place === 1) && !signs.includes("\\ne");
  if (!isPlain) return null;
  const low = place === 0 ? "(-\\infty" : `${BRACKETS[signs[place - 1] ?? ""]?.[0] ?? ""}${terms[place - 1] ?? ""}`;
  const high =
    place === terms.length - 1 ? "\\infty)" : `${terms[place + 1] ?? ""}${BRACKETS[signs[place] ?? ""]?.[1] ?? ""}`;
  return `${low},${high}`;
}

/** The union of intervals that a list of inequalities for one variable stands for, `x<2,x>3`; null for other lists. */
export function unionOf(text: string): string | null {
  const inequalities = isList(text) ? split(text, ",").map(inequalityOf) : [];
  const intervals = inequalities.map((inequality) => (inequality === null ? null : intervalOf(inequality)));
  const variables = new Set(inequalities.map((inequality) => inequality?.terms.find(isVariable)));
  return intervals.length === 0 || intervals.includes(null) || variables.size !== 1 ? null : intervals.join("\\cup ");
}

function isVariable(term: string): boolean {
  return /^[a-zA-Z]$/.test(term);
}
