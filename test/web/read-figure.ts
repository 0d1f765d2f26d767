/** A figure as a page shows it: its value in the unit of the JSON report, and how far rounding may have moved it. */
export interface ShownFigure {
  readonly value: number;
  readonly rounding: number;
}

/** What each unit is worth in dollars, seconds or shares. */
const UNITS: Readonly<Record<string, number>> = {
  "": 1,
  $: 1,
  "$ per 1,000": 1 / 1000,
  "%": 1 / 100,
  ms: 1 / 1000,
  s: 1,
  min: 60,
  h: 3600,
  // A rank, and what it is by.
  "by $ per pass": 1,
  "by tokens per pass": 1,
};

/**
 * Reads a figure that people see.
 * @example
 * readFigure("1 h 2 min"); // { value: 3720, rounding: 30 }
 * readFigure("17.2", "$ per 1,000"); // { value: 0.0172, rounding: 0.00005 }
 */
export function readFigure(text: string, unit = ""): ShownFigure | null {
  const clean = text.replaceAll(",", "").replace("−", "-").trim();
  if (clean === "" || clean.startsWith("–")) return null;
  const isBelow = clean.startsWith("<");
  const parts = [...clean.matchAll(/(\$?)(-?[\d.]+(?:e-?\d+)?)\s*(ms|s|min|h|%)?(?=\s|$)/g)];
  const factors = parts.map(([, , , own]) => UNITS[own ?? unit] ?? Number.NaN);
  const values = parts.map(([, , digits], place) => Number(digits) * (factors[place] ?? 1));
  const last = parts.at(-1)?.[2] ?? "";
  const rounding = 0.5 * findLastDigit(last) * (factors.at(-1) ?? 1);
  const value = values.reduce((sum, part) => sum + part, 0);
  // "< 0.001" stands for anything between 0 and that.
  return isBelow ? { value: value / 2, rounding: value / 2 } : { value, rounding };
}

/** The size of the last digit: 0.01 for "3.14". */
function findLastDigit(digits: string): number {
  const [mantissa = "", power = "0"] = digits.split("e");
  return 10 ** (Number(power) - (mantissa.split(".")[1]?.length ?? 0));
}

/** Whether a shown figure is a value of the report, rounded. */
export function isSameFigure(shown: ShownFigure, value: number): boolean {
  return Math.abs(shown.value - value) <= shown.rounding * 1.0001 + Math.abs(value) * 1e-9;
}
