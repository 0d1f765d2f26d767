import { setTimeout as wait } from "node:timers/promises";

/** What a hub takes from the outside world, so that a test can stand in for it. */
export interface HubPorts {
  readonly sleep: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
  readonly random: () => number;
  readonly now: () => number;
  /** How long a connection may stay silent. */
  readonly idleMs: number;
}

/** The outside world as it is. */
export const REAL_PORTS: HubPorts = {
  sleep: async (ms, signal) => {
    try {
      await wait(ms, undefined, { signal });
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    }
  },
  random: Math.random,
  now: Date.now,
  idleMs: 30_000,
};
