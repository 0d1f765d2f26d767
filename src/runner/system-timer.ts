import type { Timing } from "../core/index.js";

/** Measures how long the trials of each system took together, on a monotonic clock. */
export class SystemTimer {
  readonly #clock: () => number;
  readonly #begun: number;
  readonly #times = new Map<string, { start: number; end: number | null }>();

  /** @param clock Milliseconds, monotonic. */
  constructor(clock: () => number) {
    this.#clock = clock;
    this.#begun = clock();
  }

  /** Call when a trial of the system starts. Without it, as with workers on other machines, the system started with the run. */
  start(system: string): void {
    if (!this.#times.has(system)) this.#times.set(system, { start: this.#clock(), end: null });
  }

  /** Call when a trial of the system is finished. */
  end(system: string): void {
    const known = this.#times.get(system);
    if (known === undefined) this.#times.set(system, { start: this.#begun, end: this.#clock() });
    else known.end = this.#clock();
  }

  elapsedSeconds(): number {
    return (this.#clock() - this.#begun) / 1000;
  }

  /** Seconds from the start of each system's first trial to the end of its last; omits systems without a finished trial. */
  secondsBySystem(): Record<string, number> {
    const entries = Array.from(this.#times, ([system, { start, end }]) => [system, end, start] as const);
    return Object.fromEntries(
      entries.flatMap(([system, end, start]) => (end === null ? [] : [[system, (end - start) / 1000]])),
    );
  }
}

interface TimingInput {
  times: SystemTimer;
  trials: number;
  cachedTrials: number;
}

export function buildTiming(started: Date, { times, trials, cachedTrials }: TimingInput): Timing {
  const wallSeconds = times.elapsedSeconds();
  return {
    startedAt: started.toISOString(),
    finishedAt: new Date().toISOString(),
    wallSeconds,
    wallSecondsBySystem: times.secondsBySystem(),
    trialsPerSecond: wallSeconds === 0 ? trials : trials / wallSeconds,
    cachedTrials,
  };
}
