import type { Axis } from "../axes/axis.js";

interface PixelPoint {
  readonly x: number;
  readonly y: number;
}

/** What a front reaches without mixing systems: along to the next member, and then to it. */
export function buildStepPath(places: readonly PixelPoint[], end: number): string {
  const [first, ...others] = places;
  if (first === undefined) return "";
  return `M${roundPixels(first.x)},${roundPixels(first.y)}${others.map(({ x, y }) => `H${roundPixels(x)}V${roundPixels(y)}`).join("")}H${roundPixels(end)}`;
}

/** A member of a hull: what it costs and how good it is. */
export interface HullMember {
  readonly cost: number;
  readonly quality: number;
}

const HULL_PIECES = 60;

/** What shares of two systems range: straight in dollars, and so a curve on a logarithmic axis. */
export function buildHullPath(members: readonly HullMember[], x: Axis, y: Axis): string {
  const places = members.flatMap((member, index) => [member, ...interpolateMembers(member, members[index + 1])]);
  const steps = places.map(({ cost, quality }) => `${roundPixels(x.toPixel(cost))},${roundPixels(y.toPixel(quality))}`);
  return members.length < 2 ? "" : `M${steps.join("L")}`;
}

/** Mixes of two members, evenly spread over the decades between them. */
function interpolateMembers(from: HullMember, to: HullMember | undefined): HullMember[] {
  if (to === undefined || !(to.cost > from.cost)) return [];
  // Zero has no logarithm: seen from a free system, the curve begins four decades under the other one.
  const start = Math.max(from.cost, to.cost / 1e4);
  return Array.from({ length: HULL_PIECES }, (_, piece) => {
    const cost = start * (to.cost / start) ** ((piece + 1) / (HULL_PIECES + 1));
    const share = (cost - from.cost) / (to.cost - from.cost);
    return { cost, quality: from.quality + share * (to.quality - from.quality) };
  });
}

/** A tenth of a pixel is as fine as anybody sees. */
function roundPixels(value: number): number {
  return Math.round(value * 10) / 10;
}
