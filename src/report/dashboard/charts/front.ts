import { paretoFronts } from "../../../stats/index.js";

/** A point of a chart: more gain is better, and less cost is better. */
export interface FrontPoint {
  name: string;
  gain: number;
  cost: number;
}

/** Names of the points that no other dominates, by rising cost; ties are kept. */
export function findFrontNames(points: readonly FrontPoint[]): string[] {
  return selectFrontPoints(points).map(({ name }) => name);
}

/** Names of the points that are at least as good and as cheap, and better in one of the two. */
export function findDominators(point: FrontPoint, points: readonly FrontPoint[]): string[] {
  const dominates = ({ gain, cost }: FrontPoint) =>
    gain >= point.gain && cost <= point.cost && (gain > point.gain || cost < point.cost);
  return points.filter(dominates).map(({ name }) => name);
}

/**
 * Names of the points on the convex hull of the front, by rising cost: no mixture of two others is better at the same
 * cost. Points on the line between two others are kept.
 */
export function findHullNames(points: readonly FrontPoint[]): string[] {
  const front = selectFrontPoints(points);
  const corners: FrontPoint[] = [];
  for (const point of front) {
    // Equal points share a corner: there is no slope between them to compare.
    if (corners.at(-1)?.cost === point.cost) continue;
    while (corners.length > 1 && isUnderLine(corners.at(-1), [corners.at(-2), point])) corners.pop();
    corners.push(point);
  }
  const kept = new Set(corners.map(({ cost }) => cost));
  return front.filter(({ cost }) => kept.has(cost)).map(({ name }) => name);
}

/** Relative rounding error of sums of decimal fractions. */
const TOLERANCE = 1e-12;

function isUnderLine(point: FrontPoint | undefined, [from, to]: [FrontPoint | undefined, FrontPoint]): boolean {
  if (point === undefined || from === undefined) return false;
  const [width, height] = [to.cost - from.cost, to.gain - from.gain];
  const below = (point.cost - from.cost) * height - (point.gain - from.gain) * width;
  return below > TOLERANCE * Math.abs(width * height);
}

function selectFrontPoints(points: readonly FrontPoint[]): FrontPoint[] {
  const fronts = paretoFronts(points.map(({ gain, cost }) => ({ quality: gain, cost })));
  return points.filter((_, i) => fronts[i] === 1).sort((a, b) => a.cost - b.cost);
}
