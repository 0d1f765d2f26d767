import { buildShapePath } from "../plot/shapes.js";
import { ARIA_HIDDEN } from "../plot/unheard.js";
import type { SeriesLook } from "../series.js";
import type { PlacedLabel } from "./labels.js";

/** A system in a scatter chart. */
export interface ScatterPoint {
  readonly name: string;
  readonly x: number;
  readonly y: number;
  /** In square pixels. */
  readonly area: number;
  readonly look: SeriesLook;
  readonly isDominated: boolean;
  /** The ends of its interval. */
  readonly whisker: { readonly low: number; readonly high: number } | null;
}

/** All systems of a scatter chart: dominated ones hollow and faded, and under the others. */
export function ScatterPoints({ points }: { points: readonly ScatterPoint[] }) {
  const behindFirst = [...points].sort((a, b) => Number(b.isDominated) - Number(a.isDominated));
  return (
    <g>
      {behindFirst.map((point) => (
        <ScatterMark key={point.name} point={point} />
      ))}
    </g>
  );
}

function ScatterMark({ point: { x, y, area, look, isDominated, whisker } }: { point: ScatterPoint }) {
  return (
    <g class={isDominated ? "dominated" : undefined}>
      {whisker !== null && <path class="whisker" d={buildWhiskerPath(x, whisker)} stroke={look.color} />}
      <path
        class={isDominated ? "mark hollow" : "mark"}
        transform={`translate(${x},${y})`}
        d={buildShapePath(look.shape, area)}
        fill={isDominated ? "var(--ground)" : look.color}
        stroke={look.color}
      />
    </g>
  );
}

/** A line from end to end with a short bar at each. */
export function buildWhiskerPath(x: number, { low, high }: { low: number; high: number }): string {
  return `M${x - 3},${low}h6M${x},${low}V${high}M${x - 3},${high}h6`;
}

/** The names that found a place. */
export function ScatterLabels({ labels }: { labels: readonly PlacedLabel[] }) {
  return (
    <g class="names" {...ARIA_HIDDEN}>
      {labels.map(({ name, text, x, y }) => (
        <text key={name} x={x} y={y}>
          {text}
        </text>
      ))}
    </g>
  );
}
