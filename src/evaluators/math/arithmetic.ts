const MAX_LENGTH = 400;
/** Deep enough for any answer, and safe for the stack. */
const MAX_DEPTH = 40;

/**
 * Computes the exact value of a canonical answer that is built of numbers alone: `3/4`, `1\frac{1}{2}`, `2^{10}-1`,
 * `1.2*10^{5}`. Null for everything else.
 */
export function exactValue(text: string): Rational | null {
  if (text === "" || text.length > MAX_LENGTH) return null;
  const reader = new Arithmetic(text);
  const value = reader.sum();
  return reader.isAtEnd ? value : null;
}

/** Recursive descent over sums, products, powers and fractions, one method per level. Null means something else was found. */
class Arithmetic {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#text.length;
  }

  sum(): Rational | null {
    let total = this.#product();
    while (total !== null && (this.#sees("+") || this.#sees("-"))) {
      const isMinus = this.#text[this.#at++] === "-";
      const next = this.#product();
      if (next === null) return null;
      total = add(total, isMinus ? negate(next) : next);
    }
    return total;
  }

  #product(): Rational | null {
    let total = this.#signed();
    while (total !== null && !this.isAtEnd) {
      if (this.#takes("*")) total = both(total, this.#signed(), multiply);
      else if (this.#takes("/")) total = both(total, this.#signed(), divide);
      else if (this.#sees("(") || this.#sees("\\frac")) total = both(total, this.#power(), multiply);
      else break;
    }
    return total;
  }

  #signed(): Rational | null {
    if (this.#takes("+")) return this.#power();
    if (!this.#takes("-")) return this.#power();
    const value = this.#power();
    return value === null ? null : negate(value);
  }

  #power(): Rational | null {
    const base = this.#atom();
    if (base === null || !this.#takes("^")) return base;
    const exponent = this.#sees("{") || this.#sees("(") ? this.#group() : this.#number();
    return both(base, exponent, power);
  }

  #atom(): Rational | null {
    if (this.#sees("(") || this.#sees("{")) return this.#group();
    if (this.#takes("\\frac")) return both(this.#group(), this.#group(), divide);
    const whole = this.#number();
    const isMixed =
      whole?.bottom === 1n && whole.decimals === undefined && /^\\frac\{\d+\}\{\d+\}/.test(this.#rest(60));
    if (!isMixed || !this.#takes("\\frac")) return whole;
    return both(whole, both(this.#group(), this.#group(), divide), add);
  }

  #group(): Rational | null {
    const closing = this.#takes("{") ? "}" : this.#takes("(") ? ")" : null;
    if (closing === null || ++this.#depth > MAX_DEPTH) return null;
    const value = this.sum();
    this.#depth -= 1;
    return this.#takes(closing) ? value : null;
  }

  #number(): Rational | null {
    const [digits] = /^\d*\.?\d*(?:[eE][-+]?\d+)?/.exec(this.#rest(MAX_LENGTH)) ?? [""];
    this.#at += digits.length;
    return parseDecimal(digits);
  }

  #rest(length: number): string {
    return this.#text.slice(this.#at, this.#at + length);
  }

  #sees(text: string): boolean {
    return this.#text.startsWith(text, this.#at);
  }

  #takes(text: string): boolean {
    if (!this.#sees(text)) return false;
    this.#at += text.length;
    return true;
  }
}

function both(
  a: Rational | null,
  b: Rational | null,
  join: (a: Rational, b: Rational) => Rational | null,
): Rational | null {
  return a === null || b === null ? null : join(a, b);
}

/** An exact number: `top / bottom` in lowest terms, `bottom` above zero. */
export interface Rational {
  readonly top: bigint;
  readonly bottom: bigint;
  /** Digits after the point if it was written as a decimal, and so may be rounded. */
  readonly decimals?: number;
}

/** Longer numbers are not answers, and arithmetic on them is slow. */
const MAX_DIGITS = 1000;
const MAX_EXPONENT = 400;

function rational(top: bigint, bottom: bigint): Rational | null {
  if (bottom === 0n) return null;
  const divisor = commonDivisor(top, bottom) * (bottom < 0n ? -1n : 1n);
  return { top: top / divisor, bottom: bottom / divisor };
}

function commonDivisor(a: bigint, b: bigint): bigint {
  let [large, small] = [a < 0n ? -a : a, b < 0n ? -b : b];
  while (small !== 0n) [large, small] = [small, large % small];
  return large;
}

/** Parses digits with an optional point and exponent: "12", "0.5", ".5", "1.2e5". Null for anything else. */
export function parseDecimal(text: string): Rational | null {
  const match = /^(\d*)(?:\.(\d*))?(?:[eE]([-+]?\d{1,4}))?$/.exec(text);
  if (match === null || text.length > MAX_DIGITS) return null;
  const [, whole = "", part = "", exponent = "0"] = match;
  if (whole === "" && part === "") return null;
  const shift = Number(exponent) - part.length;
  if (Math.abs(shift) > MAX_DIGITS) return null;
  const digits = BigInt(whole + part);
  const value = shift >= 0 ? rational(digits * 10n ** BigInt(shift), 1n) : rational(digits, 10n ** BigInt(-shift));
  return value === null || part === "" ? value : { ...value, decimals: part.length };
}

export function add(a: Rational, b: Rational): Rational | null {
  return rational(a.top * b.bottom + b.top * a.bottom, a.bottom * b.bottom);
}

export function negate(a: Rational): Rational {
  return { ...a, top: -a.top };
}

export function multiply(a: Rational, b: Rational): Rational | null {
  return rational(a.top * b.top, a.bottom * b.bottom);
}

export function divide(a: Rational, b: Rational): Rational | null {
  return rational(a.top * b.bottom, a.bottom * b.top);
}

/** Null unless the exponent is a small whole number: other powers are irrational or too long. */
function power(base: Rational, exponent: Rational): Rational | null {
  const times = exponent.top < 0n ? -exponent.top : exponent.top;
  if (exponent.bottom !== 1n || times > BigInt(MAX_EXPONENT)) return null;
  if (digitsOf(base) * Number(times) > MAX_DIGITS * 4) return null;
  const raised = rational(base.top ** times, base.bottom ** times);
  return raised === null || exponent.top >= 0n ? raised : rational(raised.bottom, raised.top);
}

function digitsOf({ top, bottom }: Rational): number {
  return Math.max(top.toString().length, bottom.toString().length);
}

/** How many digits a decimal must have to stand for a fraction that no decimal can write, as 0.333333 for 1/3. */
const APPROXIMATE_DIGITS = 6;
/** Decimals with at least this many digits after the point are taken for printed floating-point numbers. */
const FLOATING_DECIMALS = 10;

/**
 * Exact comparison, with two exceptions: a decimal of six digits or more may stand for a periodic fraction, and a long
 * decimal may carry floating-point error.
 */
export function sameNumber(a: Rational, b: Rational): boolean {
  if (a.top === b.top && a.bottom === b.bottom) return true;
  return isRoundedFrom(a, b) || isRoundedFrom(b, a) || isFloatingError(a, b);
}

function isRoundedFrom(decimal: Rational, exact: Rational): boolean {
  return !endsAsDecimal(exact) && significantDigits(decimal) >= APPROXIMATE_DIGITS && isRounding(decimal, exact);
}

/** Whether a decimal, however short, is an exact number rounded or cut off. */
export function isRounding(decimal: Rational, exact: Rational): boolean {
  const { decimals } = decimal;
  if (decimals === undefined) return false;
  const { top, bottom } = gap(decimal, exact);
  const steps = top * 10n ** BigInt(decimals);
  return 2n * steps <= bottom || (steps < bottom && isNearerZero(decimal, exact));
}

function isNearerZero(a: Rational, b: Rational): boolean {
  const [left, right] = [a.top * b.bottom, b.top * a.bottom];
  return left < 0n ? left > right : left < right;
}

/** Whether a decimal is an irrational number rounded or cut off, as 3.14159 for π. */
export function approximates(decimal: Rational, value: number): boolean {
  if (decimal.decimals === undefined || significantDigits(decimal) < APPROXIMATE_DIGITS) return false;
  const [written, step] = [toFloat(decimal), 10 ** -decimal.decimals];
  const distance = Math.abs(written - value);
  return distance <= step * 0.5000001 || (distance < step && Math.abs(written) < Math.abs(value));
}

function significantDigits({ top, bottom, decimals = 0 }: Rational): number {
  const digits = (top * 10n ** BigInt(decimals)) / bottom;
  return (digits < 0n ? -digits : digits).toString().length;
}

function endsAsDecimal({ bottom }: Rational): boolean {
  let rest = bottom;
  for (const prime of [2n, 5n]) while (rest % prime === 0n) rest /= prime;
  return rest === 1n;
}

function isFloatingError(a: Rational, b: Rational): boolean {
  if (Math.max(a.decimals ?? 0, b.decimals ?? 0) < FLOATING_DECIMALS) return false;
  const { top, bottom } = gap(a, b);
  const size = a.top < 0n ? -a.top : a.top;
  return top * a.bottom * 1_000_000_000n < size * bottom;
}

function gap(a: Rational, b: Rational): Rational {
  const top = a.top * b.bottom - b.top * a.bottom;
  return { top: top < 0n ? -top : top, bottom: a.bottom * b.bottom };
}

function toFloat({ top, bottom }: Rational): number {
  return Number(top) / Number(bottom);
}
