import { paretoFronts } from "../../../stats/index.js";

/** A system in the plane of a chart: more gain is better, less cost is. */
export interface Placed {
  name: string;
  gain: number;
  cost: number;
}

/** The names of those that nobody dominates, by rising cost; equal ones are kept. */
export function frontOf(points: readonly Placed[]): string[] {
  return onFront(points).map(({ name }) => name);
}

/** Who is at least as good and as cheap as a point, and better in one. */
export function dominatorsOf(point: Placed, points: readonly Placed[]): string[] {
  const dominates = ({ gain, cost }: Placed) =>
    gain >= point.gain && cost <= point.cost && (gain > point.gain || cost < point.cost);
  return points.filter(dominates).map(({ name }) => name);
}

/**
 * The names of those on the convex hull of the front, by rising cost: what no mixture of two others reaches at its
 * cost. Those that lie on the line between two of them are kept.
 */
export function hullOf(points: readonly Placed[]): string[] {
  const front = onFront(points);
  const corners: Placed[] = [];
  for (const point of front) {
    // Equal ones share a corner: between them there is no slope to compare.
    if (corners.at(-1)?.cost === point.cost) continue;
    while (corners.length > 1 && isUnder(corners.at(-1), [corners.at(-2), point])) corners.pop();
    corners.push(point);
  }
  const kept = new Set(corners.map(({ cost }) => cost));
  return front.filter(({ cost }) => kept.has(cost)).map(({ name }) => name);
}

/** Sums of decimal fractions miss a line by this share of its height at most. */
const TOLERANCE = 1e-12;

function isUnder(point: Placed | undefined, [from, to]: [Placed | undefined, Placed]): boolean {
  if (point === undefined || from === undefined) return false;
  const [width, height] = [to.cost - from.cost, to.gain - from.gain];
  const below = (point.cost - from.cost) * height - (point.gain - from.gain) * width;
  return below > TOLERANCE * Math.abs(width * height);
}

function onFront(points: readonly Placed[]): Placed[] {
  const fronts = paretoFronts(points.map(({ gain, cost }) => ({ quality: gain, cost })));
  return points.filter((_, i) => fronts[i] === 1).sort((a, b) => a.cost - b.cost);
}
