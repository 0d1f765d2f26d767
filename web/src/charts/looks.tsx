import {
  type SymbolType,
  symbol,
  symbolCircle,
  symbolCross,
  symbolDiamond,
  symbolSquare,
  symbolStar,
  symbolTriangle,
  symbolWye,
} from "d3-shape";
import type { Box } from "./plot.js";

/** Shapes of marks, so that nothing is told by color alone. */
export const SHAPES = ["circle", "square", "triangle", "diamond", "cross", "star", "wedge", "wye"] as const;

export type Shape = (typeof SHAPES)[number];

/** How one system (or harness) looks on the whole page. */
export interface SeriesLook {
  readonly color: string;
  readonly shape: Shape;
}

const COLOR_COUNT = 8;

/**
 * The look of each name by its place, so that a system keeps its look when others are added at the end; no two of the
 * first 64 look the same.
 * @example
 * const series = assignLooks(["a", "b"]);
 * series("a"); // { color: "var(--series-1)", shape: "circle" }
 */
export function assignLooks(names: readonly string[]): (name: string) => SeriesLook {
  const places = new Map([...new Set(names)].map((name, place) => [name, place]));
  return (name) => getSeriesLook(places.get(name) ?? places.size);
}

/** The looks of the systems of a chart: as the page has them, else by name, so that charts with the same systems agree. */
export function assignSystemLooks(
  all: readonly string[] | undefined,
  names: readonly string[],
): (name: string) => SeriesLook {
  return assignLooks(all ?? [...names].sort());
}

/** The look of the n-th of a list that has an order of its own, such as the classes of tokens. */
export function getSeriesLook(place: number): SeriesLook {
  const round = Math.floor(place / COLOR_COUNT);
  return {
    color: `var(--series-${(place % COLOR_COUNT) + 1})`,
    shape: SHAPES[(place + round) % SHAPES.length] ?? "circle",
  };
}

/** A triangle that stands on its tip. */
const WEDGE: SymbolType = {
  draw(context, area) {
    const height = Math.sqrt(area * Math.sqrt(3)) / Math.sqrt(3);
    context.moveTo(0, height * 1.15);
    context.lineTo(-height, -height * 0.6);
    context.lineTo(height, -height * 0.6);
    context.closePath();
  },
};

const SYMBOLS: Readonly<Record<Shape, SymbolType>> = {
  circle: symbolCircle,
  square: symbolSquare,
  triangle: symbolTriangle,
  diamond: symbolDiamond,
  cross: symbolCross,
  star: symbolStar,
  wedge: WEDGE,
  wye: symbolWye,
};

/** The outline of a mark around 0, 0, of an area in square pixels. */
export function buildShapePath(shape: Shape, area = 64): string {
  return symbol(SYMBOLS[shape], area)() ?? "";
}

/** Drawn over a color, so that areas differ in more than it. */
export type Texture = "plain" | "stripes" | "dots" | "bars" | "checks";

/**
 * What fills with a texture of one drawing; null for none.
 * @example
 * getTextureUrl("P0-1", "dots"); // "url(#P0-1-dots)"
 */
export function getTextureUrl(prefix: string, texture: Texture): string | null {
  return texture === "plain" ? null : `url(#${prefix}-${texture})`;
}

/** The textures of one drawing: each has its own, so that a downloaded picture is whole. */
export function TextureDefs({ prefix }: { prefix: string }) {
  const common = { width: 6, height: 6, patternUnits: "userSpaceOnUse" } as const;
  return (
    <defs>
      <pattern id={`${prefix}-stripes`} {...common} patternTransform="rotate(45)">
        <rect class="texture" width={2} height={6} />
      </pattern>
      <pattern id={`${prefix}-dots`} {...common}>
        <circle class="texture" cx={3} cy={3} r={1.4} />
      </pattern>
      <pattern id={`${prefix}-bars`} {...common}>
        <rect class="texture" width={6} height={2} />
      </pattern>
      <pattern id={`${prefix}-checks`} {...common}>
        <path class="texture" d="M0,0h3v3h-3zM3,3h3v3h-3z" />
      </pattern>
    </defs>
  );
}

/** A rectangle in a color, with a texture over it. */
export function TexturedBox({ box, color, texture }: { box: Box; color: string; texture: string | null }) {
  return (
    <g>
      <rect {...box} fill={color} />
      {texture !== null && <rect {...box} fill={texture} />}
    </g>
  );
}
