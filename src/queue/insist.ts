import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";

const SHORTEST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2000;

/**
 * Has Redis do something, however often it has to be asked. A Redis that is out of memory, is read-only, cannot write to
 * its disk or is busy with a script refuses for now, not for good. Throws when the connection was closed for good.
 * @example
 * await insist(redis, () => redis.set("key", "value"));
 */
export async function insist<T>(
  redis: Redis,
  act: () => Promise<T>,
  onRefused: (error: unknown) => void = () => {},
): Promise<T> {
  for (let pause = SHORTEST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    try {
      return await act();
    } catch (error) {
      if (redis.status === "end") throw error;
      onRefused(error);
      await sleep(pause);
    }
  }
}
