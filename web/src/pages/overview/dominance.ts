/** A system as two figures; null is not known. */
export interface Placed {
  name: string;
  x: number | null;
  y: number | null;
}

interface Known {
  name: string;
  x: number;
  y: number;
}

/** Whether large or small is good; x is a cost in every chart, so that small is good. */
export type BestY = "high" | "low";

/** Who is at least as good in both and better in one, for each; nobody where a figure is not known. */
export function dominators(points: readonly Placed[], bestY: BestY): string[][] {
  const known = knownOf(points);
  return points.map(({ x, y }) => {
    if (x === null || y === null) return [];
    return known.filter((other) => dominates(other, { x, y }, bestY)).map(({ name }) => name);
  });
}

function dominates(one: { x: number; y: number }, other: { x: number; y: number }, bestY: BestY): boolean {
  const gain = bestY === "high" ? one.y - other.y : other.y - one.y;
  return one.x <= other.x && gain >= 0 && (one.x < other.x || gain > 0);
}

/** Names of those that nobody dominates, by rising x. */
export function frontOf(points: readonly Placed[], bestY: BestY): string[] {
  const beaten = dominators(points, bestY);
  const left = points.filter((_, place) => beaten[place]?.length === 0);
  return knownOf(left)
    .sort((a, b) => a.x - b.x)
    .map(({ name }) => name);
}

/** Names of those on the upper convex hull of the front: no mixture of two others is as good for the same cost. */
export function hullOf(points: readonly Placed[]): string[] {
  const names = new Set(frontOf(points, "high"));
  const front = knownOf(points.filter(({ name }) => names.has(name))).sort((a, b) => a.x - b.x);
  const corners: Known[] = [];
  for (const point of front) {
    // Equal ones share a corner: between them there is no slope to compare.
    if (corners.at(-1)?.x === point.x) continue;
    while (isUnder(corners.at(-2), corners.at(-1), point)) corners.pop();
    corners.push(point);
  }
  const kept = new Set(corners.map(({ x }) => x));
  return front.filter(({ x }) => kept.has(x)).map(({ name }) => name);
}

/** Whether the middle one lies under the line from the one before to the one after. */
function isUnder(before: Known | undefined, middle: Known | undefined, after: Known): boolean {
  if (before === undefined || middle === undefined) return false;
  return (middle.x - before.x) * (after.y - before.y) > (middle.y - before.y) * (after.x - before.x);
}

function knownOf(points: readonly Placed[]): Known[] {
  return points.flatMap(({ name, x, y }) => (x === null || y === null ? [] : [{ name, x, y }]));
}
