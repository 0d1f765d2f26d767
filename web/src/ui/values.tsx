import type { ComponentChildren } from "preact";
import {
  type Formatter,
  formatDay,
  formatInterval,
  formatScore,
  formatTime,
  type Interval,
  MISSING,
} from "./format.js";

/** Entries whose value is null are left out. */
export type KeyValue = readonly [name: string, value: ComponentChildren];

/**
 * A list of names and values.
 * @example
 * <KeyValues entries={[["Cost", "$0.12"], ["Git", revision]]} />
 */
export function KeyValues({ entries }: { entries: readonly KeyValue[] }) {
  return (
    <dl class="facts">
      {entries
        .filter(([, value]) => value !== null && value !== undefined)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

interface IntervalCellProps extends Interval {
  /** The range of the bar. Default: 0 to 1. */
  from?: number;
  to?: number;
  format?: Formatter;
}

/**
 * A value with its interval, and a small bar of both.
 * @example
 * <IntervalCell value={0.82} low={0.75} high={0.88} />
 */
export function IntervalCell({ value, low, high, from = 0, to = 1, format = formatScore }: IntervalCellProps) {
  if (value === null) return <span class="quiet">{MISSING}</span>;
  return (
    <span class="interval" title={formatInterval({ value, low, high }, formatFullScore)}>
      <span>
        <span class="figure">{format(value)}</span>
        {low !== null && high !== null && (
          <span class="quiet">
            {" "}
            [{format(low)}, {format(high)}]
          </span>
        )}
      </span>
      <IntervalBar
        value={computeBarPosition(value, from, to)}
        low={computeBarPosition(low, from, to)}
        high={computeBarPosition(high, from, to)}
      />
    </span>
  );
}

function IntervalBar({ value, low, high }: Interval) {
  return (
    <svg class="interval-bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
      <rect class="interval-ground" x="0" y="2.5" width="100" height="1" />
      {low !== null && high !== null && <rect class="interval-range" x={low} y="1" width={high - low} height="4" />}
      {value !== null && <rect class="interval-value" x={Math.min(value, 98.5)} y="0" width="1.5" height="6" />}
    </svg>
  );
}

function computeBarPosition(value: number | null, from: number, to: number): number | null {
  if (value === null || to <= from) return null;
  return Math.min(100, Math.max(0, ((value - from) / (to - from)) * 100));
}

function formatFullScore(value: number | null): string {
  return formatScore(value, 4);
}

/** On two lines, for a narrow column. */
export function DateAndTime({ at }: { at: string }) {
  return (
    <time dateTime={at} class="nowrap">
      {formatDay(at)}
      <span class="quiet small block">{formatTime(at)}</span>
    </time>
  );
}
