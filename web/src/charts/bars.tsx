import { ARIA_HIDDEN } from "./axes.js";
import { truncateName } from "./names.js";

/** The names of the rows. */
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

/** A row of a chart of horizontal bars. */
export interface BarRow {
  readonly system: string;
  readonly name: string;
  /** Where its name stands. */
  readonly nameX: number;
  readonly nameY: number;
  /** The band that its bar has, top and height. */
  readonly top: number;
  readonly band: number;
}

export interface BarRows {
  readonly rows: readonly BarRow[];
  /** From where to where bars may reach. */
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  readonly height: number;
}

interface BarRowOptions {
  width: number;
  /** Height of a bar. */
  band: number;
  /** Room right of the bars, for a figure. */
  after?: number;
  /** Room above all bars. */
  above?: number;
  /** Room under all bars, for the axis. */
  below?: number;
}

const MAX_NAME_SHARE = 0.26;
const MAX_NAME_WIDTH = 190;
const NARROW_CHART_WIDTH = 520;
const BAR_GAP = 8;

/** Rows with the names left of the bars, or above them where there is no room beside. */
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

/** A part of a stacked bar, from where to where in the unit of the bar. */
interface StackPart<Name extends string> {
  readonly name: Name;
  readonly from: number;
  readonly to: number;
}

/**
 * Parts one after the other; those that are nothing are left out.
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
