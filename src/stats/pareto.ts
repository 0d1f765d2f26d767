/** One system on a quality–cost chart; null means not measured. */
export interface ParetoPoint {
  quality: number | null;
  cost: number | null;
}

interface MeasuredPoint {
  quality: number;
  cost: number;
  index: number;
}

function pickMeasuredPoints(points: readonly ParetoPoint[]): MeasuredPoint[] {
  return points.flatMap(({ quality, cost }, index) => {
    if (quality == null || cost == null || Number.isNaN(quality) || Number.isNaN(cost)) return [];
    return [{ quality, cost, index }];
  });
}

/** Best quality first, then cheapest; subtraction would turn two infinite costs into NaN. */
function compareBestFirst(x: MeasuredPoint, y: MeasuredPoint): number {
  if (x.quality !== y.quality) return x.quality > y.quality ? -1 : 1;
  if (x.cost !== y.cost) return x.cost < y.cost ? -1 : 1;
  return 0;
}

/** The first front whose cheapest member costs more. The cheapest costs increase from front to front. */
function findParetoFront(cheapest: readonly number[], cost: number): number {
  let low = 0;
  let high = cheapest.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((cheapest[middle] ?? 0) > cost) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * The Pareto front of every point: 1 if no other point dominates it. Points with a missing value share the last front.
 * @example
 * paretoFronts([{ quality: 0.9, cost: 5 }, { quality: 0.8, cost: 9 }, { quality: 0.7, cost: 1 }]); // [1, 2, 1]
 */
export function paretoFronts(points: readonly ParetoPoint[]): number[] {
  const cheapest: number[] = [];
  const fronts = new Map<number, number>();
  let previous: MeasuredPoint | undefined;
  let front = 0;
  // In this order, points come after all that dominate them, so one pass finds all fronts.
  for (const point of pickMeasuredPoints(points).sort(compareBestFirst)) {
    if (previous === undefined || compareBestFirst(previous, point) !== 0)
      front = findParetoFront(cheapest, point.cost);
    cheapest[front] = point.cost;
    fronts.set(point.index, front + 1);
    previous = point;
  }
  return points.map((_, index) => fronts.get(index) ?? cheapest.length + 1);
}
