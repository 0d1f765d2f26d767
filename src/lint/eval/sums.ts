/** More different sums than these are not looked at one by one. */
const MOST_SUMS = 1 << 16;
/** Sums of weights such as 0.1 are not exact. */
const PRECISION = 1e9;

/** Things that can each be taken or left, some of which exclude each other. */
export interface Choices {
  readonly weights: readonly number[];
  /** Pairs of positions that cannot both be taken. */
  readonly exclusions: readonly (readonly [number, number])[];
}

/**
 * Every sum of weights that can be taken together, in order; null when there are too many to look at.
 * @example
 * sumsOf({ weights: [1, 2], exclusions: [[0, 1]] }); // [0, 1, 2]
 */
export function sumsOf({ weights, exclusions }: Choices): readonly number[] | null {
  let sums: readonly number[] = [0];
  for (const group of groupsOf(weights.length, exclusions)) {
    const own = sumsOfGroup(group, { weights, exclusions });
    if (own === null || own.length * sums.length > MOST_SUMS * 16) return null;
    sums = distinct(sums.flatMap((sum) => own.map((more) => sum + more)));
    if (sums.length > MOST_SUMS) return null;
  }
  return sums;
}

/** Positions that are tied to each other by exclusions; those that are tied to none stand alone. */
function groupsOf(count: number, exclusions: Choices["exclusions"]): number[][] {
  const group = Array.from({ length: count }, (_, position) => position);
  for (const [a, b] of exclusions) {
    const [from, to] = [group[a], group[b]];
    for (const position of group.keys()) if (group[position] === from && to !== undefined) group[position] = to;
  }
  const members = new Map<number, number[]>();
  for (const [position, name] of group.entries()) members.set(name, [...(members.get(name) ?? []), position]);
  return [...members.values()];
}

function sumsOfGroup(group: readonly number[], { weights, exclusions }: Choices): readonly number[] | null {
  let taken: { readonly sum: number; readonly positions: readonly number[] }[] = [{ sum: 0, positions: [] }];
  for (const position of group) {
    const foes = new Set(exclusions.flatMap(([a, b]) => (a === position ? [b] : b === position ? [a] : [])));
    const withIt = taken
      .filter(({ positions }) => !positions.some((other) => foes.has(other)))
      .map(({ sum, positions }) => ({ sum: sum + (weights[position] ?? 0), positions: [...positions, position] }));
    taken = [...taken, ...withIt];
    if (taken.length > MOST_SUMS) return null;
  }
  return distinct(taken.map(({ sum }) => sum));
}

function distinct(sums: readonly number[]): number[] {
  const rounded = new Set(sums.map((sum) => Math.round(sum * PRECISION) / PRECISION));
  return [...rounded].sort((a, b) => a - b);
}
