import { type Comparison, type Lift, liftOf, type RunComparison, regressionsOf } from "../compare/index.js";

/** The comparison of two runs as programs read it: every list in full, and null with a reason for what is undefined. */
export interface CompareReport extends Omit<RunComparison, "comparisons"> {
  schema: "assay.comparison/1";
  comparisons: readonly ComparedSystems[];
}

interface ComparedSystems extends Comparison {
  lift: Lift;
  /** Names of the quality metrics in which B is worse for sure, and of those it could not have been told of. */
  regressions: { worse: readonly string[]; undetectable: readonly string[] };
}

/** The JSON report of a comparison. */
export function compareReport(compared: RunComparison, minDifference = 0): CompareReport {
  const found = regressionsOf(compared.comparisons, { minDifference });
  const comparisons = compared.comparisons.map((comparison, i): ComparedSystems => {
    const { worse = [], blind = [] } = found[i] ?? {};
    const names = (metrics: typeof worse) => metrics.map(({ metric }) => metric);
    const regressions = { worse: names(worse), undetectable: names(blind) };
    return { ...comparison, lift: liftOf(comparison), regressions };
  });
  return { schema: "assay.comparison/1", ...compared, comparisons };
}
