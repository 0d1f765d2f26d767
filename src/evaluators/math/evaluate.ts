import { Complex } from "complex.js";

/** Values of variables by their names. */
export type Point = Readonly<Record<string, Complex | number>>;

const NOTHING = new Complex(Number.NaN);
const CONSTANTS: Point = { Pi: Math.PI, ExponentialE: Math.E, EulerGamma: 0.577_215_664_901_532_9 };

type Operation = (...operands: readonly [Complex, ...Complex[]]) => Complex;

const OPERATIONS: Readonly<Record<string, Operation>> = {
  Add: (...terms) => terms.reduce((sum, term) => sum.add(term)),
  Multiply: (...factors) => factors.reduce((product, factor) => product.mul(factor)),
  Negate: (x) => x.neg(),
  Divide: (top, bottom = NOTHING) => top.div(bottom),
  Rational: (top, bottom = NOTHING) => top.div(bottom),
  Power: (base, exponent = NOTHING) => power(base, exponent),
  Sqrt: (x) => x.sqrt(),
  Root: (x, degree = NOTHING) => root(x, degree),
  Ln: (x) => x.log(),
  Log: (x, base = new Complex(10)) => x.log().div(base.log()),
  Abs: (x) => new Complex(x.abs()),
  Factorial: (n) => factorial(n),
  Floor: (x) => ofReals([x], Math.floor),
  Ceil: (x) => ofReals([x], Math.ceil),
  Max: (...all) => ofReals(all, Math.max),
  Min: (...all) => ofReals(all, Math.min),
  GCD: (...all) => ofReals(all, (...numbers) => numbers.reduce(commonDivisor)),
  Sin: (x) => x.sin(),
  Cos: (x) => x.cos(),
  Tan: (x) => x.tan(),
  Cot: (x) => x.cot(),
  Sec: (x) => x.sec(),
  Csc: (x) => x.csc(),
  Arcsin: (x) => x.asin(),
  Arccos: (x) => x.acos(),
  Arctan: (x) => x.atan(),
  Sinh: (x) => x.sinh(),
  Cosh: (x) => x.cosh(),
  Tanh: (x) => x.tanh(),
};

/**
 * The value of a formula in MathJSON; NaN where it has none, or what it is made of is not known here. The engine's own
 * arithmetic is not used: in version 0.27.0 it loses imaginary parts, and divides wrongly by complex numbers.
 */
export function evaluateFormula(formula: unknown, point: Point): Complex {
  if (typeof formula === "number") return new Complex(formula);
  if (typeof formula === "string") return findValue(formula, point);
  if (!Array.isArray(formula)) return new Complex(Number((formula as { num?: unknown }).num));
  const [name, ...parts] = formula as unknown[];
  const operation = typeof name === "string" && Object.hasOwn(OPERATIONS, name) ? OPERATIONS[name] : undefined;
  const [first, ...others] = parts.map((part) => evaluateFormula(part, point));
  return operation === undefined || first === undefined ? NOTHING : operation(first, ...others);
}

function findValue(name: string, point: Point): Complex {
  const values = Object.hasOwn(point, name) ? point : CONSTANTS;
  return Object.hasOwn(values, name) ? new Complex(values[name]) : NOTHING;
}

/** Of real numbers by the machine's own arithmetic, which is exact for whole ones. */
function power(base: Complex, exponent: Complex): Complex {
  const isReal = base.im === 0 && exponent.im === 0 && (base.re > 0 || Number.isInteger(exponent.re));
  return isReal ? new Complex(base.re ** exponent.re) : base.pow(exponent);
}

/** An odd root of a number below zero is real. */
function root(x: Complex, degree: Complex): Complex {
  const isOdd = degree.im === 0 && Math.abs(degree.re % 2) === 1;
  return x.im === 0 && x.re < 0 && isOdd ? power(x.neg(), degree.inverse()).neg() : power(x, degree.inverse());
}

const MAX_FACTORIAL = 170;

function factorial({ re, im }: Complex): Complex {
  if (im !== 0 || !Number.isInteger(re) || re < 0 || re > MAX_FACTORIAL) return NOTHING;
  let product = 1;
  for (let factor = 2; factor <= re; factor++) product *= factor;
  return new Complex(product);
}

function ofReals(all: readonly Complex[], calculate: (...numbers: number[]) => number): Complex {
  return all.every(({ im }) => im === 0) ? new Complex(calculate(...all.map(({ re }) => re))) : NOTHING;
}

function commonDivisor(a: number, b: number): number {
  return b === 0 || Number.isNaN(b) ? Math.abs(a) : commonDivisor(b, a % b);
}
