import { add, divide, multiply, negate, parseDecimal, power, type Rational } from "./rational.js";

const MAX_LENGTH = 400;
/** Deep enough for any answer, and far from the end of the stack. */
const MAX_DEPTH = 40;

/**
 * The exact value of an answer in canonical form that is built of numbers alone: `3/4`, `1\frac{1}{2}`, `2^{10}-1`,
 * `1.2*10^{5}`. Null for everything else.
 */
export function exactValue(text: string): Rational | null {
  if (text === "" || text.length > MAX_LENGTH) return null;
  const reader = new Arithmetic(text);
  const value = reader.sum();
  return reader.isAtEnd ? value : null;
}

/** A reader of sums, products, powers and fractions, one method for each level. Null means that it is something else. */
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
