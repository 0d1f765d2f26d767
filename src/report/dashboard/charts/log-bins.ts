/** Values are further apart than this only by accident: what is smaller shares the first bin. */
const MOST_SPREAD = 1e6;

/** A range of values, the lower end included. */
export interface Bin {
  from: number;
  to: number;
  count: number;
}

/**
 * The edges of bins that are equally wide on a logarithmic scale and hold all values, which are sorted and not
 * negative; no edges when there are no values. The first bin begins at the smallest value, which may be 0.
 */
export function logEdges(lists: readonly Float64Array[], bins: number): number[] {
  const filled = lists.filter(({ length }) => length > 0);
  if (filled.length === 0) return [];
  const least = Math.min(...filled.map((values) => values[0] ?? 0));
  const most = Math.max(...filled.map((values) => values.at(-1) ?? 0));
  if (least === most) return [least, most];
  const start = Math.max(smallestPositive(filled), most / MOST_SPREAD);
  if (start === most) return [least, most];
  const step = Math.log(most / start) / bins;
  const inner = Array.from({ length: bins - 1 }, (_, i) => start * Math.exp(step * (i + 1)));
  // Where values differ by little more than rounding, edges may coincide.
  return [least, ...inner.filter((edge, i) => edge > (inner[i - 1] ?? least) && edge < most), most];
}

/** How many of the sorted values are in each bin; the last bin includes its upper end. */
export function countInto(edges: readonly number[], sorted: Float64Array): Bin[] {
  const bins = edges.slice(1).map((to, i) => ({ from: edges[i] ?? 0, to, count: 0 }));
  let at = 0;
  for (const value of sorted) {
    while (at < bins.length - 1 && value >= (bins[at]?.to ?? 0)) at += 1;
    const bin = bins[at];
    if (bin !== undefined) bin.count += 1;
  }
  return bins;
}

function smallestPositive(lists: readonly Float64Array[]): number {
  return Math.min(...lists.map((values) => values.find((value) => value > 0) ?? Number.POSITIVE_INFINITY));
}
