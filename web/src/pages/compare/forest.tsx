import type { MetricComparison } from "../../../../src/metrics/compare/index.js";
import { CHANGE_WORDS, formatDifference, formatMetricName } from "../../../../src/report/compare-cells.js";
import { formatNumber, revealLine } from "../../ui/index.js";

const [WIDTH, ROW_HEIGHT, NAME_WIDTH, HEAD_HEIGHT] = [640, 24, 190, 22];
const PLOT_WIDTH = WIDTH - NAME_WIDTH - 90;

/** Differences with their intervals, left of the middle where A is larger, right of it where B is. */
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
  const height = HEAD_HEIGHT + rows.length * ROW_HEIGHT + 24;
  return (
    <figure>
      <figcaption>{title}</figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${height}`} role="img" aria-label={`${title}: ${describeForest(rows)}`}>
        <line
          class="forest-zero"
          x1={NAME_WIDTH + PLOT_WIDTH / 2}
          x2={NAME_WIDTH + PLOT_WIDTH / 2}
          y1={HEAD_HEIGHT - 6}
          y2={height - 20}
        />
        <text class="forest-side" x={NAME_WIDTH} y={12}>
          ← A has more
        </text>
        <text class="forest-side" x={NAME_WIDTH + PLOT_WIDTH} y={12} text-anchor="end">
          B has more →
        </text>
        {rows.map((row, place) => (
          <ForestLine key={row.metric.metric} row={row} y={HEAD_HEIGHT + place * ROW_HEIGHT + ROW_HEIGHT / 2} />
        ))}
        <ForestAxis group={group} y={height - 6} />
      </svg>
    </figure>
  );
}

function ForestLine({ row: { metric, at, low, high }, y }: { row: ForestRow; y: number }) {
  const x = (share: number) => NAME_WIDTH + share * PLOT_WIDTH;
  return (
    <g class={`forest-${metric.change}`}>
      <title>{`${revealLine(formatMetricName(metric))}: ${formatDifference(metric)}`}</title>
      <text x={NAME_WIDTH - 10} y={y + 4} text-anchor="end">
        {shortenMetricName(revealLine(formatMetricName(metric)))}
      </text>
      {low !== null && high !== null && (
        <path d={`M${x(low)} ${y}H${x(high)}M${x(low)} ${y - 4}V${y + 4}M${x(high)} ${y - 4}V${y + 4}`} />
      )}
      <rect x={x(at) - 4} y={y - 4} width={8} height={8} />
      <text x={NAME_WIDTH + PLOT_WIDTH + 10} y={y + 4}>
        {CHANGE_WORDS[metric.change]}
      </text>
    </g>
  );
}

function ForestAxis({ group: { limit, isRelative }, y }: { group: ForestGroup; y: number }) {
  const format = (value: number) => (isRelative ? `${formatNumber(value * 100, 1)} %` : formatNumber(value));
  return (
    <g class="forest-axis">
      <text x={NAME_WIDTH} y={y}>{`−${format(limit)}`}</text>
      <text x={NAME_WIDTH + PLOT_WIDTH / 2} y={y} text-anchor="middle">
        0
      </text>
      <text x={NAME_WIDTH + PLOT_WIDTH} y={y} text-anchor="end">{`+${format(limit)}`}</text>
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

/** Positions are shares of the width. */
interface ForestRow {
  readonly metric: MetricComparison;
  readonly at: number;
  readonly low: number | null;
  readonly high: number | null;
}

interface ForestGroup {
  readonly title: string;
  /** The scale goes from minus this to plus this. */
  readonly limit: number;
  readonly isRelative: boolean;
  readonly rows: readonly ForestRow[];
}

/**
 * Groups differences by scale: scores are absolute; cost, time and tokens are relative to A, because seconds and
 * dollars
 * share no scale.
 */
export function buildForestGroups(metrics: readonly MetricComparison[]): ForestGroup[] {
  const scores = metrics.filter(({ kind }) => kind !== "economy");
  const economy = metrics.filter(({ kind }) => kind === "economy");
  return [
    buildForestGroup({ title: "Quality, B − A", isRelative: false, metrics: scores }),
    buildForestGroup({ title: "Cost, time and tokens, B − A relative to A", isRelative: true, metrics: economy }),
  ].filter(({ rows }) => rows.length > 0);
}

/** Limits the plot where A is close to zero; the table has the exact figure. */
const MAX_RELATIVE = 10;

interface ForestGroupOptions {
  readonly title: string;
  readonly isRelative: boolean;
  readonly metrics: readonly MetricComparison[];
}

function buildForestGroup({ title, isRelative, metrics }: ForestGroupOptions): ForestGroup {
  const drawn = metrics.flatMap((metric) => {
    const unit = isRelative ? Math.abs(metric.a ?? 0) : 1;
    return metric.difference === null || unit === 0 ? [] : [{ metric, unit, difference: metric.difference }];
  });
  const values = drawn.flatMap(({ metric: { low, high }, unit, difference }) =>
    [difference, low ?? difference, high ?? difference].map((value) => Math.abs(value / unit)),
  );
  const limit = Math.min(roundUpToScale(Math.max(0, ...values)), isRelative ? MAX_RELATIVE : Number.POSITIVE_INFINITY);
  const place = (value: number, unit: number) => Math.min(1, Math.max(0, (value / unit / limit + 1) / 2));
  const rows = drawn.map(({ metric, unit, difference }) => ({
    metric,
    at: place(difference, unit),
    low: metric.low === null ? null : place(metric.low, unit),
    high: metric.high === null ? null : place(metric.high, unit),
  }));
  return { title, isRelative, limit, rows };
}

/** The next of 1, 2 or 5 times a power of ten; 1 when nothing differs. */
function roundUpToScale(value: number): number {
  if (!Number.isFinite(value)) return value;
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const digit = [1, 2, 5, 10].find((candidate) => candidate * power >= value * (1 - 1e-12)) ?? 10;
  return digit * power;
}
