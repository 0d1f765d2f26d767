import { Complex } from "complex.js";
import { IMAGINARY_UNIT } from "./compare.js";

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

const UNIT = new Complex(0, 1);

/** Positive, negative, whole, small and large numbers, and some right below whole ones, where floors jump, without relations between them that two different formulas might share. */
const VALUES: readonly (readonly number[])[] = [
  [1.3717, 0.7193, 2.2361, 0.4477, 3.1871, 1.8313],
  [2, 3, 7, 5, 4, 9],
  [-0.8329, -1.9117, -2.6143, -0.3719, -1.4771, -3.2213],
  [0.3853, 1.6127, 0.9241, 2.7583, 0.5591, 1.1173],
  [5, 2, 3, 8, 11, 6],
  [4.2197, -1.3249, 0.6337, -2.1739, 1.7431, -0.5113],
  [7, 4, 2, 3, 5, 10],
  [0.2917, 0.6421, 0.1873, 0.8117, 0.5279, 0.7543],
  [-0.6173, 0.1429, -0.3391, 0.5867, -0.2287, 0.9161],
  [2 - 1 / 1024, 3 - 1 / 1024, 7 - 1 / 1024, 5 - 1 / 1024, 4 - 1 / 1024, 9 - 1 / 1024],
  [6 - 1 / 1024, 5 - 1 / 1024, 2 - 1 / 1024, 12 - 1 / 1024, 3 - 1 / 1024, 8 - 1 / 1024],
  [163.719, 228.371, 187.143, 211.957, 171.389, 194.163],
  [-181.977, -246.731, -169.387, -201.143, -215.129, -173.961],
];

/** Where two formulas are compared: the same points every time, so that a verdict never changes. */
export function samplePoints(names: readonly string[]): Point[] {
  return VALUES.map((values, row) =>
    Object.fromEntries(
      names.map((name, column) => [name, name === IMAGINARY_UNIT ? UNIT : valueFor(values, row + column)]),
    ),
  );
}

function valueFor(values: readonly number[], place: number): number {
  const value = values[place % values.length] ?? 1;
  return place < values.length ? value : value + Math.floor(place / values.length);
}
