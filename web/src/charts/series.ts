/** Shapes of marks, so that nothing is told by colour alone. */
export const SHAPES = ["circle", "square", "triangle", "diamond", "cross", "star", "wedge", "wye"] as const;

export type Shape = (typeof SHAPES)[number];

/** How one system (or harness) looks on the whole page. */
export interface Series {
  readonly colour: string;
  readonly shape: Shape;
}

const COLOURS = 8;

/**
 * The look of each name by its place, so that a system keeps its look when others are added at the end; no two of the
 * first 64 look the same.
 * @example
 * const series = seriesOf(["a", "b"]);
 * series("a"); // { colour: "var(--series-1)", shape: "circle" }
 */
export function seriesOf(names: readonly string[]): (name: string) => Series {
  const places = new Map([...new Set(names)].map((name, place) => [name, place]));
  return (name) => seriesAt(places.get(name) ?? places.size);
}

/** The looks of the systems of a chart: as the page has them, else by name, so that charts with the same systems agree. */
export function looksOf(all: readonly string[] | undefined, names: readonly string[]): (name: string) => Series {
  return seriesOf(all ?? [...names].sort());
}

/** The look of the n-th of a list that has an order of its own, such as the classes of tokens. */
export function seriesAt(place: number): Series {
  const round = Math.floor(place / COLOURS);
  return {
    colour: `var(--series-${(place % COLOURS) + 1})`,
    shape: SHAPES[(place + round) % SHAPES.length] ?? "circle",
  };
}
