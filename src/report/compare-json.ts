import {
  type Comparison,
  findDrops,
  type Lift,
  liftOf,
  type MetricComparison,
  type RunComparison,
  regressionsOf,
} from "../metrics/compare/index.js";

/** The comparison of two runs as programs read it: every list in full, and null with a reason for what is undefined. */
export interface CompareReport extends Omit<RunComparison, "comparisons"> {
  schema: "assay.comparison/1";
  comparisons: readonly ComparedSystems[];
}

interface ComparedSystems extends Comparison {
  lift: Lift;
  /** Names of the quality metrics in which B is worse for sure, and of those it could not have been told of. */
  regressions: {
    worse: readonly string[];
    undetectable: readonly string[];
    /** Those that are lower by more than was allowed, whatever chance may do; absent where nothing was said of it. */
    dropped?: readonly string[];
  };
}

/** What gates let pass. */
interface GateLimits {
  minDifference?: number | undefined;
  maxDrop?: number | undefined;
}

/** The JSON report of a comparison. */
export function compareReport(compared: RunComparison, { minDifference = 0, maxDrop }: GateLimits = {}): CompareReport {
  const found = regressionsOf(compared.comparisons, { minDifference });
  const comparisons = compared.comparisons.map((comparison, i): ComparedSystems => {
    const { worse = [], blind = [] } = found[i] ?? {};
    const names = (metrics: readonly MetricComparison[]) => metrics.map(({ metric }) => metric);
    const regressions = {
      worse: names(worse),
      undetectable: names(blind),
      ...(maxDrop === undefined ? {} : { dropped: names(findDrops(comparison, maxDrop)) }),
    };
    return { ...comparison, lift: liftOf(comparison), regressions };
  });
  return { schema: "assay.comparison/1", ...compared, comparisons };
}
