import type { MetricComparison } from "../../../../src/metrics/compare/index.js";
import { CHANGE_WORDS } from "../../../../src/report/compare-cells.js";
import { formatNumber, revealLine } from "../../ui/index.js";
import { formatChangeInterval, formatMetricChange, formatMetricTitle } from "./metric-cells.js";

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

/** Text is outside of the drawings, so that it keeps its size on a small screen. */
function ForestPlot({ group: { title, limit, isRelative, rows } }: { group: ForestGroup }) {
  const format = (value: number) => (isRelative ? formatPercent(value) : formatNumber(value));
  return (
    <figure>
      <figcaption>{title}</figcaption>
      <div class="forest-ends forest-sides" aria-hidden="true">
        <span>← A is higher</span>
        <span>B is higher →</span>
      </div>
      <ul>
        {rows.map((row) => (
          <ForestLine key={row.metric.metric} row={row} />
        ))}
      </ul>
      <div class="forest-ends" aria-hidden="true">
        <span>{`−${format(limit)}`}</span>
        <span>0</span>
        <span>{`+${format(limit)}`}</span>
      </div>
    </figure>
  );
}

function ForestLine({ row }: { row: ForestRow }) {
  const { metric, at, low, high, cut } = row;
  const name = revealLine(formatMetricTitle(metric));
  return (
    <li
      class={`forest-row forest-${metric.change}`}
      title={`${name}: ${formatMetricChange(metric, metric.difference)} ${formatChangeInterval(metric)}`}
    >
      <bdi class="forest-name">{name}</bdi>
      <svg class="forest-plot" aria-hidden="true">
        <line class="forest-zero" x1="50%" x2="50%" y1="0" y2="100%" />
        {low !== null && high !== null && (
          <>
            <line class="forest-line" x1={toPercent(low)} x2={toPercent(high)} y1="50%" y2="50%" />
            {!cut.isLeft && <ForestCap at={low} />}
            {!cut.isRight && <ForestCap at={high} />}
          </>
        )}
        {cut.isLeft && <ForestArrow at="0%" d="M10 -5L0 0L10 5Z" />}
        {cut.isRight && <ForestArrow at="100%" d="M-10 -5L0 0L-10 5Z" />}
        {!cut.isValue && <rect x={toPercent(at)} y="50%" width={8} height={8} transform="translate(-4 -4)" />}
      </svg>
      <span class="forest-word">
        {CHANGE_WORDS[metric.change]}
        {cut.text !== null && <small> {cut.text}</small>}
      </span>
    </li>
  );
}

function ForestCap({ at }: { at: number }) {
  return <rect x={toPercent(at)} y="50%" width={1.5} height={8} transform="translate(-0.75 -4)" />;
}

/** Shows that the value is beyond the scale. */
function ForestArrow({ at, d }: { at: string; d: string }) {
  return (
    <svg class="forest-arrow" aria-hidden="true" x={at} y="50%" overflow="visible">
      <path d={d} />
    </svg>
  );
}

function toPercent(share: number): string {
  return `${share * 100}%`;
}

function formatPercent(share: number): string {
  return `${formatNumber(share * 100, share < 1 ? 1 : 0)} %`;
}

function formatSignedPercent(share: number): string {
  return `${share < 0 ? "−" : "+"}${formatPercent(Math.abs(share))}`;
}

/** Positions are shares of the width. */
interface ForestRow {
  readonly metric: MetricComparison;
  readonly at: number;
  readonly low: number | null;
  readonly high: number | null;
  readonly cut: ForestCut;
}

/** What of a row is beyond the scale. */
interface ForestCut {
  readonly isLeft: boolean;
  readonly isRight: boolean;
  /** Whether the difference itself is, and not only its interval. */
  readonly isValue: boolean;
  /** The real values; null when nothing is beyond the scale. */
  readonly text: string | null;
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
 * dollars share no scale.
 */
export function buildForestGroups(metrics: readonly MetricComparison[]): ForestGroup[] {
  const scores = metrics.filter(({ kind }) => kind !== "economy");
  const economy = metrics.filter(({ kind }) => kind === "economy");
  return [
    buildForestGroup({ title: "Quality, B − A", isRelative: false, metrics: scores }),
    buildForestGroup({ title: "Cost, time and tokens, B − A relative to A", isRelative: true, metrics: economy }),
  ].filter(({ rows }) => rows.length > 0);
}

/** Limits the plot where A is close to zero. */
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
    cut: describeCut({ metric, difference, unit, limit }),
  }));
  return { title, isRelative, limit, rows };
}

interface DrawnDifference {
  readonly metric: MetricComparison;
  readonly difference: number;
  /** What the scale is relative to. */
  readonly unit: number;
  readonly limit: number;
}

function describeCut({ metric, difference, unit, limit }: DrawnDifference): ForestCut {
  const [at, low, high] = [difference, metric.low ?? difference, metric.high ?? difference].map(
    (value) => value / unit,
  );
  const isBeyond = (value = 0) => Math.abs(value) > limit * (1 + 1e-9);
  const ends = [at, low, high].filter((value) => isBeyond(value));
  const hasInterval = metric.low !== null && metric.high !== null;
  const interval = hasInterval ? ` [${formatSignedPercent(low ?? 0)}, ${formatSignedPercent(high ?? 0)}]` : "";
  return {
    isLeft: ends.some((value = 0) => value < 0),
    isRight: ends.some((value = 0) => value > 0),
    isValue: isBeyond(at),
    text: ends.length === 0 ? null : `${formatSignedPercent(at ?? 0)}${interval}`,
  };
}

/** The next of 1, 2 or 5 times a power of ten; 1 when nothing differs. */
function roundUpToScale(value: number): number {
  if (!Number.isFinite(value)) return value;
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const digit = [1, 2, 5, 10].find((candidate) => candidate * power >= value * (1 - 1e-12)) ?? 10;
  return digit * power;
}
