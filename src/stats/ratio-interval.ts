import { requireOpenProbability, requireSameLength } from "./domain.js";
import { DEFAULT_LEVEL, NO_INTERVAL, type OpenInterval } from "./interval.js";
import { mean, type Numbers } from "./mean.js";
import { studentQuantile } from "./student.js";

export interface RatioInterval extends OpenInterval {
  /** Mean numerator over mean denominator; Infinity when every denominator is 0. */
  ratio: number;
  se: number | null;
  /** The squared relative t-width of the denominator: from 1 on it may be zero, and the ratio has no upper bound. */
  g: number | null;
  n: number;
  /** True when the data cannot bound the ratio from above; `high` is null then. */
  unbounded: boolean;
}

interface Moments {
  ratio: number;
  denominator: number;
  varianceOfDenominator: number;
  varianceOfRatio: number;
}

function requireNonNegative(name: string, values: Numbers): void {
  for (let i = 0; i < values.length; i++) {
    const value = values[i] ?? 0;
    if (!(value >= 0 && value < Number.POSITIVE_INFINITY)) {
      throw new RangeError(`${name} must be finite and not negative, got ${value}`);
    }
  }
}

function moments(numerators: Numbers, denominators: Numbers): Moments {
  const n = numerators.length;
  const denominator = mean(denominators);
  const ratio = mean(numerators) / denominator;
  const pairs = n * (n - 1);
  let squares = 0;
  let residuals = 0;
  for (let i = 0; i < n; i++) {
    const x = denominators[i] ?? 0;
    squares += (x - denominator) ** 2;
    // v_y - 2R c_xy + R² v_x is the variance of y - Rx; summed this way it cannot come out negative.
    residuals += ((numerators[i] ?? 0) - ratio * x) ** 2;
  }
  return {
    ratio,
    denominator,
    varianceOfDenominator: squares / pairs,
    varianceOfRatio: residuals / pairs / denominator ** 2,
  };
}

/**
 * A ratio of means over tasks (cost per pass, tokens per pass) with its delta-method interval on the log scale.
 * @example
 * ratioInterval([0.11, 0.29, 0.055], [1, 0.5, 1]); // dollars over passes, one value per task
 */
export function ratioInterval(
  numerators: Numbers,
  denominators: Numbers,
  options: { level?: number | undefined } = {},
): RatioInterval {
  const { level = DEFAULT_LEVEL } = options;
  requireOpenProbability("level", level);
  requireSameLength("numerators and denominators", numerators.length, denominators.length);
  requireNonNegative("numerators", numerators);
  requireNonNegative("denominators", denominators);
  const n = numerators.length;
  const { ratio, denominator, varianceOfDenominator, varianceOfRatio } = moments(numerators, denominators);
  if (denominator === 0) {
    return { ratio: Number.POSITIVE_INFINITY, se: null, ...NO_INTERVAL, g: null, n, unbounded: true };
  }
  if (n < 2) return { ratio, se: null, ...NO_INTERVAL, g: null, n, unbounded: false };

  const t = studentQuantile((1 + level) / 2, n - 1);
  const g = (t * t * varianceOfDenominator) / denominator ** 2;
  const se = Math.sqrt(varianceOfRatio);
  const factor = ratio === 0 ? 1 : Math.exp((t * se) / ratio);
  const unbounded = g >= 1 || factor === Number.POSITIVE_INFINITY;
  return { ratio, se, low: ratio / factor, high: unbounded ? null : ratio * factor, g, n, unbounded };
}
