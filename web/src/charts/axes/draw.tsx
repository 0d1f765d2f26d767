import { estimateTextWidth } from "../names.js";
import { ARIA_HIDDEN } from "../plot/unheard.js";
import type { Axis } from "./axis.js";
import { selectReadableTicks } from "./readable.js";

/** The rectangle that the data are drawn in. */
export interface PlotArea {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

interface AxisProps {
  axis: Axis;
  area: PlotArea;
  label: string;
  /** What stands at the lane for zero. */
  zeroLabel?: string;
}

/** The horizontal axis under the area. */
export function BottomAxis({ axis, area, label, zeroLabel }: AxisProps) {
  const from = axis.zeroPosition === null ? 0 : axis.zeroPosition + estimateTextWidth(zeroLabel ?? "") / 2 + 6;
  const texts = selectReadableTicks(axis.ticks, { from, right: area.right });
  return (
    <g class="axis" {...ARIA_HIDDEN}>
      <line class="base" x1={area.left} x2={area.right} y1={area.bottom} y2={area.bottom} />
      {axis.ticks.map(({ at }) => (
        <line key={at} class="grid" x1={at} x2={at} y1={area.top} y2={area.bottom} />
      ))}
      {texts.map(({ at, text }) => (
        <text key={text} x={at} y={area.bottom + 16} text-anchor="middle">
          {text}
        </text>
      ))}
      {axis.zeroPosition !== null && (
        <g>
          <line class="lane" x1={axis.zeroPosition + 22} x2={axis.zeroPosition + 22} y1={area.top} y2={area.bottom} />
          <text x={axis.zeroPosition} y={area.bottom + 16} text-anchor="middle">
            {zeroLabel}
          </text>
        </g>
      )}
      <text class="label" x={area.right} y={area.bottom + 34} text-anchor="end">
        {label}
      </text>
    </g>
  );
}

/** The vertical axis left of the area; its label stands above it, so that nobody turns the head. */
export function LeftAxis({ axis, area, label, zeroLabel }: AxisProps) {
  return (
    <g class="axis" {...ARIA_HIDDEN}>
      {axis.ticks.map(({ at, text }) => (
        <g key={at}>
          <line class="grid" x1={area.left} x2={area.right} y1={at} y2={at} />
          <text x={area.left - 8} y={at} dy="0.32em" text-anchor="end">
            {text}
          </text>
        </g>
      ))}
      {axis.zeroPosition !== null && (
        <g>
          <line class="lane" x1={area.left} x2={area.right} y1={axis.zeroPosition - 22} y2={axis.zeroPosition - 22} />
          <text x={area.left - 8} y={axis.zeroPosition} dy="0.32em" text-anchor="end">
            {zeroLabel}
          </text>
        </g>
      )}
      <text class="label" x={0} y={12}>
        {label}
      </text>
    </g>
  );
}
