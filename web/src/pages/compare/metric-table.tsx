import type { MetricComparison } from "../../../../src/metrics/compare/index.js";
import {
  CHANGE_WORDS,
  createSignedFormat,
  formatComparedValue,
  formatMetricName,
  formatPValue,
} from "../../../../src/report/compare-cells.js";
import { formatCount } from "../../ui/index.js";
import { Scrollable } from "../trial/text/scrollable.js";
import { revealLine } from "../trial/text/visible-text.js";

const CHANGE_SIGNS: Readonly<Record<MetricComparison["change"], string>> = {
  better: "▲",
  worse: "▼",
  same: "=",
  unclear: "?",
};

/** The differences in figures. */
export function MetricTable({ metrics, level }: { metrics: readonly MetricComparison[]; level: number }) {
  return (
    <Scrollable class="table-scroll" label="Differences in figures">
      <table class="table">
        <caption class="unseen">Differences from A to B, task by task</caption>
        <thead>
          <tr>
            <th scope="col">Metric</th>
            {["A", "B", "B − A", `${level * 100} % interval`, "p adjusted", "Tasks"].map((title) => (
              <th key={title} scope="col" class="number">
                {title}
              </th>
            ))}
            <th scope="col">Change</th>
          </tr>
        </thead>
        <tbody>
          {metrics.map((metric) => (
            <MetricRow key={metric.metric} metric={metric} />
          ))}
        </tbody>
      </table>
    </Scrollable>
  );
}

function MetricRow({ metric }: { metric: MetricComparison }) {
  const signed = createSignedFormat(metric);
  const { a, b, difference, low, high, adjustedP, n, change, reason } = metric;
  return (
    <tr>
      <th scope="row">
        <bdi>{revealLine(formatMetricName(metric))}</bdi>
      </th>
      <td class="number">{formatComparedValue(metric, a)}</td>
      <td class="number">{formatComparedValue(metric, b)}</td>
      <td class="number">
        <b>{signed(difference)}</b>
      </td>
      <td class="number">{low === null || high === null ? "–" : `[${signed(low)}, ${signed(high)}]`}</td>
      <td class="number">{formatPValue(adjustedP)}</td>
      <td class="number">{formatCount(n)}</td>
      <td>
        <span class={`compared compared-${change}`}>
          <span aria-hidden="true">{CHANGE_SIGNS[change]}</span> {CHANGE_WORDS[change]}
        </span>
        {reason !== undefined && <small class="quiet"> {reason}</small>}
      </td>
    </tr>
  );
}
