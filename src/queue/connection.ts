import type { Redis } from "ioredis";
import { messageOf, QueueError, UsageError } from "../core/errors.js";

/** How long the first contact may take. */
const CONNECT_MS = 5000;
const LONGEST_PAUSE_MS = 1000;

/**
 * Opens a connection to Redis, and says why when there is none. Once it was there, it is made again whenever it is lost,
 * and what was asked meanwhile is asked again.
 * @example
 * const redis = await openRedis("redis://127.0.0.1:6379");
 * await redis.quit();
 */
export async function openRedis(url: string): Promise<Redis> {
  const redis = new (await import("ioredis")).Redis(checkUrl(url), {
    lazyConnect: true,
    // BullMQ asks for this: a command waits for the connection for as long as it takes.
    maxRetriesPerRequest: null,
    connectTimeout: CONNECT_MS,
    retryStrategy: () => null,
  });
  redis.on("error", () => {});
  try {
    await redis.connect();
  } catch (cause) {
    redis.disconnect();
    throw new QueueError(
      `Redis at ${withoutSecrets(url)} cannot be reached: ${messageOf(cause)}. Start it (redis-server --appendonly yes), or give another --queue.`,
      { cause },
    );
  }
  redis.options.retryStrategy = (times) => Math.min(50 * times, LONGEST_PAUSE_MS);
  return redis;
}

/** A second connection to the same Redis, for commands that block. */
export async function openAnother(redis: Redis): Promise<Redis> {
  const another = redis.duplicate();
  another.on("error", () => {});
  if (another.status === "wait") await another.connect();
  return another;
}

function checkUrl(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed !== null && /^rediss?:$/.test(parsed.protocol) && parsed.hostname !== "") return url;
  throw new UsageError(`"${withoutSecrets(url)}" is not the address of a Redis. Write redis://HOST:6379.`);
}

/** The address for people and files: without user and password. */
export function withoutSecrets(url: string): string {
  return url.replace(/^(\w+:\/\/)[^@/]*@/, "$1");
}
