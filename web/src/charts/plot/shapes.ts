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
import type { Shape } from "../series.js";

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
