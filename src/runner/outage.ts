/** What is done about an endpoint that is down. */
export interface OutagePolicy {
  /** Milliseconds after which the trials that wait for it are given up; `Infinity` to wait until it is back. */
  giveUpAfterMs: number;
}

export const DEFAULT_OUTAGE: OutagePolicy = { giveUpAfterMs: 60_000 };

/** Fewer failures in a row are bad luck. */
const MIN_FAILURES = 5;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;

export interface OutageOptions {
  /** Whom the calls go to, for people. */
  name: string;
  policy: OutagePolicy;
  clock: () => number;
}

/** Whether an endpoint is down, and when it is tried again: one call at a time, with growing pauses. */
export class Outage {
  readonly #options: OutageOptions;
  #failures = 0;
  /** When the first of them ended. */
  #since = 0;
  #pauseMs = 0;
  #nextTry = 0;
  #why = "";

  constructor(options: OutageOptions) {
    this.#options = options;
  }

  get isOn(): boolean {
    return this.#pauseMs > 0;
  }

  /** When the next call may be made. */
  get nextTry(): number {
    return this.isOn ? this.#nextTry : 0;
  }

  /** Call when a call has failed because the endpoint is not there. `atOnce`: calls under way that fail for the same reason. */
  fail(why: string, atOnce: number): void {
    const now = this.#options.clock();
    if (this.#failures === 0) this.#since = now;
    this.#failures += 1;
    this.#why = why;
    if (this.#failures < Math.max(MIN_FAILURES, atOnce)) return;
    // Calls that were under way when it began are no further news.
    if (this.isOn && now < this.#nextTry) return;
    this.#pauseMs = Math.min(LONGEST_PAUSE_MS, this.#pauseMs === 0 ? FIRST_PAUSE_MS : this.#pauseMs * 2);
    this.#nextTry = Math.min(now + this.#pauseMs, Math.max(now, this.#giveUpAt()));
  }

  /** Call when the endpoint has answered anything at all. */
  end(): void {
    this.#failures = 0;
    this.#pauseMs = 0;
  }

  /** Why trials are given up, in words; null while the endpoint is waited for. */
  verdict(): string | null {
    const { name, clock } = this.#options;
    if (!this.isOn || clock() < this.#giveUpAt()) return null;
    return `${name} was down for ${seconds(clock() - this.#since)}. ${this.#why}`;
  }

  /** What is waited for, in words. */
  describe(): string {
    const { name, policy, clock } = this.#options;
    const next = `next try in ${seconds(this.#nextTry - clock())}`;
    const end =
      policy.giveUpAfterMs === Number.POSITIVE_INFINITY
        ? "waiting until it is back"
        : `giving up in ${seconds(this.#giveUpAt() - clock())}`;
    return `${name} is down, ${next}, ${end}: ${this.#why}`;
  }

  #giveUpAt(): number {
    return this.#since + this.#options.policy.giveUpAfterMs;
  }
}

function seconds(ms: number): string {
  return `${Math.max(0, Math.ceil(ms / 1000))} s`;
}
