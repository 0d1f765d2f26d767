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

/** Shapes of marks, because color alone must not carry information. */
export const SHAPES = ["circle", "square", "triangle", "diamond", "cross", "star", "wedge", "wye"] as const;

export type Shape = (typeof SHAPES)[number];

/** How one system or harness is drawn on the whole page. */
export interface SeriesLook {
  readonly color: string;
  readonly shape: Shape;
}

/** The first eight differ most. */
const MAIN_COLOR_COUNT = 8;
const COLOR_COUNT = 16;

/**
 * Assigns looks by position, so that a system keeps its look when others are added at the end; the first 128 all differ.
 * @example
 * const series = assignLooks(["a", "b"]);
 * series("a"); // { color: "var(--series-1)", shape: "circle" }
 */
export function assignLooks(names: readonly string[]): (name: string) => SeriesLook {
  const places = new Map([...new Set(names)].map((name, place) => [name, place]));
  return (name) => getSeriesLook(places.get(name) ?? places.size);
}

/**
 * Looks of systems by their names, so that a system has the same color on every page: each prefers one look, and takes
 * another only if a system before it in the alphabet has that look.
 */
export function assignSystemLooks(
  all: readonly string[] | undefined,
  names: readonly string[],
): (name: string) => SeriesLook {
  const places = new Map<string, number>();
  const taken = new Set<number>();
  for (const name of [...new Set([...(all ?? []), ...names])].sort()) {
    const place = findFreePlace(hashName(name), taken);
    taken.add(place);
    places.set(name, place);
  }
  return (name) => getSeriesLook(places.get(name) ?? places.size);
}

/** The preferred one of the main colors, else the next free one of them, else any. */
function findFreePlace(hash: number, taken: ReadonlySet<number>): number {
  for (let step = 0; step < MAIN_COLOR_COUNT; step++) {
    const place = (hash + step) % MAIN_COLOR_COUNT;
    if (!taken.has(place)) return place;
  }
  let place = MAIN_COLOR_COUNT;
  while (taken.has(place)) place += 1;
  return place;
}

/** FNV-1a. */
function hashName(name: string): number {
  let hash = 0x811c9dc5;
  for (const letter of name) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return hash;
}

/** The look of the n-th member of a fixed list, such as the classes of tokens. */
export function getSeriesLook(place: number): SeriesLook {
  const round = Math.floor(place / COLOR_COUNT);
  return {
    color: `var(--series-${(place % COLOR_COUNT) + 1})`,
    shape: SHAPES[(place + round) % SHAPES.length] ?? "circle",
  };
}

/** A triangle that points down. */
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

/** An SVG path around 0, 0; the area is in square pixels. */
export function buildShapePath(shape: Shape, area = 64): string {
  return symbol(SYMBOLS[shape], area)() ?? "";
}

/** How far a shape of area 1 extends from its middle. */
const SHAPE_EXTENTS: Readonly<Record<Shape, number>> = {
  circle: 0.57,
  square: 0.5,
  triangle: 0.88,
  diamond: 0.94,
  cross: 0.68,
  star: 0.95,
  wedge: 0.88,
  wye: 0.74,
};

/** How far a shape extends from its middle, in pixels. */
export function measureShape(shape: Shape, area: number): number {
  return SHAPE_EXTENTS[shape] * Math.sqrt(area);
}

/** Drawn over a color, so that areas differ by more than color. */
export type Texture = "plain" | "stripes" | "dots" | "bars" | "checks";

/**
 * The `fill` of a texture; null for the plain one.
 * @example
 * getTextureUrl("P0-1", "dots"); // "url(#P0-1-dots)"
 */
export function getTextureUrl(prefix: string, texture: Texture): string | null {
  return texture === "plain" ? null : `url(#${prefix}-${texture})`;
}

/** Each drawing defines its own textures, so that a downloaded picture is complete. */
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

export function TexturedBox({ box, color, texture }: { box: Box; color: string; texture: string | null }) {
  return (
    <g>
      <rect {...box} fill={color} />
      {texture !== null && <rect {...box} fill={texture} />}
    </g>
  );
}
