export function requireInteger(name: string, value: number, range: { low: number; high?: number }): void {
  const high = range.high ?? Number.MAX_SAFE_INTEGER;
  if (Number.isSafeInteger(value) && value >= range.low && value <= high) return;
  const expected = range.high === undefined ? `an integer >= ${range.low}` : `an integer from ${range.low} to ${high}`;
  throw new RangeError(`${name} must be ${expected}, got ${value}`);
}

export function requireProbability(name: string, value: number): void {
  if (value >= 0 && value <= 1) return;
  throw new RangeError(`${name} must be between 0 and 1, got ${value}`);
}

export function requireOpenProbability(name: string, value: number): void {
  if (value > 0 && value < 1) return;
  throw new RangeError(`${name} must be strictly between 0 and 1, got ${value}`);
}

export function requirePositive(name: string, value: number): void {
  if (value > 0 && value < Number.POSITIVE_INFINITY) return;
  throw new RangeError(`${name} must be a finite number above 0, got ${value}`);
}

export function requireSameLength(names: string, first: number, second: number): void {
  if (first === second) return;
  throw new RangeError(`${names} must have the same length, got ${first} and ${second}`);
}

const HALF_LOG_TWO_PI = 0.5 * Math.log(2 * Math.PI);
/** From here on, six terms of the asymptotic series are exact to double precision. */
const MIN_SERIES_X = 10;
const STIRLING_COEFFICIENTS = [1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360] as const;

function sumStirlingSeries(x: number): number {
  const square = x * x;
  let power = x;
  let sum = 0;
  for (const coefficient of STIRLING_COEFFICIENTS) {
    sum += coefficient / power;
    power *= square;
  }
  return sum;
}

/**
 * The natural logarithm of the gamma function for x > 0.
 * @example
 * logGamma(5); // ln 24
 */
export function logGamma(x: number): number {
  if (!(x > 0)) throw new RangeError(`x must be above 0, got ${x}`);
  // Shifting upward costs at most ten multiplications and avoids the tuned constants of a Lanczos sum.
  let shifted = x;
  let product = 1;
  while (shifted < MIN_SERIES_X) product *= shifted++;
  return (
    (shifted - 0.5) * Math.log(shifted) - shifted + HALF_LOG_TWO_PI + sumStirlingSeries(shifted) - Math.log(product)
  );
}

/** The error of Stirling's formula for ln x!, x > 0. It is small, so sums do not cancel as log-gammas do. */
export function computeStirlingError(x: number): number {
  if (x >= MIN_SERIES_X) return sumStirlingSeries(x);
  return logGamma(x + 1) - (x + 0.5) * Math.log(x) + x - HALF_LOG_TWO_PI;
}

interface BetaPoint {
  a: number;
  b: number;
  /** The point and its distance from 1: computing 1 - x would lose the digits of a small x. */
  x: number;
  y: number;
}

const TINY = 1e-300;
const EPSILON = 2 ** -52;
const MAX_FRACTION_STEPS = 100_000;
const MAX_NEWTON_STEPS = 200;

/** x ln(x/m) + m - x without the cancellation near x = m (Loader's deviance). */
function computeDeviance(x: number, m: number): number {
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
function computePowerTerm({ a, b, x, y }: BetaPoint): number {
  const n = a + b;
  const logRatio =
    computeStirlingError(n) -
    computeStirlingError(a) -
    computeStirlingError(b) -
    computeDeviance(a, n * x) -
    computeDeviance(b, n * y);
  return Math.sqrt((a * b) / (2 * Math.PI * n)) * Math.exp(logRatio);
}

const replaceZero = (value: number) => (Math.abs(value) < TINY ? TINY : value);

/** The continued fraction of the incomplete beta function, by Lentz's method. */
function computeBetaFraction({ a, b, x }: BetaPoint): number {
  let c = 1;
  let d = 1 / replaceZero(1 - ((a + b) * x) / (a + 1));
  let value = d;
  for (let m = 1; m <= MAX_FRACTION_STEPS; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / replaceZero(1 + even * d);
    c = replaceZero(1 + even / c);
    value *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / replaceZero(1 + odd * d);
    c = replaceZero(1 + odd / c);
    value *= d * c;
    if (Math.abs(d * c - 1) < EPSILON) break;
  }
  return value;
}

function computeLowerTail(point: BetaPoint): number {
  const { a, b, x, y } = point;
  if (x <= 0) return 0;
  if (y <= 0) return 1;
  // The fraction converges fast only below the mean; above it the mirrored tail is the small one.
  if (x < (a + 1) / (a + b + 2)) return (computePowerTerm(point) * computeBetaFraction(point)) / a;
  const mirrored = { a: b, b: a, x: y, y: x };
  return 1 - (computePowerTerm(mirrored) * computeBetaFraction(mirrored)) / b;
}

/**
 * The regularized incomplete beta function I_x(a, b): the probability that a Beta(a, b) variable is at most x.
 * @example
 * incompleteBeta(0.5, 2, 2); // 0.5
 */
export function incompleteBeta(x: number, a: number, b: number): number {
  requireProbability("x", x);
  requirePositive("a", a);
  requirePositive("b", b);
  return computeLowerTail({ a, b, x, y: 1 - x });
}

const clamp = (value: number, low: number, high: number) => Math.min(high, Math.max(low, value));

function estimateInverseBeta(p: number, a: number, b: number): number {
  const mean = a / (a + b);
  // Near zero I_x grows like x^a, so inverting the leading term gives the root.
  const atMean = computeLowerTail({ a, b, x: mean, y: b / (a + b) });
  return p < atMean ? mean * (p / atMean) ** (1 / a) : 1 - (1 - mean) * ((1 - p) / (1 - atMean)) ** (1 / b);
}

/**
 * The inverse of the regularized incomplete beta function: the x where it reaches p.
 * @example
 * inverseIncompleteBeta(0.5, 3, 3); // 0.5
 */
export function inverseIncompleteBeta(p: number, a: number, b: number): number {
  requireProbability("p", p);
  requirePositive("a", a);
  requirePositive("b", b);
  if (p === 0 || p === 1) return p;
  let [low, high] = [0, 1];
  let x = estimateInverseBeta(p, a, b);
  for (let step = 0; step < MAX_NEWTON_STEPS; step++) {
    if (!(x > low && x < high)) x = (low + high) / 2;
    const point = { a, b, x, y: 1 - x };
    const error = computeLowerTail(point) - p;
    if (error > 0) high = x;
    else low = x;
    const density = computePowerTerm(point) / (x * point.y);
    const newton = error / density;
    // Halley's correction, bounded so that it can neither reverse the step nor shrink it to nothing.
    const curvature = clamp(newton * ((a - 1) / x - (b - 1) / point.y), -1, 1);
    const following = x - newton / (1 - 0.5 * curvature);
    if (error === 0 || Math.abs(following - x) <= EPSILON * x || high - low <= EPSILON * low) return x;
    x = following;
  }
  return (low + high) / 2;
}

const computeNormalDensity = (x: number) => Math.exp(-0.5 * x * x) / Math.sqrt(2 * Math.PI);

/** The area between 0 and x by power series: every term is positive, so nothing cancels. */
function computeCentralArea(x: number): number {
  let term = x;
  let sum = x;
  for (let odd = 3; ; odd += 2) {
    term *= (x * x) / odd;
    const next = sum + term;
    if (next === sum) return sum * computeNormalDensity(x);
    sum = next;
  }
}

/** The area above x by Laplace's continued fraction, evaluated backward. */
function computeUpperTail(x: number): number {
  let value = x;
  for (let k = 120; k >= 1; k--) value = x + k / value;
  return computeNormalDensity(x) / value;
}

/**
 * The probability that a standard normal variable is at most x.
 * @example
 * normalCdf(1.959963984540054); // 0.975
 */
export function normalCdf(x: number): number {
  if (Number.isNaN(x)) throw new RangeError("x must be a number, got NaN");
  if (x < -3) return computeUpperTail(-x);
  if (x > 3) return 1 - computeUpperTail(x);
  return 0.5 + computeCentralArea(x);
}

/**
 * The standard normal quantile: the z with a probability of p below it.
 * @example
 * normalQuantile(0.975); // 1.959963984540054
 */
export function normalQuantile(p: number): number {
  requireOpenProbability("p", p);
  if (p > 0.5) return -normalQuantile(1 - p);
  // Abramowitz and Stegun 26.2.23 is good to 4.5e-4; each Halley step then triples the number of correct digits.
  const t = Math.sqrt(-2 * Math.log(p));
  let x = (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))) - t;
  for (let step = 0; step < 3; step++) {
    const newton = (normalCdf(x) - p) / computeNormalDensity(x);
    x -= newton / (1 + 0.5 * x * newton);
  }
  return x;
}

/** Below this two-sided tail, the tail itself is inverted; above it the center, which is more accurate for large df. */
const MAX_FAR_TAIL = 1e-6;

/** The probability of |T| > |t|, with a small relative error for any t. */
function computeTwoSidedTail(t: number, df: number): number {
  const square = t * t;
  if (square === Number.POSITIVE_INFINITY) return 0;
  // Choose the argument that is far from 1, which keeps its digits.
  if (square < df) return 1 - incompleteBeta(square / (df + square), 0.5, df / 2);
  return incompleteBeta(df / (df + square), df / 2, 0.5);
}

/**
 * The probability that a Student t variable with df degrees of freedom is at most t.
 * @example
 * studentCdf(2.262157162740992, 9); // 0.975
 */
export function studentCdf(t: number, df: number): number {
  requirePositive("df", df);
  if (Number.isNaN(t)) throw new RangeError("t must be a number, got NaN");
  const tail = computeTwoSidedTail(t, df) / 2;
  return t > 0 ? 1 - tail : tail;
}

/**
 * The two-sided p-value of a t statistic.
 * @example
 * studentTwoSidedP(0.551677, 7); // 0.5983
 */
export function studentTwoSidedP(t: number, df: number): number {
  requirePositive("df", df);
  if (Number.isNaN(t)) throw new RangeError("t must be a number, got NaN");
  return computeTwoSidedTail(t, df);
}

/**
 * The quantile of Student's t distribution with df degrees of freedom.
 * @example
 * studentQuantile(0.975, 9); // 2.262157162740992
 */
export function studentQuantile(p: number, df: number): number {
  requireOpenProbability("p", p);
  requirePositive("df", df);
  if (p === 0.5) return 0;
  if (p === lastQuantile.p && df === lastQuantile.df) return lastQuantile.t;
  const tail = 2 * Math.min(p, 1 - p);
  const magnitude = tail < MAX_FAR_TAIL ? computeQuantileFromTail(tail, df) : computeQuantileFromCenter(1 - tail, df);
  lastQuantile = { p, df, t: p < 0.5 ? -magnitude : magnitude };
  return lastQuantile.t;
}

/** Caches the last result: all intervals of a summary need the same one, and computing it takes a millisecond. */
let lastQuantile = { p: Number.NaN, df: Number.NaN, t: Number.NaN };

function computeQuantileFromTail(tail: number, df: number): number {
  const x = inverseIncompleteBeta(tail, df / 2, 0.5);
  return Math.sqrt((df * (1 - x)) / x);
}

function computeQuantileFromCenter(center: number, df: number): number {
  const y = inverseIncompleteBeta(center, 0.5, df / 2);
  // With few degrees of freedom y is close to 1, and only its distance from 1 is accurate.
  return y > 0.5 ? computeQuantileFromTail(1 - center, df) : Math.sqrt((df * y) / (1 - y));
}

/**
 * The probability of at most k successes in n trials of probability p.
 * @example
 * binomialCdf(1, 7, 0.5); // 0.0625
 */
export function binomialCdf(k: number, n: number, p: number): number {
  requireInteger("n", n, { low: 0 });
  requireProbability("p", p);
  if (!Number.isInteger(k)) throw new RangeError(`k must be an integer, got ${k}`);
  if (k < 0) return 0;
  if (k >= n) return 1;
  return incompleteBeta(1 - p, n - k, k + 1);
}
