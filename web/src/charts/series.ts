/** Shapes of marks, so that nothing is told by color alone. */
export const SHAPES = ["circle", "square", "triangle", "diamond", "cross", "star", "wedge", "wye"] as const;

export type Shape = (typeof SHAPES)[number];

/** How one system (or harness) looks on the whole page. */
export interface SeriesLook {
  readonly color: string;
  readonly shape: Shape;
}

const COLOR_COUNT = 8;

/**
 * The look of each name by its place, so that a system keeps its look when others are added at the end; no two of the
 * first 64 look the same.
 * @example
 * const series = assignLooks(["a", "b"]);
 * series("a"); // { color: "var(--series-1)", shape: "circle" }
 */
export function assignLooks(names: readonly string[]): (name: string) => SeriesLook {
  const places = new Map([...new Set(names)].map((name, place) => [name, place]));
  return (name) => getSeriesLook(places.get(name) ?? places.size);
}

/** The looks of the systems of a chart: as the page has them, else by name, so that charts with the same systems agree. */
export function assignSystemLooks(
  all: readonly string[] | undefined,
  names: readonly string[],
): (name: string) => SeriesLook {
  return assignLooks(all ?? [...names].sort());
}

/** The look of the n-th of a list that has an order of its own, such as the classes of tokens. */
export function getSeriesLook(place: number): SeriesLook {
  const round = Math.floor(place / COLOR_COUNT);
  return {
    color: `var(--series-${(place % COLOR_COUNT) + 1})`,
    shape: SHAPES[(place + round) % SHAPES.length] ?? "circle",
  };
}
