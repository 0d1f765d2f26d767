/**
 * A list of numbers that knows its lowest, and the leftmost place of it, at any time; a change costs O(log n) and
 * usually less, because it climbs only as far as it alters a minimum.
 */
export class MinTree {
  // The root is node 1; the children of node i are 2i and 2i + 1, and the values are the last nodes.
  readonly #nodes: Int32Array;
  readonly #leaves: number;

  constructor(size: number, initial: number) {
    this.#leaves = 1 << Math.ceil(Math.log2(Math.max(size, 2)));
    this.#nodes = new Int32Array(2 * this.#leaves).fill(initial);
  }

  /** Sets a value without keeping order; `build` must follow. */
  fill(place: number, value: number): void {
    this.#nodes[this.#leaves + place] = value;
  }

  build(): void {
    for (let node = this.#leaves - 1; node > 0; node--) this.#nodes[node] = this.#lowestChild(node);
  }

  set(place: number, value: number): void {
    const nodes = this.#nodes;
    let node = this.#leaves + place;
    nodes[node] = value;
    for (node >>= 1; node > 0; node >>= 1) {
      const lowest = this.#lowestChild(node);
      if (nodes[node] === lowest) return;
      nodes[node] = lowest;
    }
  }

  lowest(): number {
    return this.#nodes[1] ?? 0;
  }

  leftmostLowest(): number {
    const nodes = this.#nodes;
    const lowest = nodes[1];
    let node = 1;
    while (node < this.#leaves) {
      node *= 2;
      if (nodes[node] !== lowest) node++;
    }
    return node - this.#leaves;
  }

  #lowestChild(node: number): number {
    return Math.min(this.#nodes[2 * node] ?? 0, this.#nodes[2 * node + 1] ?? 0);
  }
}
