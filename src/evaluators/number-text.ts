/** One number in a text: thousands in groups of three, then decimals. What follows it is read apart. */
const DIGITS = /(?:\d{1,3}(?:[,_'\u00a0\u202f\u2009]\d{3})+(?!\d)|\d+)(?:\.\d+)?|\.\d+/g;
const POWER =
  /^(?:e([+-]?\d{1,4})(?![\w.])|\s?(?:×|x|·|\*|\\times|\\cdot)\s?10\s?(?:\^|\*\*)\s?\{?\s?([+\-−]?\d{1,4})\}?)/i;
const SCALE = /^\s?(thousand|million|billion|trillion)\b/i;
const SCALES: Readonly<Record<string, number>> = { thousand: 1e3, million: 1e6, billion: 1e9, trillion: 1e12 };
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
export function* numbersIn(text: string): Generator<WrittenNumber> {
  const digits = new RegExp(DIGITS);
  for (let match = digits.exec(text); match !== null; match = digits.exec(text)) {
    const { written, end } = readAt(text, match[0], match.index);
    digits.lastIndex = end;
    if (Number.isFinite(written.value)) yield written;
  }
}

function readAt(text: string, digits: string, at: number): { written: WrittenNumber; end: number } {
  let end = at + digits.length;
  const power = POWER.exec(text.slice(end, end + 24));
  end += power?.[0].length ?? 0;
  const exponent = (power?.[1] ?? power?.[2] ?? "0").replace("−", "-");
  let value = Number(`${digits.replace(/[^\d.]/g, "")}e${exponent}`);
  // In "12/25/1937" nothing is divided.
  const fraction = text[at - 1] === "/" ? null : FRACTION.exec(text.slice(end, end + 40));
  if (fraction !== null && Number(fraction[1]) !== 0) {
    value /= Number(fraction[1]);
    end += fraction[0].length;
  }
  value *= SCALES[SCALE.exec(text.slice(end, end + 12))?.[1]?.toLowerCase() ?? ""] ?? 1;
  if (MINUS.test(text.slice(Math.max(0, at - 4), at))) value = -value;
  return { written: { value, isPercent: PERCENT.test(text.slice(end, end + 12)) }, end };
}
