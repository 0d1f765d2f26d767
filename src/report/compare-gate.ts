import {
  computeMinTasks,
  findDrops,
  findRegressionsTogether,
  type MetricComparison,
  type PairedComparison,
  type Regressions,
} from "../metrics/compare/index.js";
import { createSignedFormat, formatComparedValue, formatMetricName, formatPValue } from "./compare-cells.js";
import { formatNumber, formatPlural } from "./format.js";

/** What a gate reports about one comparison. */
export interface GateMessages {
  /** Why it fails; empty if it does not. */
  failures: readonly string[];
  /** Printed first: the gate could not have failed. Null when it could. */
  warning: string | null;
  remarks: readonly string[];
}

/** Reports where B is lower than A by more than `maxDrop`. */
export function describeDrops(comparisons: readonly PairedComparison[], maxDrop: number): GateMessages[] {
  return comparisons.map((comparison) => ({
    failures: findDrops(comparison, maxDrop).map(
      (metric) =>
        `${comparison.systemB}: ${formatMetricName(metric)} dropped by more than ${formatNumber(maxDrop)}: ${formatChange(metric)}`,
    ),
    warning: null,
    remarks: describeUnscoredTasks(comparison),
  }));
}

/** Reports where B is worse, where it may be worse, and where the test has too little power to tell. */
export function describeRegressions(comparisons: readonly PairedComparison[], minDifference: number): GateMessages[] {
  const found = findRegressionsTogether(comparisons, { minDifference });
  return comparisons.map((comparison, i) => describeGate(comparison, found[i] ?? NO_REGRESSIONS, minDifference));
}

const NO_REGRESSIONS: Regressions = { worse: [], unclear: [], blind: [], isFutile: false };

function describeGate(comparison: PairedComparison, found: Regressions, minDifference: number): GateMessages {
  const { systemB, tasks } = comparison;
  const remarks = [
    ...found.unclear.map(describeUnclear),
    ...(found.isFutile ? [] : describeUndetectable(found, minDifference)),
  ];
  return {
    failures: found.worse.map((metric) => `${systemB}: ${describeWorse(metric)}`),
    warning: found.isFutile && tasks.paired > 0 ? describeFutileGate(comparison, found) : null,
    remarks: [...remarks.map((remark) => `${systemB}: ${remark}`), ...describeUnscoredTasks(comparison)],
  };
}

function describeUnscoredTasks({ systemB, tasks: { aOnly } }: PairedComparison): string[] {
  if (aOnly === 0) return [];
  return [`${systemB}: ${formatPlural(aOnly, "task")} of A ${pickVerb(aOnly)} not scored in B and not counted`];
}

/** A gate that cannot fail must not look like a pass. */
function describeFutileGate({ systemB, level, tasks }: PairedComparison, { blind }: Regressions): string {
  const hypotheses = Math.max(1, ...blind.map((metric) => metric.hypotheses));
  const groups = Math.max(0, ...blind.map((metric) => metric.groups ?? 0));
  const has =
    groups === 0 ? formatPlural(tasks.paired, "paired task") : `paired tasks of ${formatPlural(groups, "group")}`;
  const fewest = computeMinTasks(level, hypotheses);
  const need = fewest === null ? "many more" : `at least ${fewest}`;
  const fewer = hypotheses < 2 ? "" : ", or compare one system and one metric with --system-a and --metric";
  return `WARNING: --fail-on-regression CHECKED NOTHING for ${systemB}: with ${has}, no loss, however large, would be significant. This is not a pass. Run ${groups === 0 ? `${need} examples` : `examples of ${need} groups`}${fewer}, or gate on the plain difference with --max-drop.`;
}

function describeWorse(metric: MetricComparison): string {
  return `${formatMetricName(metric)} is worse: ${formatChange(metric)} (${formatPValues(metric)})`;
}

function describeUnclear(metric: MetricComparison): string {
  return `${formatMetricName(metric)} is lower, but not significantly: ${formatChange(metric)} (${formatPValues(metric)})`;
}

/** The report corrects for all metrics, so its p-value may differ. */
function formatPValues({ p, adjustedP, hypotheses }: MetricComparison): string {
  const adjusted =
    adjustedP === null || hypotheses < 2
      ? ""
      : `, ${formatPValue(adjustedP)} after Holm correction for ${hypotheses} quality comparisons`;
  return `p ${formatPValue(p)}${adjusted}`;
}

function describeUndetectable({ blind }: Regressions, minDifference: number): string[] {
  return blind.map((metric) => {
    const least = metric.detectable?.difference ?? null;
    const tasks = `${formatMetricName(metric)}: with ${formatPlural(metric.n, "paired task")}`;
    if (least === null || minDifference === 0 || least <= minDifference)
      return `${tasks}${describeTooFewTasks(metric)}`;
    return `${tasks} a loss of ${formatNumber(minDifference)} may be missed: the minimum detectable difference at 80 % power is ${formatNumber(least)}`;
  });
}

function describeTooFewTasks({ hypotheses }: MetricComparison): string {
  const unfound = "few regressions could have been detected; run more examples";
  if (hypotheses < 2) return ` ${unfound}`;
  return ` and ${hypotheses} quality comparisons, ${unfound}, or compare one metric with --metric`;
}

function formatChange(metric: MetricComparison): string {
  const { a, b, difference } = metric;
  return `${formatComparedValue(metric, a)} → ${formatComparedValue(metric, b)}, ${createSignedFormat(metric)(difference)}`;
}

function pickVerb(count: number): string {
  return count === 1 ? "was" : "were";
}
