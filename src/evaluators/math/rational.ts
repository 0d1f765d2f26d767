/** An exact number: `top / bottom` in lowest terms, `bottom` above zero. */
export interface Rational {
  readonly top: bigint;
  readonly bottom: bigint;
  /** Digits after the point, for a number that was written as a decimal: what is written so may be rounded. */
  readonly decimals?: number;
}

/** Numbers beyond this many digits are no answers, and arithmetic on them is no longer quick. */
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

/** Reads digits with an optional point and an optional exponent: "12", "0.5", ".5", "1.2e5". Anything else is null. */
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

/** Null for an exponent that is no small whole number: such powers are not rational, or too long. */
export function power(base: Rational, exponent: Rational): Rational | null {
  const times = exponent.top < 0n ? -exponent.top : exponent.top;
  if (exponent.bottom !== 1n || times > BigInt(MAX_EXPONENT)) return null;
  if (digitsOf(base) * Number(times) > MAX_DIGITS * 4) return null;
  const raised = rational(base.top ** times, base.bottom ** times);
  return raised === null || exponent.top >= 0n ? raised : rational(raised.bottom, raised.top);
}

function digitsOf({ top, bottom }: Rational): number {
  return Math.max(top.toString().length, bottom.toString().length);
}

/** How many digits a decimal must have to stand for a number that no decimal can write, as 0.333333 for 1/3. */
const APPROXIMATE_DIGITS = 6;
/** Digits after the point from which a decimal is taken for the print of a floating-point number. */
const FLOATING_DECIMALS = 10;

/**
 * Whether two numbers are the same. The comparison is exact. Only two decimals are given leeway: one of six digits or
 * more that stands for a fraction without an end, and one that carries the rounding error of a computer's arithmetic.
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

/** Whether a decimal stands for a number that has no exact value, as 3.14159 for π: rounded to it, or cut off. */
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
