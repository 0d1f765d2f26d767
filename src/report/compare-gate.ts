import {
  type Comparison,
  fewestTasks,
  findDrops,
  type MetricComparison,
  type Regressions,
  regressionsOf,
} from "../metrics/compare/index.js";
import { metricName, metricValue, pValue, signedIn } from "./compare-cells.js";
import { formatNumber, plural } from "./format.js";

/** What a gate reports about one comparison. */
export interface GateWords {
  /** Why it fails; empty if it does not. */
  failures: readonly string[];
  /** Printed first: the gate could not have failed. Null when it could. */
  warning: string | null;
  remarks: readonly string[];
}

/** Reports where B is lower than A by more than `maxDrop`. */
export function dropWords(comparisons: readonly Comparison[], maxDrop: number): GateWords[] {
  return comparisons.map((comparison) => ({
    failures: findDrops(comparison, maxDrop).map(
      (metric) =>
        `${comparison.systemB}: ${metricName(metric)} dropped by more than ${formatNumber(maxDrop)}: ${fromTo(metric)}`,
    ),
    warning: null,
    remarks: unseenWords(comparison),
  }));
}

/** Reports where B is worse, where it may be worse, and where the test has too little power to tell. */
export function gateWords(comparisons: readonly Comparison[], minDifference: number): GateWords[] {
  const found = regressionsOf(comparisons, { minDifference });
  return comparisons.map((comparison, i) => wordsOf(comparison, found[i] ?? NOTHING, minDifference));
}

const NOTHING: Regressions = { worse: [], unclear: [], blind: [], isFutile: false };

function wordsOf(comparison: Comparison, found: Regressions, minDifference: number): GateWords {
  const { systemB, tasks } = comparison;
  const remarks = [...found.unclear.map(unclearWords), ...(found.isFutile ? [] : blindWords(found, minDifference))];
  return {
    failures: found.worse.map((metric) => `${systemB}: ${worseWords(metric)}`),
    warning: found.isFutile && tasks.paired > 0 ? futileWords(comparison, found) : null,
    remarks: [...remarks.map((remark) => `${systemB}: ${remark}`), ...unseenWords(comparison)],
  };
}

function unseenWords({ systemB, tasks: { aOnly } }: Comparison): string[] {
  if (aOnly === 0) return [];
  return [`${systemB}: ${plural(aOnly, "task")} of A ${wasOrWere(aOnly)} not scored in B and not counted`];
}

/** A gate that cannot fail must not look like a pass. */
function futileWords({ systemB, level, tasks }: Comparison, { blind }: Regressions): string {
  const hypotheses = Math.max(1, ...blind.map((metric) => metric.hypotheses));
  const groups = Math.max(0, ...blind.map((metric) => metric.groups ?? 0));
  const has = groups === 0 ? plural(tasks.paired, "paired task") : `paired tasks of ${plural(groups, "group")}`;
  const fewest = fewestTasks(level, hypotheses);
  const need = fewest === null ? "many more" : `at least ${fewest}`;
  const fewer = hypotheses < 2 ? "" : ", or compare one system and one metric with --system-a and --metric";
  return `WARNING: --fail-on-regression CHECKED NOTHING for ${systemB}: with ${has}, no loss, however large, would be significant. This is not a pass. Run ${groups === 0 ? `${need} examples` : `examples of ${need} groups`}${fewer}, or gate on the plain difference with --max-drop.`;
}

function worseWords(metric: MetricComparison): string {
  return `${metricName(metric)} is worse: ${fromTo(metric)} (${pWords(metric)})`;
}

function unclearWords(metric: MetricComparison): string {
  return `${metricName(metric)} is lower, but not significantly: ${fromTo(metric)} (${pWords(metric)})`;
}

/** The report corrects for all metrics, so its p-value may differ. */
function pWords({ p, adjustedP, hypotheses }: MetricComparison): string {
  const adjusted =
    adjustedP === null || hypotheses < 2
      ? ""
      : `, ${pValue(adjustedP)} after Holm correction for ${hypotheses} quality comparisons`;
  return `p ${pValue(p)}${adjusted}`;
}

function blindWords({ blind }: Regressions, minDifference: number): string[] {
  return blind.map((metric) => {
    const least = metric.detectable?.difference ?? null;
    const tasks = `${metricName(metric)}: with ${plural(metric.n, "paired task")}`;
    if (least === null || minDifference === 0 || least <= minDifference) return `${tasks}${tooFewWords(metric)}`;
    return `${tasks} a loss of ${formatNumber(minDifference)} may be missed: the minimum detectable difference at 80 % power is ${formatNumber(least)}`;
  });
}

function tooFewWords({ hypotheses }: MetricComparison): string {
  const unfound = "few regressions could have been detected; run more examples";
  if (hypotheses < 2) return ` ${unfound}`;
  return ` and ${hypotheses} quality comparisons, ${unfound}, or compare one metric with --metric`;
}

function fromTo(metric: MetricComparison): string {
  const { a, b, difference } = metric;
  return `${metricValue(metric, a)} → ${metricValue(metric, b)}, ${signedIn(metric)(difference)}`;
}

function wasOrWere(count: number): string {
  return count === 1 ? "was" : "were";
}
