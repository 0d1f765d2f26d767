import { ComputeEngine, type Expression } from "@cortex-js/compute-engine";
import { Complex } from "complex.js";
import { computeExactValue, isDecimalApproximation, type Rational } from "./arithmetic.js";
import { compareAnswers, compareCheaply, type FormulaComparer, type MathVerdict, splitTopLevel } from "./compare.js";

interface SymbolicTaskInput {
  readonly gold: string;
  readonly given: string;
}

/** Compares two canonical answers in a worker thread, symbolically where needed. */
export function run(input: unknown): boolean {
  const { gold, given } = input as SymbolicTaskInput;
  return compareAnswers(gold, given, compareFully) === "same";
}

const compareFully: FormulaComparer = (gold, given) => {
  const verdict = compareCheaply(gold, given);
  return verdict === "open" ? compareSymbolically(gold, given) : verdict;
};

/** One engine per thread: it takes a tenth of a second to create, a comparison a few milliseconds. */
const engine = new ComputeEngine();

/** Whether two formulas are equal for all values of their variables, or two equations have the same solutions. */
export function compareSymbolically(wanted: string, found: string): MathVerdict {
  const [gold, given] = replaceOpaqueTerms(toEngineCommands(wanted), toEngineCommands(found));
  engine.pushScope();
  try {
    declareLetters(`${gold} ${given}`);
    const isEquation = gold.includes("=");
    return (isEquation ? isSameEquation(gold, given) : isSameFormula(gold, given)) ? "same" : "different";
  } finally {
    engine.popScope();
  }
}

/** Otherwise the engine takes n(n+1) for a function call, and remembers it. */
function declareLetters(text: string): void {
  const letters = new Set(text.replace(/\\[a-zA-Z]+/g, " ").match(/[a-zA-Z]/g));
  for (const letter of letters) if (letter !== "e") engine.declare(letter, "number");
}

function isSameFormula(gold: string, given: string): boolean {
  const [wanted, found] = [parseFormula(gold), parseFormula(given)];
  if (wanted === null || found === null) return false;
  const names = listUnknowns(wanted, found);
  if (names.length === 0) return isSameConstant(gold, given, [wanted, found]);
  return compareSamples(evaluateSamples([wanted, found], names)) ?? isSameByAlgebra(wanted, found);
}

function isSameConstant(gold: string, given: string, [wanted, found]: [Expression, Expression]): boolean {
  const [a, b] = [evaluateExpression(wanted, {}), evaluateExpression(found, {})];
  if (a === null || b === null) return isSameByAlgebra(wanted, found);
  if (isClose(a, b)) return Math.abs(a.re) < LARGE || isSameLargeNumber(wanted.sub(found));
  if (!isReal(a) || !isReal(b)) return false;
  return isApproximation(computeExactValue(gold), b) || isApproximation(computeExactValue(given), a);
}

function isApproximation(decimal: Rational | null, { re }: ComplexNumber): boolean {
  return decimal !== null && isDecimalApproximation(decimal, re);
}

const LARGE = 1e6;
/** The engine computes with 21 digits. */
const ENGINE_ERROR = 1e-19;

/** 20! + 1 and 20! have the same first digits: only their difference distinguishes them. */
function isSameLargeNumber(difference: Expression): boolean {
  const exact = difference.evaluate();
  if (exact.isRational === true) return exact.is(0);
  const terms = exact.operator === "Add" ? (exact.ops ?? []) : [];
  const size = Math.max(0, ...terms.map((term) => Math.abs(term.N().re)));
  return Math.abs(difference.N().re) <= ENGINE_ERROR * size;
}

function isSameByAlgebra(wanted: Expression, found: Expression): boolean {
  const isDefined = ![wanted, found].some(({ json }) => /NaN|ComplexInfinity/.test(JSON.stringify(json)));
  return isDefined && (wanted.isSame(found) || wanted.sub(found).simplify().is(0));
}

interface ComplexNumber {
  readonly re: number;
  readonly im: number;
}

type SamplePair = readonly [ComplexNumber, ComplexNumber];

function evaluateSamples([wanted, found]: [Expression, Expression], names: readonly string[]): SamplePair[] {
  const samples: SamplePair[] = [];
  for (const point of createSamplePoints(names)) {
    const [a, b] = [evaluateExpression(wanted, point), evaluateExpression(found, point)];
    if (a !== null && b !== null) samples.push([a, b]);
  }
  return samples;
}

const MIN_SAMPLES = 3;

/** Real values come first: √(x³) and x√x differ only where neither is real. Null if there are too few values. */
function compareSamples(samples: readonly SamplePair[]): boolean | null {
  const real = samples.filter(([a, b]) => isReal(a) && isReal(b));
  const counted = real.length >= MIN_SAMPLES ? real : samples;
  return counted.length < MIN_SAMPLES ? null : counted.every(([a, b]) => isClose(a, b));
}

/** Two equations have the same solutions if one is a multiple of the other. */
function isSameEquation(gold: string, given: string): boolean {
  const [wanted, found] = [parseDifference(gold), parseDifference(given)];
  if (wanted === null || found === null) return false;
  const samples = evaluateSamples([wanted, found], listUnknowns(wanted, found)).filter(
    ([a, b]) => isReal(a) && isReal(b),
  );
  const ratios = samples.filter(([, b]) => b.re !== 0).map(([a, b]) => ({ re: a.re / b.re, im: 0 }));
  const [first] = ratios;
  return (
    first !== undefined &&
    first.re !== 0 &&
    ratios.length >= MIN_SAMPLES &&
    ratios.every((ratio) => isClose(ratio, first))
  );
}

function parseDifference(equation: string): Expression | null {
  const [left = "", right = ""] = splitTopLevel(equation, "=");
  const [a, b] = [parseFormula(left), parseFormula(right)];
  return a === null || b === null ? null : a.sub(b);
}

/** A sum or product without a term, which makes the engine print errors. */
const EMPTY_SUM = /\\(?:sum|prod)(?:[_^](?:\{[^{}]*\}|[^{}]))* ?(?=$|[)}\]=+*/-])/;
/** Two values in one formula; the lists that they stand for were compared before. */
const TWO_VALUES = /\\(?:pm|mp)(?![a-zA-Z])/;

/** Null if it is not a formula. The engine reads what it cannot join as a tuple; real tuples were split before. */
function parseFormula(text: string): Expression | null {
  if (EMPTY_SUM.test(text) || TWO_VALUES.test(text)) return null;
  const expression = engine.parse(text);
  return expression.isValid && expression.operator !== "Tuple" ? expression : null;
}

function listUnknowns(a: Expression, b: Expression): string[] {
  return [...new Set([...a.unknowns, ...b.unknowns])].sort();
}

/** Null if there is no finite value. */
function evaluateExpression(expression: Expression, point: SamplePoint): ComplexNumber | null {
  const { re, im } = evaluateFormula(expression.json, point);
  return Number.isFinite(re) && Number.isFinite(im) ? { re, im } : null;
}

function isReal({ re, im }: ComplexNumber): boolean {
  return Math.abs(im) <= 1e-12 * Math.max(1, Math.abs(re));
}

const MAX_RELATIVE_ERROR = 1e-10;

/** Smaller differences are rounding errors: the arithmetic has half as many digits more. */
function isClose(a: ComplexNumber, b: ComplexNumber): boolean {
  const size = Math.max(Math.hypot(a.re, a.im), Math.hypot(b.re, b.im));
  return Math.hypot(a.re - b.re, a.im - b.im) <= MAX_RELATIVE_ERROR * Math.max(size, 1e-6);
}

const DECORATED =
  /\\(overline|bar|vec|hat|widehat|tilde|widetilde|dot|ddot|overrightarrow) ?(?:\{([^{}]{1,40})\}|([a-zA-Z\d]))/;
/** f, g, zeta and Gamma are always functions; other letters only where a product would not be written so. */
const APPLIED = /((?:[fg]|\\(?:zeta|Gamma))(?:_\d|')?)\(([^()]{1,40})\)|([hpqFGHPQ](?:_\d|')?)\(([a-zA-Z]|-?\d{1,9})\)/;
/** Names with an index, and letters that the engine takes for a function, a constant or a transposed matrix. */
const NAMED = /((?:[a-zA-Z]|\\[a-zA-Z]+ ?)_(?:\{[^{}]{1,20}\}|\w)|[DEGINTi])/;
/** dy/dx is not a fraction that d could be cancelled from. */
const DERIVATIVE =
  /(\\frac ?\{(?:d|\\partial ?)(?:\^\{?\d\}?)?[a-zA-Z]?\}\{(?:d|\\partial ?)[a-zA-Z](?:\^\{?\d\}?)?\}|(?<![a-zA-Z\\])d[a-z]\/d[a-z](?![a-zA-Z]))/;
/** Left unchanged: repeating decimals and commands, some with an index. */
const UNCHANGED = /\.\d*\\overline\{\d+\}|\\(?:log|sum|prod|lim|int)_(?:\{[^{}]*\}|\w)|\\[a-zA-Z]+(?![a-zA-Z]| ?_)/;
const PARTS = new RegExp([DECORATED, APPLIED, DERIVATIVE, UNCHANGED, NAMED].map(({ source }) => source).join("|"), "g");
/** Stands for i, which the engine must not know, because it loses imaginary parts. */
const IMAGINARY_UNIT = "I";
const LETTERS = "wvutsrqponmlkjhgfcbazyxWVUSRQPOMLKJHFCBAZYX";
const SAME_MARK: Record<string, string> = {
  bar: "overline",
  widehat: "hat",
  widetilde: "tilde",
  overrightarrow: "vec",
};

/**
 * Replaces every term that algebra does not look into by its own letter, the same in both formulas: the
 * conjugate of z is not z, and f(2) is not 2f.
 */
function replaceOpaqueTerms(gold: string, given: string): [string, string] {
  const free = [...LETTERS].filter((letter) => !gold.includes(letter) && !given.includes(letter));
  const names = new Map([["i", IMAGINARY_UNIT]]);
  const letterFor = (thing: string): string => {
    const letter = names.get(thing) ?? free.shift() ?? thing;
    names.set(thing, letter);
    return letter;
  };
  return [replaceTerms(gold, letterFor), replaceTerms(given, letterFor)];
}

function replaceTerms(text: string, letterFor: (thing: string) => string): string {
  return text.replace(PARTS, (...match: (string | undefined)[]) => {
    const [whole = "", mark, inner, single, name, argument, otherName, atom, derivative, index] = match;
    const named = derivative ?? index;
    if (mark !== undefined) return `(${letterFor(`${SAME_MARK[mark] ?? mark} ${inner ?? single ?? ""}`)})`;
    // Braces, since a power takes only the next character.
    if (named !== undefined) return `{${letterFor(named)}}`;
    if (name === undefined && otherName === undefined) return whole;
    return `(${letterFor(`${name ?? otherName ?? ""}(${argument ?? atom ?? ""})`)})`;
  });
}

const CHOOSE = /\{?(\w+)\\choose ?(\w+)\}?/g;
const BINOMIAL = /\\[dt]?binom ?\{([^{}]*)\} ?\{([^{}]*)\}/g;

/** Rewrites a formula in commands that the engine knows. */
function toEngineCommands(text: string): string {
  return text
    .replace(/\\(gcd|lcm)(?![a-zA-Z])/g, "\\operatorname{$1}")
    .replace(CHOOSE, "\\binom{$1}{$2}")
    .replace(BINOMIAL, (_, n: string, k: string) => expandBinomial(n, k));
}

/** By factorials; for small k as a product, which has a value for every number. */
function expandBinomial(n: string, k: string): string {
  if (!/^\d$/.test(k)) return `\\frac{(${n})!}{(${k})!((${n})-(${k}))!}`;
  const factors = Array.from({ length: Number(k) }, (_, taken) => `((${n})-${taken})`);
  return `\\frac{${factors.join("") || "1"}}{${k}!}`;
}

/** Values of variables by name. */
type SamplePoint = Readonly<Record<string, Complex | number>>;

const NOT_A_NUMBER = new Complex(Number.NaN);
const CONSTANTS: SamplePoint = { Pi: Math.PI, ExponentialE: Math.E, EulerGamma: 0.577_215_664_901_532_9 };

type ComplexOperation = (...operands: readonly [Complex, ...Complex[]]) => Complex;

const OPERATIONS: Readonly<Record<string, ComplexOperation>> = {
  Add: (...terms) => terms.reduce((sum, term) => sum.add(term)),
  Multiply: (...factors) => factors.reduce((product, factor) => product.mul(factor)),
  Negate: (x) => x.neg(),
  Divide: (top, bottom = NOT_A_NUMBER) => top.div(bottom),
  Rational: (top, bottom = NOT_A_NUMBER) => top.div(bottom),
  Power: (base, exponent = NOT_A_NUMBER) => raiseComplex(base, exponent),
  Sqrt: (x) => x.sqrt(),
  Root: (x, degree = NOT_A_NUMBER) => computeRoot(x, degree),
  Ln: (x) => x.log(),
  Log: (x, base = new Complex(10)) => x.log().div(base.log()),
  Abs: (x) => new Complex(x.abs()),
  Factorial: (n) => computeFactorial(n),
  Floor: (x) => applyToReals([x], Math.floor),
  Ceil: (x) => applyToReals([x], Math.ceil),
  Max: (...all) => applyToReals(all, Math.max),
  Min: (...all) => applyToReals(all, Math.min),
  GCD: (...all) => applyToReals(all, (...numbers) => numbers.reduce(computeGcd)),
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
 * Evaluates a formula in MathJSON; NaN if it has no value or an unknown part. The engine's own
 * arithmetic is not used: version 0.27.0 loses imaginary parts, and divides wrongly by complex numbers.
 */
function evaluateFormula(formula: unknown, point: SamplePoint): Complex {
  if (typeof formula === "number") return new Complex(formula);
  if (typeof formula === "string") return findVariableValue(formula, point);
  if (!Array.isArray(formula)) return new Complex(Number((formula as { num?: unknown }).num));
  const [name, ...parts] = formula as unknown[];
  const operation = typeof name === "string" && Object.hasOwn(OPERATIONS, name) ? OPERATIONS[name] : undefined;
  const [first, ...others] = parts.map((part) => evaluateFormula(part, point));
  return operation === undefined || first === undefined ? NOT_A_NUMBER : operation(first, ...others);
}

function findVariableValue(name: string, point: SamplePoint): Complex {
  const values = Object.hasOwn(point, name) ? point : CONSTANTS;
  return Object.hasOwn(values, name) ? new Complex(values[name]) : NOT_A_NUMBER;
}

/** Real numbers use machine arithmetic, which is exact for whole numbers. */
function raiseComplex(base: Complex, exponent: Complex): Complex {
  const isReal = base.im === 0 && exponent.im === 0 && (base.re > 0 || Number.isInteger(exponent.re));
  return isReal ? new Complex(base.re ** exponent.re) : base.pow(exponent);
}

/** An odd root of a negative number is real. */
function computeRoot(x: Complex, degree: Complex): Complex {
  const isOdd = degree.im === 0 && Math.abs(degree.re % 2) === 1;
  return x.im === 0 && x.re < 0 && isOdd
    ? raiseComplex(x.neg(), degree.inverse()).neg()
    : raiseComplex(x, degree.inverse());
}

const MAX_FACTORIAL = 170;

function computeFactorial({ re, im }: Complex): Complex {
  if (im !== 0 || !Number.isInteger(re) || re < 0 || re > MAX_FACTORIAL) return NOT_A_NUMBER;
  let product = 1;
  for (let factor = 2; factor <= re; factor++) product *= factor;
  return new Complex(product);
}

function applyToReals(all: readonly Complex[], calculate: (...numbers: number[]) => number): Complex {
  return all.every(({ im }) => im === 0) ? new Complex(calculate(...all.map(({ re }) => re))) : NOT_A_NUMBER;
}

function computeGcd(a: number, b: number): number {
  return b === 0 || Number.isNaN(b) ? Math.abs(a) : computeGcd(b, a % b);
}

const UNIT = new Complex(0, 1);

/** Positive, negative, whole, small and large numbers, and some just below whole ones, where floor() jumps. They are unrelated, so that two different formulas rarely agree. */
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

/** The sample points are fixed, so that a verdict never changes. */
function createSamplePoints(names: readonly string[]): SamplePoint[] {
  return VALUES.map((values, row) =>
    Object.fromEntries(
      names.map((name, column) => [name, name === IMAGINARY_UNIT ? UNIT : pickSampleValue(values, row + column)]),
    ),
  );
}

function pickSampleValue(values: readonly number[], place: number): number {
  const value = values[place % values.length] ?? 1;
  return place < values.length ? value : value + Math.floor(place / values.length);
}
