import { requireSameLength } from "./distributions.js";
import { DEFAULT_LEVEL, type MeanIntervalOptions, type OpenInterval, scoreInterval } from "./intervals.js";
import { mean, type Numbers, sumByCluster } from "./mean.js";

/** The ratio of two mean scores of the same tasks. */
export interface PairedRatio extends OpenInterval {
  /** Null if the denominator is 0. */
  readonly ratio: number | null;
  /** The number of tasks. */
  readonly n: number;
}

/**
 * The ratio of two mean scores in [0, 1] of the same tasks, such as pass rates with and without faults. The interval
 * combines those of the two means and their correlation (MOVER, Donner and Zou 2012), so that it has some width even if
 * every trial passed. The upper bound is null if the denominator may be 0.
 * @example
 * pairedRatio([1, 0.5, 1, 0], [1, 1, 1, 0.5]); // a under stress, b without
 */
export function pairedRatio(a: Numbers, b: Numbers, options: MeanIntervalOptions = {}): PairedRatio {
  requireSameLength("a and b", a.length, b.length);
  const { level = DEFAULT_LEVEL, clusters } = options;
  const n = a.length;
  const [top, bottom] = [scoreInterval(a, { level, clusters }), scoreInterval(b, { level, clusters })];
  if (n === 0 || bottom.mean === 0) return { ratio: null, low: null, high: null, n };
  const ratio = top.mean / bottom.mean;
  // One task, or one cluster, says nothing about others.
  if (n < 2 || top.low === null || top.high === null || bottom.low === null || bottom.high === null)
    return { ratio, low: null, high: null, n };
  const correlation = correlate(a, b, clusters);
  const { mean: p } = top;
  const { mean: q } = bottom;
  const low = solve({
    cross: p * q - correlation * (p - top.low) * (bottom.high - q),
    numerator: top.low * (2 * p - top.low),
    denominator: bottom.high * (2 * q - bottom.high),
    sign: -1,
  });
  const high = solve({
    cross: p * q - correlation * (top.high - p) * (q - bottom.low),
    numerator: top.high * (2 * p - top.high),
    denominator: bottom.low * (2 * q - bottom.low),
    sign: 1,
  });
  return { ratio, low: Math.min(ratio, Math.max(0, low ?? 0)), high: high === null ? null : Math.max(ratio, high), n };
}

interface BoundTerms {
  readonly cross: number;
  readonly numerator: number;
  readonly denominator: number;
  readonly sign: 1 | -1;
}

/** A root of denominator·r² − 2·cross·r + numerator; null if it has none of this sign. */
function solve({ cross, numerator, denominator, sign }: BoundTerms): number | null {
  const root = Math.sqrt(Math.max(0, cross * cross - numerator * denominator));
  // The smaller root in a form that needs no division by a denominator that may be 0 or negative.
  if (sign === -1) return cross + root === 0 ? 0 : numerator / (cross + root);
  return denominator <= 0 ? null : (cross + root) / denominator;
}

/** The correlation of the two scores over tasks, or over sums of clusters; 0 if one of them never varies. */
function correlate(a: Numbers, b: Numbers, clusters: MeanIntervalOptions["clusters"]): number {
  const center = (values: Numbers) => {
    const middle = mean(values);
    return clusters === undefined
      ? Float64Array.from(values, (value) => value - middle)
      : sumByCluster(values, clusters, middle);
  };
  const [x, y] = [center(a), center(b)];
  let [xx, yy, xy] = [0, 0, 0];
  for (let i = 0; i < x.length; i++) {
    const [dx, dy] = [x[i] ?? 0, y[i] ?? 0];
    xx += dx * dx;
    yy += dy * dy;
    xy += dx * dy;
  }
  return xx < 1e-12 || yy < 1e-12 ? 0 : xy / Math.sqrt(xx * yy);
}
