import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import type { Redis } from "ioredis";
import type { WorkerState } from "../queue/contract.js";
import { Presence } from "../queue/presence.js";

export interface ReceptionOptions {
  readonly redis: Redis;
  readonly concurrency: number;
  readonly leaseMs: number;
}

/** What is to be seen of a worker besides its processes. */
export interface Standing {
  /** True while it takes part in nothing. */
  readonly isIdle: boolean;
  /** Why it does not take part in a run, by the key of the run. */
  readonly refusals: ReadonlyMap<string, string>;
}

/** Shows others a worker that waits for a run, or that takes no part in one. Its processes show themselves. */
export class Reception {
  readonly #options: ReceptionOptions;
  readonly #startedAt = new Date().toISOString();
  /** By the run that is refused; "" for a worker that waits. */
  readonly #shown = new Map<string, Presence>();

  constructor(options: ReceptionOptions) {
    this.#options = options;
  }

  /** Shows how it stands now, and takes back what was shown before. */
  async show({ isIdle, refusals }: Standing): Promise<void> {
    const waits = isIdle && refusals.size === 0;
    const wanted = new Map<string, string | null>([...refusals, ...(waits ? [["", null] as const] : [])]);
    for (const [run, presence] of this.#shown)
      if (!wanted.has(run) || presence.state.refuses !== wanted.get(run)) await this.#hide(run, presence);
    for (const [run, refuses] of wanted) if (!this.#shown.has(run)) await this.#appear(run, refuses);
  }

  /** Shows nothing any more. */
  async close(): Promise<void> {
    for (const [run, presence] of this.#shown) await this.#hide(run, presence);
  }

  async #appear(run: string, refuses: string | null): Promise<void> {
    const { redis, concurrency, leaseMs } = this.#options;
    const host = hostname();
    const state: WorkerState = {
      id: `${host}-${process.pid}-${randomBytes(4).toString("hex")}`,
      host,
      pid: process.pid,
      run: run === "" ? null : run,
      concurrency,
      startedAt: this.#startedAt,
      active: 0,
      done: 0,
      perSecond: 0,
      waiting: null,
      refuses,
    };
    const presence = new Presence({ redis, state, leaseMs });
    this.#shown.set(run, presence);
    await presence.start();
  }

  async #hide(run: string, presence: Presence): Promise<void> {
    this.#shown.delete(run);
    await presence.stop();
  }
}
