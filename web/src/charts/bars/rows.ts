import { truncateName } from "../names.js";

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
