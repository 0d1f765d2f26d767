import { incompleteBeta, inverseIncompleteBeta } from "./beta.js";
import { requireOpenProbability, requirePositive } from "./domain.js";

/** Below this two-sided tail the tail itself is inverted; above it the centre is, which keeps its digits at many df. */
const FAR_TAIL = 1e-6;

/** The probability of |T| > |t|, accurate relative to itself however small. */
function twoSidedTail(t: number, df: number): number {
  const square = t * t;
  if (square === Number.POSITIVE_INFINITY) return 0;
  // Whichever argument is far from 1 keeps its digits.
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
  const tail = twoSidedTail(t, df) / 2;
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
  return twoSidedTail(t, df);
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
  if (p === last.p && df === last.df) return last.t;
  const tail = 2 * Math.min(p, 1 - p);
  const magnitude = tail < FAR_TAIL ? fromTail(tail, df) : fromCentre(1 - tail, df);
  last = { p, df, t: p < 0.5 ? -magnitude : magnitude };
  return last.t;
}

/** The last answer: all intervals of a summary ask for the same one, and finding it takes a millisecond. */
let last = { p: Number.NaN, df: Number.NaN, t: Number.NaN };

function fromTail(tail: number, df: number): number {
  const x = inverseIncompleteBeta(tail, df / 2, 0.5);
  return Math.sqrt((df * (1 - x)) / x);
}

function fromCentre(centre: number, df: number): number {
  const y = inverseIncompleteBeta(centre, 0.5, df / 2);
  // At few degrees of freedom y is close to 1 and only its distance from 1 is worth having.
  return y > 0.5 ? fromTail(1 - centre, df) : Math.sqrt((df * y) / (1 - y));
}
