import { ARIA_HIDDEN } from "./axes.js";
import { truncateName } from "./names.js";

export function BarNames({ rows: { rows, left } }: { rows: BarRows }) {
  return (
    <g class="names" {...ARIA_HIDDEN}>
      {rows.map(({ system, name, nameX, nameY }) => (
        <text key={system} x={nameX} y={nameY} text-anchor={nameX < left ? "end" : "start"}>
          {name}
        </text>
      ))}
    </g>
  );
}

export interface BarRow {
  readonly system: string;
  readonly name: string;
  readonly nameX: number;
  readonly nameY: number;
  /** Top and height of its bar. */
  readonly top: number;
  readonly band: number;
}

export interface BarRows {
  readonly rows: readonly BarRow[];
  /** The horizontal range of bars. */
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  readonly height: number;
}

interface BarRowOptions {
  width: number;
  band: number;
  /** Space right of the bars, for a figure. */
  after?: number;
  above?: number;
  /** Space under the bars, for the axis. */
  below?: number;
}

const MAX_NAME_SHARE = 0.26;
const MAX_NAME_WIDTH = 190;
const NARROW_CHART_WIDTH = 520;
export const BAR_GAP = 8;

/** Rows with the names left of the bars, or above them in a narrow chart. */
export function computeBarRows(
  systems: readonly string[],
  { width, band, after = 14, above = 8, below = 42 }: BarRowOptions,
): BarRows {
  const isNarrow = width < NARROW_CHART_WIDTH;
  const nameRoom = isNarrow ? 0 : Math.min(width * MAX_NAME_SHARE, MAX_NAME_WIDTH);
  const left = nameRoom + 8;
  const head = isNarrow ? 16 : 0;
  const step = band + head + BAR_GAP;
  const rows = systems.map((system, index): BarRow => {
    const top = above + index * step + head;
    return {
      system,
      name: truncateName(system, isNarrow ? width - 10 : nameRoom),
      nameX: isNarrow ? left : nameRoom,
      nameY: isNarrow ? top - 4 : top + band / 2 + 4,
      top,
      band,
    };
  });
  const bottom = above + systems.length * step;
  return { rows, left, right: Math.max(width - after, left + 40), top: above, bottom, height: bottom + below };
}

/** In the unit of the bar. */
interface StackPart<Name extends string> {
  readonly name: Name;
  readonly from: number;
  readonly to: number;
}

/**
 * Stacks parts one after the other; empty parts are left out.
 * @example
 * stackParts([["input", 2], ["output", 3]]); // [{ name: "input", from: 0, to: 2 }, { name: "output", from: 2, to: 5 }]
 */
export function stackParts<Name extends string>(parts: readonly (readonly [Name, number])[]): StackPart<Name>[] {
  let end = 0;
  return parts
    .filter(([, size]) => size > 0)
    .map(([name, size]) => {
      const from = end;
      end += size;
      return { name, from, to: end };
    });
}
