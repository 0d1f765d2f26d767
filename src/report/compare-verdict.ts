import {
  classifyAdjustedLift,
  classifyLift,
  findQualityMetric,
  type Lift,
  type MetricComparison,
  type PairedComparison,
  type TestName,
} from "../metrics/compare/index.js";
import { formatMetricName, formatPValue } from "./compare-cells.js";
import type { CompareVerdict } from "./dashboard/contract.js";

const LIFT_SENTENCES: Readonly<Record<Lift, string>> = {
  better: "B is better than A.",
  worse: "B is worse than A.",
  same_but_cheaper: "B is as good as A and costs less.",
  same_but_dearer: "B is no better than A and costs more.",
  inconclusive: "No significant difference in quality between A and B.",
};

/**
 * The verdict on B, decided by the same corrected p-values as the table of metrics, so that the two never contradict
 * each other.
 * @example
 * describeCompareVerdict(compareRows(before, after)).sentence; // "B is better than A."
 */
export function describeCompareVerdict(comparison: PairedComparison): CompareVerdict {
  const quality = findQualityMetric(comparison);
  if (comparison.tasks.paired === 0)
    return { lift: "inconclusive", sentence: "Nothing to compare: no task was scored in both." };
  if (quality === undefined) return { lift: "inconclusive", sentence: "Quality was not compared." };
  const lift = classifyAdjustedLift(comparison);
  return { lift, sentence: `${LIFT_SENTENCES[lift]}${describeUncorrected(comparison, quality, lift)}` };
}

/** A difference that only the correction hides deserves another look, and says why it is not significant. */
function describeUncorrected(comparison: PairedComparison, quality: MetricComparison, lift: Lift): string {
  const alone = classifyLift(comparison);
  if (lift === alone || (alone !== "better" && alone !== "worse")) return "";
  return ` B may be ${alone}: its ${formatMetricName(quality)} differs when tested alone (p ${formatPValue(quality.p)}), but not after correction for ${quality.hypotheses} comparisons (adjusted p ${formatPValue(quality.adjustedP)}).`;
}

/**
 * How the p-values of several systems are computed, in a few sentences for all of them.
 * @example
 * summarizeTests(comparisons)[0]; // "Differences are compared task by task, by McNemar's exact test (…)."
 */
export function summarizeTests(comparisons: readonly PairedComparison[]): string[] {
  const metrics = comparisons.flatMap((comparison) => comparison.metrics);
  const used = listUsedTests(metrics);
  if (used.length === 0) return [];
  const hypotheses = Math.max(...metrics.map((metric) => metric.hypotheses));
  const correction =
    hypotheses < 2
      ? []
      : [
          `Adjusted p-values have a Holm correction for ${hypotheses} comparisons, all metrics of all systems together, which limits the chance of any false positive. Metrics with the same figures count once.`,
        ];
  return [
    `Differences are compared task by task, by ${used.map((name) => TEST_NAMES[name]).join(" or ")}.`,
    ...correction,
  ];
}

const TEST_NAMES: Readonly<Record<TestName, string>> = {
  mcnemar: "McNemar's exact test (counts the tasks whose verdict changed)",
  "sign-flip": "exact sign-flip permutation test (tries all signs of the paired differences)",
  "sign-flip-sampled": "sampled sign-flip permutation test (tries random signs of the paired differences)",
};

export function describeTests({ metrics }: PairedComparison): string[] {
  const used = listUsedTests(metrics);
  if (used.length === 0) return [];
  const ways = used.map((name) => {
    const by = metrics.filter(({ test }) => test === name).map(formatMetricName);
    return used.length === 1 ? TEST_NAMES[name] : `${TEST_NAMES[name]} for ${by.join(", ")}`;
  });
  const hypotheses = Math.max(...metrics.map((metric) => metric.hypotheses));
  const isShared = hypotheses > metrics.filter(({ adjustedP }) => adjustedP !== null).length;
  const adjusted =
    hypotheses > 1
      ? `, with Holm correction for ${hypotheses} comparisons${isShared ? " of all systems together" : ""} (limits the chance of any false positive)`
      : "";
  return [`p-values: ${ways.join(" and ")}${adjusted}`];
}

function listUsedTests(metrics: readonly MetricComparison[]): TestName[] {
  return (Object.keys(TEST_NAMES) as TestName[]).filter((name) => metrics.some(({ test }) => test === name));
}
