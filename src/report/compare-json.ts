import {
  classifyLift,
  findDrops,
  findRegressionsTogether,
  type Lift,
  type MetricComparison,
  type PairedComparison,
  type RunComparison,
} from "../metrics/compare/index.js";

/** The comparison of two runs for programs: every list in full, and null with a reason for undefined values. */
export interface CompareReport extends Omit<RunComparison, "comparisons"> {
  schema: "assay.comparison/1";
  comparisons: readonly ComparedSystems[];
}

interface ComparedSystems extends PairedComparison {
  lift: Lift;
  /** Names of the quality metrics that are significantly worse in B, and of those where the test had too little power. */
  regressions: {
    worse: readonly string[];
    undetectable: readonly string[];
    /** Names of the metrics that dropped by more than `maxDrop`, without a significance test; absent without a limit. */
    dropped?: readonly string[];
  };
}

interface GateLimits {
  minDifference?: number | undefined;
  maxDrop?: number | undefined;
}

export function buildCompareReport(
  compared: RunComparison,
  { minDifference = 0, maxDrop }: GateLimits = {},
): CompareReport {
  const found = findRegressionsTogether(compared.comparisons, { minDifference });
  const comparisons = compared.comparisons.map((comparison, i): ComparedSystems => {
    const { worse = [], blind = [] } = found[i] ?? {};
    const names = (metrics: readonly MetricComparison[]) => metrics.map(({ metric }) => metric);
    const regressions = {
      worse: names(worse),
      undetectable: names(blind),
      ...(maxDrop === undefined ? {} : { dropped: names(findDrops(comparison, maxDrop)) }),
    };
    return { ...comparison, lift: classifyLift(comparison), regressions };
  });
  return { schema: "assay.comparison/1", ...compared, comparisons };
}
