/** One number in a text: thousands in groups of three, then decimals. What follows it is read apart. */
const DIGITS = /(?:\d{1,3}(?:[,_'\u00a0\u202f\u2009]\d{3})+(?!\d)|\d+)(?:\.\d+)?|\.\d+/g;
const POWER =
  /^(?:e([+-]?\d{1,4})(?![\w.])|\s?(?:×|x|·|\*|\\times|\\cdot)\s?10\s?(?:\^|\*\*)\s?\{?\s?([+\-−]?\d{1,4})\}?)/i;
/** A number may be a power itself: 10^2, 10², 2**10, 10^{-3}. */
const OWN_POWER = /^(?:(?:\^\s?|\*\*(?=\d))\{?\s?([+\-−]?\d{1,4})(?![\d./])\s?\}?|([⁻⁺]?[⁰¹²³⁴-⁹]{1,4}))/;
const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹";
/** The power of a unit, as in "5 m^2", is no number of its own. */
const IS_EXPONENT = /[\p{L})]\^\{?-?$/u;
const LATEX_FRACTION =
  /(?:(\d{1,9})\s?)?\\[dtc]?frac\s?(?:\{\s?(-?\d{1,15}(?:\.\d{1,15})?)\s?\}\s?\{\s?(\d{1,15}(?:\.\d{1,15})?)\s?\}|(\d)\s?(\d))/g;
const SCALE = /^\s?(dozen|hundred|thousand|million|billion|trillion)s?\b/i;
const SCALES: Readonly<Record<string, number>> = {
  dozen: 12,
  hundred: 100,
  thousand: 1e3,
  million: 1e6,
  billion: 1e9,
  trillion: 1e12,
};
const PERCENT = /^\s?(?:\\?%|percent\b|per cent\b)/i;
const FRACTION = /^\s?\/\s?(\d{1,15}(?:\.\d{1,15})?)(?![\d/])/;
/** A minus after a letter or a digit is a hyphen: "10-20" holds two numbers above zero. */
const MINUS = /(?:^|[^\w)\]\-−–])[-−–](?:[$€£¥₹]|\\\$)?$/;

/** A number as it is written in a text. */
export interface WrittenNumber {
  value: number;
  isPercent: boolean;
}

/**
 * Every number of a text, in order.
 * @example
 * [...numbersIn("from $1,200 to −3.5e2, or 12%")]; // 1200, −350, and 12 as a percentage
 */
export function* numbersIn(written: string): Generator<WrittenNumber> {
  const text = written.includes("frac") ? written.replace(LATEX_FRACTION, decimal) : written;
  const digits = new RegExp(DIGITS);
  for (let match = digits.exec(text); match !== null; match = digits.exec(text)) {
    if (IS_EXPONENT.test(text.slice(Math.max(0, match.index - 4), match.index))) continue;
    const { number, end } = readAt(text, match[0], match.index);
    digits.lastIndex = end;
    if (Number.isFinite(number.value)) yield number;
  }
}

/** `\frac{1}{2}` and `1\frac{1}{2}` as one number; what divides by zero stays as it is. */
function decimal(fraction: string, ...parts: unknown[]): string {
  const [whole, top, bottom, digit, below] = parts.slice(0, 5).map(Number);
  const value = (Number.isNaN(top) ? digit : top) ?? Number.NaN;
  const quotient = value / ((Number.isNaN(bottom) ? below : bottom) ?? Number.NaN);
  return Number.isFinite(quotient) ? `${(Number.isNaN(whole) ? 0 : (whole ?? 0)) + quotient} ` : fraction;
}

function readAt(text: string, digits: string, at: number): { number: WrittenNumber; end: number } {
  let end = at + digits.length;
  const power = POWER.exec(text.slice(end, end + 24));
  end += power?.[0].length ?? 0;
  const exponent = (power?.[1] ?? power?.[2] ?? "0").replace("−", "-");
  let value = Number(`${digits.replace(/[^\d.]/g, "")}e${exponent}`);
  const own = power === null ? OWN_POWER.exec(text.slice(end, end + 12)) : null;
  if (own !== null) {
    value **= exponentOf(own);
    end += own[0].length;
  }
  // In "12/25/1937" nothing is divided.
  const fraction = text[at - 1] === "/" ? null : FRACTION.exec(text.slice(end, end + 40));
  if (fraction !== null && Number(fraction[1]) !== 0) {
    value /= Number(fraction[1]);
    end += fraction[0].length;
  }
  value *= SCALES[SCALE.exec(text.slice(end, end + 12))?.[1]?.toLowerCase() ?? ""] ?? 1;
  if (MINUS.test(text.slice(Math.max(0, at - 4), at))) value = -value;
  return { number: { value, isPercent: PERCENT.test(text.slice(end, end + 12)) }, end };
}

function exponentOf([, digits, raised = ""]: RegExpExecArray): number {
  if (digits !== undefined) return Number(digits.replace("−", "-"));
  const size = Number(
    [...raised]
      .map((character) => RAISED.indexOf(character))
      .filter((digit) => digit >= 0)
      .join(""),
  );
  return raised.startsWith("⁻") ? -size : size;
}
