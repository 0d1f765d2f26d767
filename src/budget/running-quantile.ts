/**
 * The p-quantile (type 7) of a stream of numbers, in logarithmic time each: numbers up to the quantile are in a max-heap,
 * the others in a min-heap.
 * @example
 * const p99 = new RunningQuantile(0.99);
 * for (const cost of [1, 2, 3]) p99.add(cost);
 * p99.value; // 2.98
 */
export class RunningQuantile {
  readonly #p: number;
  /** Negated values turn the min-heap into a max-heap. */
  readonly #low = new MinHeap();
  readonly #high = new MinHeap();

  constructor(p: number) {
    this.#p = p;
  }

  get count(): number {
    return this.#low.size + this.#high.size;
  }

  /** NaN when empty. */
  get value(): number {
    const low = -this.#low.min;
    const position = (this.count - 1) * this.#p;
    const fraction = position - Math.floor(position);
    return fraction === 0 ? low : low + (this.#high.min - low) * fraction;
  }

  add(value: number): void {
    if (this.#low.size === 0 || value <= -this.#low.min) this.#low.push(-value);
    else this.#high.push(value);
    const wanted = Math.floor((this.count - 1) * this.#p) + 1;
    while (this.#low.size > wanted) this.#high.push(-this.#low.pop());
    while (this.#low.size < wanted) this.#low.push(-this.#high.pop());
  }
}

class MinHeap {
  readonly #items: number[] = [];

  get size(): number {
    return this.#items.length;
  }

  get min(): number {
    return this.#getItem(0);
  }

  push(value: number): void {
    let index = this.#items.push(value) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (this.#getItem(parent) <= value) break;
      this.#items[index] = this.#getItem(parent);
      index = parent;
    }
    this.#items[index] = value;
  }

  pop(): number {
    const least = this.min;
    const last = this.#items.pop();
    if (last !== undefined && this.#items.length > 0) this.#siftDown(last);
    return least;
  }

  #siftDown(value: number): void {
    let index = 0;
    for (let child = 1; child < this.size; child = 2 * index + 1) {
      if (child + 1 < this.size && this.#getItem(child + 1) < this.#getItem(child)) child += 1;
      if (this.#getItem(child) >= value) break;
      this.#items[index] = this.#getItem(child);
      index = child;
    }
    this.#items[index] = value;
  }

  #getItem(index: number): number {
    return this.#items[index] ?? Number.NaN;
  }
}
