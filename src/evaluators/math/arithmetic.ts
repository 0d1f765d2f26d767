const MAX_LENGTH = 400;
/** Deep enough for any answer, and safe for the stack. */
const MAX_DEPTH = 40;

/**
 * Computes the exact value of a canonical answer that is built of numbers alone: `3/4`, `1\frac{1}{2}`, `2^{10}-1`,
 * `1.2*10^{5}`. Null for everything else.
 */
export function computeExactValue(text: string): Rational | null {
  if (text === "" || text.length > MAX_LENGTH) return null;
  const reader = new ArithmeticParser(text);
  const value = reader.parseSum();
  return reader.isAtEnd ? value : null;
}

/** Recursive descent over sums, products, powers and fractions, one method per level. Null means something else was found. */
class ArithmeticParser {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#text.length;
  }

  parseSum(): Rational | null {
    let total = this.#parseProduct();
    while (total !== null && (this.#isNext("+") || this.#isNext("-"))) {
      const isMinus = this.#text[this.#at++] === "-";
      const next = this.#parseProduct();
      if (next === null) return null;
      total = addRationals(total, isMinus ? negateRational(next) : next);
    }
    return total;
  }

  #parseProduct(): Rational | null {
    let total = this.#parseSigned();
    while (total !== null && !this.isAtEnd) {
      if (this.#take("*")) total = combineBoth(total, this.#parseSigned(), multiplyRationals);
      else if (this.#take("/")) total = combineBoth(total, this.#parseSigned(), divideRationals);
      else if (this.#isNext("(") || this.#isNext("\\frac"))
        total = combineBoth(total, this.#parsePower(), multiplyRationals);
      else break;
    }
    return total;
  }

  #parseSigned(): Rational | null {
    if (this.#take("+")) return this.#parsePower();
    if (!this.#take("-")) return this.#parsePower();
    const value = this.#parsePower();
    return value === null ? null : negateRational(value);
  }

  #parsePower(): Rational | null {
    const base = this.#parseAtom();
    if (base === null || !this.#take("^")) return base;
    const exponent = this.#isNext("{") || this.#isNext("(") ? this.#parseGroup() : this.#parseNumber();
    return combineBoth(base, exponent, raiseRational);
  }

  #parseAtom(): Rational | null {
    if (this.#isNext("(") || this.#isNext("{")) return this.#parseGroup();
    if (this.#take("\\frac")) return combineBoth(this.#parseGroup(), this.#parseGroup(), divideRationals);
    const whole = this.#parseNumber();
    const isMixed =
      whole?.bottom === 1n && whole.decimals === undefined && /^\\frac\{\d+\}\{\d+\}/.test(this.#peek(60));
    if (!isMixed || !this.#take("\\frac")) return whole;
    return combineBoth(whole, combineBoth(this.#parseGroup(), this.#parseGroup(), divideRationals), addRationals);
  }

  #parseGroup(): Rational | null {
    const closing = this.#take("{") ? "}" : this.#take("(") ? ")" : null;
    if (closing === null || ++this.#depth > MAX_DEPTH) return null;
    const value = this.parseSum();
    this.#depth -= 1;
    return this.#take(closing) ? value : null;
  }

  #parseNumber(): Rational | null {
    const [digits] = /^\d*\.?\d*(?:[eE][-+]?\d+)?/.exec(this.#peek(MAX_LENGTH)) ?? [""];
    this.#at += digits.length;
    return parseDecimal(digits);
  }

  #peek(length: number): string {
    return this.#text.slice(this.#at, this.#at + length);
  }

  #isNext(text: string): boolean {
    return this.#text.startsWith(text, this.#at);
  }

  #take(text: string): boolean {
    if (!this.#isNext(text)) return false;
    this.#at += text.length;
    return true;
  }
}

function combineBoth(
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

function createRational(top: bigint, bottom: bigint): Rational | null {
  if (bottom === 0n) return null;
  const divisor = computeBigGcd(top, bottom) * (bottom < 0n ? -1n : 1n);
  return { top: top / divisor, bottom: bottom / divisor };
}

function computeBigGcd(a: bigint, b: bigint): bigint {
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
  const value =
    shift >= 0 ? createRational(digits * 10n ** BigInt(shift), 1n) : createRational(digits, 10n ** BigInt(-shift));
  return value === null || part === "" ? value : { ...value, decimals: part.length };
}

export function addRationals(a: Rational, b: Rational): Rational | null {
  return createRational(a.top * b.bottom + b.top * a.bottom, a.bottom * b.bottom);
}

export function negateRational(a: Rational): Rational {
  return { ...a, top: -a.top };
}

export function multiplyRationals(a: Rational, b: Rational): Rational | null {
  return createRational(a.top * b.top, a.bottom * b.bottom);
}

export function divideRationals(a: Rational, b: Rational): Rational | null {
  return createRational(a.top * b.bottom, a.bottom * b.top);
}

/** Null unless the exponent is a small whole number: other powers are irrational or too long. */
function raiseRational(base: Rational, exponent: Rational): Rational | null {
  const times = exponent.top < 0n ? -exponent.top : exponent.top;
  if (exponent.bottom !== 1n || times > BigInt(MAX_EXPONENT)) return null;
  if (countDigits(base) * Number(times) > MAX_DIGITS * 4) return null;
  const raised = createRational(base.top ** times, base.bottom ** times);
  return raised === null || exponent.top >= 0n ? raised : createRational(raised.bottom, raised.top);
}

function countDigits({ top, bottom }: Rational): number {
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
export function isSameNumber(a: Rational, b: Rational): boolean {
  if (a.top === b.top && a.bottom === b.bottom) return true;
  return isRoundedFrom(a, b) || isRoundedFrom(b, a) || isFloatingError(a, b);
}

function isRoundedFrom(decimal: Rational, exact: Rational): boolean {
  return !isFiniteDecimal(exact) && countSignificantDigits(decimal) >= APPROXIMATE_DIGITS && isRounding(decimal, exact);
}

/** Whether a decimal, however short, is an exact number rounded or cut off. */
export function isRounding(decimal: Rational, exact: Rational): boolean {
  const { decimals } = decimal;
  if (decimals === undefined) return false;
  const { top, bottom } = computeGap(decimal, exact);
  const steps = top * 10n ** BigInt(decimals);
  return 2n * steps <= bottom || (steps < bottom && isNearerZero(decimal, exact));
}

function isNearerZero(a: Rational, b: Rational): boolean {
  const [left, right] = [a.top * b.bottom, b.top * a.bottom];
  return left < 0n ? left > right : left < right;
}

/** Whether a decimal is an irrational number rounded or cut off, as 3.14159 for π. */
export function isDecimalApproximation(decimal: Rational, value: number): boolean {
  if (decimal.decimals === undefined || countSignificantDigits(decimal) < APPROXIMATE_DIGITS) return false;
  const [written, step] = [toFloat(decimal), 10 ** -decimal.decimals];
  const distance = Math.abs(written - value);
  return distance <= step * 0.5000001 || (distance < step && Math.abs(written) < Math.abs(value));
}

function countSignificantDigits({ top, bottom, decimals = 0 }: Rational): number {
  const digits = (top * 10n ** BigInt(decimals)) / bottom;
  return (digits < 0n ? -digits : digits).toString().length;
}

function isFiniteDecimal({ bottom }: Rational): boolean {
  let rest = bottom;
  for (const prime of [2n, 5n]) while (rest % prime === 0n) rest /= prime;
  return rest === 1n;
}

function isFloatingError(a: Rational, b: Rational): boolean {
  if (Math.max(a.decimals ?? 0, b.decimals ?? 0) < FLOATING_DECIMALS) return false;
  const { top, bottom } = computeGap(a, b);
  const size = a.top < 0n ? -a.top : a.top;
  return top * a.bottom * 1_000_000_000n < size * bottom;
}

function computeGap(a: Rational, b: Rational): Rational {
  const top = a.top * b.bottom - b.top * a.bottom;
  return { top: top < 0n ? -top : top, bottom: a.bottom * b.bottom };
}

function toFloat({ top, bottom }: Rational): number {
  return Number(top) / Number(bottom);
}
