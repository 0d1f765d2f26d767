const WINDOW_MS = 10_000;

/** Computes a rate per second from a count that is sampled now and then. */
export class RateMeter {
  #seen: { at: number; count: number }[] = [];

  /** The rate over the last ten seconds, given the current count. */
  measure(now: number, count: number): number {
    this.#seen = [...this.#seen.filter(({ at }) => now - at <= WINDOW_MS), { at: now, count }];
    const [first] = this.#seen;
    if (first === undefined || now === first.at) return 0;
    return Math.round(((count - first.count) / (now - first.at)) * 10_000) / 10;
  }
}
