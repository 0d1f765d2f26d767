import { requireInteger, requireSameLength } from "./distributions.js";
import { mean, type Numbers } from "./mean.js";

/** Counts of two raters' categories: entry [i][j] is how often the first said i and the second j. Square. */
export type CrossTable = readonly (readonly number[])[];

/**
 * Counts two raters' categories, numbered from 0, against each other; rows are the first rater's.
 * @example
 * crossTable([1, 1, 0], [1, 0, 0], 2); // [[1, 0], [1, 1]]
 */
export function crossTable(first: Numbers, second: Numbers, categories: number): number[][] {
  requireSameLength("first and second", first.length, second.length);
  const table = Array.from({ length: categories }, () => new Array<number>(categories).fill(0));
  for (let i = 0; i < first.length; i++) {
    const [row, column] = [first[i] ?? -1, second[i] ?? -1];
    requireInteger("category", row, { low: 0, high: categories - 1 });
    requireInteger("category", column, { low: 0, high: categories - 1 });
    const counts = table[row];
    if (counts !== undefined) counts[column] = (counts[column] ?? 0) + 1;
  }
  return table;
}

function sumMargins(table: CrossTable): { n: number; rows: number[]; columns: number[] } {
  const rows = table.map((counts) => counts.reduce((sum, count) => sum + count, 0));
  const columns = table.map((_, j) => table.reduce((sum, counts) => sum + (counts[j] ?? 0), 0));
  return { n: rows.reduce((sum, count) => sum + count, 0), rows, columns };
}

/**
 * Cohen's kappa: (pₒ − pₑ) / (1 − pₑ), where pₒ is the observed agreement and pₑ = Σ rowᵢ·columnᵢ / n² the agreement
 * expected by chance. Null if undefined: without items, or if both raters used only the same single category. Computed in
 * integers as (n·Σ nᵢᵢ − Σ rᵢcᵢ) / (n² − Σ rᵢcᵢ).
 * @example
 * cohenKappa([[20, 5], [10, 15]]); // 0.4
 */
export function cohenKappa(table: CrossTable): number | null {
  const { n, rows, columns } = sumMargins(table);
  const agreed = table.reduce((sum, counts, i) => sum + (counts[i] ?? 0), 0);
  const byChance = rows.reduce((sum, count, i) => sum + count * (columns[i] ?? 0), 0);
  return n * n === byChance ? null : (n * agreed - byChance) / (n * n - byChance);
}

/**
 * Cohen's kappa with quadratic weights, for equally spaced ordered categories:
 * 1 − n·Σ (i−j)²·nᵢⱼ / Σ (i−j)²·rᵢ·cⱼ. Null without items, or if both raters used only the same single category.
 * @example
 * quadraticKappa([[1, 1, 0], [0, 1, 0], [0, 1, 1]]); // 0.666…
 */
export function quadraticKappa(table: CrossTable): number | null {
  const { n, rows, columns } = sumMargins(table);
  let seen = 0;
  let byChance = 0;
  table.forEach((counts, i) => {
    counts.forEach((count, j) => {
      seen += (i - j) ** 2 * count;
      byChance += (i - j) ** 2 * (rows[i] ?? 0) * (columns[j] ?? 0);
    });
  });
  return byChance === 0 ? null : 1 - (n * seen) / byChance;
}

/**
 * Spearman's rank correlation: Pearson's correlation of the ranks; ties get their mean rank.
 * Null with fewer than two items, or if all values of one list are equal.
 * @example
 * spearman([1, 2, 3], [10, 100, 1000]); // 1
 */
export function spearman(first: Numbers, second: Numbers): number | null {
  requireSameLength("first and second", first.length, second.length);
  return computePearson(rankValues(first), rankValues(second));
}

/** Ranks from 1; ties get their mean rank. */
export function rankValues(values: Numbers): Float64Array {
  const order = Uint32Array.from({ length: values.length }, (_, i) => i);
  order.sort((a, b) => (values[a] ?? 0) - (values[b] ?? 0));
  const ranks = new Float64Array(values.length);
  for (let start = 0, end = 0; start < order.length; start = end) {
    const value = values[order[start] ?? 0];
    while (end < order.length && values[order[end] ?? 0] === value) end += 1;
    for (let at = start; at < end; at++) ranks[order[at] ?? 0] = (start + 1 + end) / 2;
  }
  return ranks;
}

function computePearson(x: Float64Array, y: Float64Array): number | null {
  const [meanX, meanY] = [mean(x), mean(y)];
  let product = 0;
  let squareX = 0;
  let squareY = 0;
  for (let i = 0; i < x.length; i++) {
    const [dx, dy] = [(x[i] ?? 0) - meanX, (y[i] ?? 0) - meanY];
    product += dx * dy;
    squareX += dx * dx;
    squareY += dy * dy;
  }
  // Rounding can put the quotient slightly outside of [-1, 1].
  return squareX === 0 || squareY === 0 ? null : Math.max(-1, Math.min(1, product / Math.sqrt(squareX * squareY)));
}
