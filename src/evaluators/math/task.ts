import { ComputeEngine, type Expression } from "@cortex-js/compute-engine";
import { approximates, exactValue, type Rational } from "./arithmetic.js";
import {
  type CompareFormulas,
  compareAnswers,
  compareCheaply,
  split,
  type Verdict,
  withKnownCommands,
  withLetters,
} from "./compare.js";
import { evaluateFormula, type Point, samplePoints } from "./evaluate.js";

/** Two answers in canonical form. */
export interface SymbolicQuestion {
  readonly gold: string;
  readonly given: string;
}

/** Whether two answers are the same, with symbolic work where nothing less decides it. Runs in a worker thread. */
export function run(input: unknown): boolean {
  const { gold, given } = input as SymbolicQuestion;
  return compareAnswers(gold, given, compareFully) === "same";
}

const compareFully: CompareFormulas = (gold, given) => {
  const verdict = compareCheaply(gold, given);
  return verdict === "open" ? compareSymbolically(gold, given) : verdict;
};

/** Kept by the thread that does this work: an engine takes a tenth of a second to make, a comparison a few milliseconds. */
const engine = new ComputeEngine();

/** Whether two formulas are the same for all values of their variables, or two equations have the same solutions. */
export function compareSymbolically(wanted: string, found: string): Verdict {
  const [gold, given] = withLetters(withKnownCommands(wanted), withKnownCommands(found));
  engine.pushScope();
  try {
    declareLetters(`${gold} ${given}`);
    const isEquation = gold.includes("=");
    return (isEquation ? sameEquation(gold, given) : sameFormula(gold, given)) ? "same" : "different";
  } finally {
    engine.popScope();
  }
}

/** Otherwise the engine takes n(n+1) for a function's value, and remembers it. */
function declareLetters(text: string): void {
  const letters = new Set(text.replace(/\\[a-zA-Z]+/g, " ").match(/[a-zA-Z]/g));
  for (const letter of letters) if (letter !== "e") engine.declare(letter, "number");
}

function sameFormula(gold: string, given: string): boolean {
  const [wanted, found] = [parseFormula(gold), parseFormula(given)];
  if (wanted === null || found === null) return false;
  const names = unknownsOf(wanted, found);
  if (names.length === 0) return sameConstant(gold, given, [wanted, found]);
  return agreeOnSamples(samplesOf([wanted, found], names)) ?? sameByAlgebra(wanted, found);
}

function sameConstant(gold: string, given: string, [wanted, found]: [Expression, Expression]): boolean {
  const [a, b] = [valueAt(wanted, {}), valueAt(found, {})];
  if (a === null || b === null) return sameByAlgebra(wanted, found);
  if (isClose(a, b)) return Math.abs(a.re) < LARGE || sameLarge(wanted.sub(found));
  if (!isReal(a) || !isReal(b)) return false;
  return isApproximation(exactValue(gold), b) || isApproximation(exactValue(given), a);
}

function isApproximation(decimal: Rational | null, { re }: Complex): boolean {
  return decimal !== null && approximates(decimal, re);
}

const LARGE = 1e6;
/** The engine computes with 21 digits. */
const ENGINE_ERROR = 1e-19;

/** 20! + 1 and 20! have the same first digits: only what is left when one is taken from the other tells them apart. */
function sameLarge(difference: Expression): boolean {
  const exact = difference.evaluate();
  if (exact.isRational === true) return exact.is(0);
  const terms = exact.operator === "Add" ? (exact.ops ?? []) : [];
  const size = Math.max(0, ...terms.map((term) => Math.abs(term.N().re)));
  return Math.abs(difference.N().re) <= ENGINE_ERROR * size;
}

function sameByAlgebra(wanted: Expression, found: Expression): boolean {
  const isDefined = ![wanted, found].some(({ json }) => /NaN|ComplexInfinity/.test(JSON.stringify(json)));
  return isDefined && (wanted.isSame(found) || wanted.sub(found).simplify().is(0));
}

interface Complex {
  readonly re: number;
  readonly im: number;
}

type Sample = readonly [Complex, Complex];

function samplesOf([wanted, found]: [Expression, Expression], names: readonly string[]): Sample[] {
  const samples: Sample[] = [];
  for (const point of samplePoints(names)) {
    const [a, b] = [valueAt(wanted, point), valueAt(found, point)];
    if (a !== null && b !== null) samples.push([a, b]);
  }
  return samples;
}

const ENOUGH = 3;

/** Real values count before others: √(x³) and x√x part ways only where neither is real. Null when too few can be had. */
function agreeOnSamples(samples: readonly Sample[]): boolean | null {
  const real = samples.filter(([a, b]) => isReal(a) && isReal(b));
  const counted = real.length >= ENOUGH ? real : samples;
  return counted.length < ENOUGH ? null : counted.every(([a, b]) => isClose(a, b));
}

/** Two equations have the same solutions when one is a multiple of the other. */
function sameEquation(gold: string, given: string): boolean {
  const [wanted, found] = [difference(gold), difference(given)];
  if (wanted === null || found === null) return false;
  const samples = samplesOf([wanted, found], unknownsOf(wanted, found)).filter(([a, b]) => isReal(a) && isReal(b));
  const ratios = samples.filter(([, b]) => b.re !== 0).map(([a, b]) => ({ re: a.re / b.re, im: 0 }));
  const [first] = ratios;
  return (
    first !== undefined && first.re !== 0 && ratios.length >= ENOUGH && ratios.every((ratio) => isClose(ratio, first))
  );
}

function difference(equation: string): Expression | null {
  const [left = "", right = ""] = split(equation, "=");
  const [a, b] = [parseFormula(left), parseFormula(right)];
  return a === null || b === null ? null : a.sub(b);
}

/** A sum or a product of nothing, with bounds or without, which the engine prints errors about. */
const EMPTY_SUM = /\\(?:sum|prod)(?:[_^](?:\{[^{}]*\}|[^{}]))* ?(?=$|[)}\]=+*/-])/;
/** Two values in one formula; the lists that they stand for were compared before. */
const TWO_VALUES = /\\(?:pm|mp)(?![a-zA-Z])/;

/** Null for what is no formula. What the engine cannot join it reads as a tuple; real ones were taken apart before. */
function parseFormula(text: string): Expression | null {
  if (EMPTY_SUM.test(text) || TWO_VALUES.test(text)) return null;
  const expression = engine.parse(text);
  return expression.isValid && expression.operator !== "Tuple" ? expression : null;
}

function unknownsOf(a: Expression, b: Expression): string[] {
  return [...new Set([...a.unknowns, ...b.unknowns])].sort();
}

/** Null for what has no finite value. */
function valueAt(expression: Expression, point: Point): Complex | null {
  const { re, im } = evaluateFormula(expression.json, point);
  return Number.isFinite(re) && Number.isFinite(im) ? { re, im } : null;
}

function isReal({ re, im }: Complex): boolean {
  return Math.abs(im) <= 1e-12 * Math.max(1, Math.abs(re));
}

const CLOSE = 1e-10;

/** Differences this small are the rounding of the arithmetic, which has half as many digits more. */
function isClose(a: Complex, b: Complex): boolean {
  const size = Math.max(Math.hypot(a.re, a.im), Math.hypot(b.re, b.im));
  return Math.hypot(a.re - b.re, a.im - b.im) <= CLOSE * Math.max(size, 1e-6);
}
