import { requirePositive, requireProbability } from "./domain.js";
import { stirlingError } from "./gamma.js";

interface BetaPoint {
  a: number;
  b: number;
  /** The point, and its distance from 1; both are given because 1 - x loses the digits of a small x. */
  x: number;
  y: number;
}

const TINY = 1e-300;
const EPSILON = 2 ** -52;
const MAX_FRACTION_STEPS = 100_000;
const MAX_NEWTON_STEPS = 200;

/** x ln(x/m) + m - x without the cancellation near x = m (Loader's deviance). */
function deviance(x: number, m: number): number {
  if (Math.abs(x - m) >= 0.1 * (x + m)) return x * Math.log(x / m) + m - x;
  const v = (x - m) / (x + m);
  let sum = (x - m) * v;
  let term = 2 * x * v;
  for (let odd = 3; ; odd += 2) {
    term *= v * v;
    const next = sum + term / odd;
    if (next === sum) return sum;
    sum = next;
  }
}

/** x^a y^b / B(a, b), by saddle point: differences of log-gammas would lose nine digits at a million trials. */
function powerTerm({ a, b, x, y }: BetaPoint): number {
  const n = a + b;
  const logRatio = stirlingError(n) - stirlingError(a) - stirlingError(b) - deviance(a, n * x) - deviance(b, n * y);
  return Math.sqrt((a * b) / (2 * Math.PI * n)) * Math.exp(logRatio);
}

const awayFromZero = (value: number) => (Math.abs(value) < TINY ? TINY : value);

/** The continued fraction of the incomplete beta function, by Lentz's method. */
function fraction({ a, b, x }: BetaPoint): number {
  let c = 1;
  let d = 1 / awayFromZero(1 - ((a + b) * x) / (a + 1));
  let value = d;
  for (let m = 1; m <= MAX_FRACTION_STEPS; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / awayFromZero(1 + even * d);
    c = awayFromZero(1 + even / c);
    value *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / awayFromZero(1 + odd * d);
    c = awayFromZero(1 + odd / c);
    value *= d * c;
    if (Math.abs(d * c - 1) < EPSILON) break;
  }
  return value;
}

function lowerTail(point: BetaPoint): number {
  const { a, b, x, y } = point;
  if (x <= 0) return 0;
  if (y <= 0) return 1;
  // The fraction converges fast only below the mean; above it the mirrored tail is the small one.
  if (x < (a + 1) / (a + b + 2)) return (powerTerm(point) * fraction(point)) / a;
  const mirrored = { a: b, b: a, x: y, y: x };
  return 1 - (powerTerm(mirrored) * fraction(mirrored)) / b;
}

/**
 * The regularised incomplete beta function I_x(a, b): the probability that a Beta(a, b) variable is at most x.
 * @example
 * incompleteBeta(0.5, 2, 2); // 0.5
 */
export function incompleteBeta(x: number, a: number, b: number): number {
  requireProbability("x", x);
  requirePositive("a", a);
  requirePositive("b", b);
  return lowerTail({ a, b, x, y: 1 - x });
}

const clamp = (value: number, low: number, high: number) => Math.min(high, Math.max(low, value));

function firstGuess(p: number, a: number, b: number): number {
  const mean = a / (a + b);
  // Near zero I_x grows like x^a, so its root is found at once by inverting the leading term.
  const atMean = lowerTail({ a, b, x: mean, y: b / (a + b) });
  return p < atMean ? mean * (p / atMean) ** (1 / a) : 1 - (1 - mean) * ((1 - p) / (1 - atMean)) ** (1 / b);
}

/**
 * The x at which the regularised incomplete beta function reaches p.
 * @example
 * inverseIncompleteBeta(0.5, 3, 3); // 0.5
 */
export function inverseIncompleteBeta(p: number, a: number, b: number): number {
  requireProbability("p", p);
  requirePositive("a", a);
  requirePositive("b", b);
  if (p === 0 || p === 1) return p;
  let [low, high] = [0, 1];
  let x = firstGuess(p, a, b);
  for (let step = 0; step < MAX_NEWTON_STEPS; step++) {
    if (!(x > low && x < high)) x = (low + high) / 2;
    const point = { a, b, x, y: 1 - x };
    const error = lowerTail(point) - p;
    if (error > 0) high = x;
    else low = x;
    const density = powerTerm(point) / (x * point.y);
    const newton = error / density;
    // Halley's correction, bounded so that it can neither turn the step around nor shrink it to nothing.
    const curvature = clamp(newton * ((a - 1) / x - (b - 1) / point.y), -1, 1);
    const following = x - newton / (1 - 0.5 * curvature);
    if (error === 0 || Math.abs(following - x) <= EPSILON * x || high - low <= EPSILON * low) return x;
    x = following;
  }
  return (low + high) / 2;
}
