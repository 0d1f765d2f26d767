import type { Redis } from "ioredis";
import { retry } from "../utils/retry.js";

const SHORTEST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2000;

/**
 * Has Redis do something, however often it has to be asked. A Redis that is out of memory, is read-only, cannot write to
 * its disk or is busy with a script refuses for now, not for good. Throws when the connection was closed for good.
 * @example
 * await insist(redis, () => redis.set("key", "value"));
 */
export function insist<T>(
  redis: Redis,
  act: () => Promise<T>,
  onRefused: (error: unknown) => void = () => {},
): Promise<T> {
  return retry(act, {
    waitAfter: (error, { failed }) => {
      if (redis.status === "end") return null;
      onRefused(error);
      return Math.min(SHORTEST_PAUSE_MS * 2 ** (failed - 1), LONGEST_PAUSE_MS);
    },
  });
}
