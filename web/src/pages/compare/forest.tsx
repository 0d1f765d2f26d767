import type { MetricComparison } from "../../../../src/metrics/compare/index.js";
import { CHANGE_WORDS, formatDifference, formatMetricName } from "../../../../src/report/compare-cells.js";
import { formatNumber } from "../../ui/index.js";
import { revealLine } from "../trial/text/visible-text.js";
import { buildForestGroups, type ForestGroup, type ForestRow } from "./forest-layout.js";

const [WIDTH, ROW, NAME, HEAD] = [640, 24, 190, 22];
const PLOT_WIDTH = WIDTH - NAME - 90;

/** Differences with their intervals, one below the other: left of the middle A has more, right of it B has. */
export function ForestPlots({ metrics }: { metrics: readonly MetricComparison[] }) {
  const groups = buildForestGroups(metrics);
  if (groups.length === 0) return null;
  return (
    <div class="forest">
      {groups.map((group) => (
        <ForestPlot key={group.title} group={group} />
      ))}
    </div>
  );
}

function ForestPlot({ group }: { group: ForestGroup }) {
  const { title, rows } = group;
  const height = HEAD + rows.length * ROW + 24;
  return (
    <figure>
      <figcaption>{title}</figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${height}`} role="img" aria-label={`${title}: ${describeForest(rows)}`}>
        <line
          class="forest-zero"
          x1={NAME + PLOT_WIDTH / 2}
          x2={NAME + PLOT_WIDTH / 2}
          y1={HEAD - 6}
          y2={height - 20}
        />
        <text class="forest-side" x={NAME} y={12}>
          ← A has more
        </text>
        <text class="forest-side" x={NAME + PLOT_WIDTH} y={12} text-anchor="end">
          B has more →
        </text>
        {rows.map((row, place) => (
          <ForestLine key={row.metric.metric} row={row} y={HEAD + place * ROW + ROW / 2} />
        ))}
        <ForestAxis group={group} y={height - 6} />
      </svg>
    </figure>
  );
}

function ForestLine({ row: { metric, at, low, high }, y }: { row: ForestRow; y: number }) {
  const x = (share: number) => NAME + share * PLOT_WIDTH;
  return (
    <g class={`forest-${metric.change}`}>
      <title>{`${revealLine(formatMetricName(metric))}: ${formatDifference(metric)}`}</title>
      <text x={NAME - 10} y={y + 4} text-anchor="end">
        {shortenMetricName(revealLine(formatMetricName(metric)))}
      </text>
      {low !== null && high !== null && (
        <path d={`M${x(low)} ${y}H${x(high)}M${x(low)} ${y - 4}V${y + 4}M${x(high)} ${y - 4}V${y + 4}`} />
      )}
      <rect x={x(at) - 4} y={y - 4} width={8} height={8} />
      <text x={NAME + PLOT_WIDTH + 10} y={y + 4}>
        {CHANGE_WORDS[metric.change]}
      </text>
    </g>
  );
}

function ForestAxis({ group: { limit, isRelative }, y }: { group: ForestGroup; y: number }) {
  const format = (value: number) => (isRelative ? `${formatNumber(value * 100, 1)} %` : formatNumber(value));
  return (
    <g class="forest-axis">
      <text x={NAME} y={y}>{`−${format(limit)}`}</text>
      <text x={NAME + PLOT_WIDTH / 2} y={y} text-anchor="middle">
        0
      </text>
      <text x={NAME + PLOT_WIDTH} y={y} text-anchor="end">{`+${format(limit)}`}</text>
    </g>
  );
}

function describeForest(rows: readonly ForestRow[]): string {
  return rows.map(({ metric }) => `${revealLine(formatMetricName(metric))} ${CHANGE_WORDS[metric.change]}`).join(", ");
}

const MAX_NAME_LENGTH = 26;

function shortenMetricName(name: string): string {
  return name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH - 1)}…` : name;
}
