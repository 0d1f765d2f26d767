import { type Comparison, type MetricComparison, type Regressions, regressionsIn } from "../compare/index.js";
import { metricName, metricValue, pValue, signedIn } from "./compare-cells.js";
import { formatNumber, plural } from "./format.js";

/** What the gate against regressions says of one comparison. */
export interface GateWords {
  isWorse: boolean;
  messages: readonly string[];
}

/** Says where B is worse, where it may be, and where this design could not have told. */
export function gateWords(comparison: Comparison, minDifference: number): GateWords {
  const found = regressionsIn(comparison, { minDifference });
  const { systemB, tasks } = comparison;
  const unseen =
    tasks.aOnly === 0
      ? []
      : [`${plural(tasks.aOnly, "task")} of A ${wasOrWere(tasks.aOnly)} not scored in B and decided nothing`];
  const messages = [
    ...found.worse.map(worseWords),
    ...found.unclear.map(unclearWords),
    ...blindWords(found, minDifference),
    ...unseen,
  ];
  return { isWorse: found.worse.length > 0, messages: messages.map((message) => `${systemB}: ${message}`) };
}

function worseWords(metric: MetricComparison): string {
  return `${metricName(metric)} is worse: ${fromTo(metric)} (adjusted p ${pValue(metric.adjustedP)})`;
}

function unclearWords(metric: MetricComparison): string {
  const { p, adjustedP, hypotheses } = metric;
  const adjusted =
    adjustedP === null || hypotheses < 2 ? "" : `, ${pValue(adjustedP)} adjusted over ${hypotheses} differences`;
  return `${metricName(metric)} is lower, but chance may do that too: ${fromTo(metric)} (p ${pValue(p)}${adjusted})`;
}

function blindWords({ blind }: Regressions, minDifference: number): string[] {
  return blind.map((metric) => {
    const least = metric.detectable?.difference ?? null;
    const tasks = `${metricName(metric)}: with ${plural(metric.n, "paired task")}`;
    if (least === null || minDifference === 0 || least <= minDifference) return `${tasks}${tooFewWords(metric)}`;
    return `${tasks} a loss of ${formatNumber(minDifference)} could well have been missed: this design finds ${formatNumber(least)} and more`;
  });
}

function tooFewWords({ hypotheses }: MetricComparison): string {
  const unfound = "hardly any regression could have been found; run more examples";
  if (hypotheses < 2) return ` ${unfound}`;
  return ` and ${hypotheses} differences to tell, ${unfound}, or ask for fewer metrics with --metric`;
}

function fromTo(metric: MetricComparison): string {
  const { a, b, difference } = metric;
  return `${metricValue(metric, a)} → ${metricValue(metric, b)}, ${signedIn(metric)(difference)}`;
}

function wasOrWere(count: number): string {
  return count === 1 ? "was" : "were";
}
