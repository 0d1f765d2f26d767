import type { Redis } from "ioredis";
import { getErrorMessage, QueueError, UsageError } from "../core/index.js";
import { retry } from "../utils/index.js";

const CONNECT_TIMEOUT_MS = 5000;
const DEFAULT_STARTUP_MS = 2000;
const RETRY_PAUSE_MS = 100;
const MAX_RETRY_PAUSE_MS = 1000;

interface RedisConnectionOptions {
  /** How long refused connections are retried, because Redis may be starting. Default: 2000. */
  readonly startingMs?: number;
}

/**
 * Opens a connection to Redis, or throws with the reason. Later a lost connection is restored, and pending commands are
 * sent again.
 * @example
 * const redis = await openRedis("redis://127.0.0.1:6379");
 * await redis.quit();
 */
export async function openRedis(url: string, options: RedisConnectionOptions = {}): Promise<Redis> {
  const redis = new (await import("ioredis")).Redis(checkRedisUrl(url), {
    lazyConnect: true,
    // Required by BullMQ: commands wait for the connection without a limit.
    maxRetriesPerRequest: null,
    connectTimeout: CONNECT_TIMEOUT_MS,
    retryStrategy: () => null,
  });
  redis.on("error", () => {});
  try {
    await connectWithRetry(redis, options.startingMs ?? DEFAULT_STARTUP_MS);
  } catch (cause) {
    redis.disconnect();
    throw new QueueError(
      `Redis at ${stripSecrets(url)} cannot be reached: ${getErrorMessage(cause)}. Start it (redis-server --appendonly yes), or pass another --queue.`,
      { cause },
    );
  }
  redis.options.retryStrategy = (times) => Math.min(50 * times, MAX_RETRY_PAUSE_MS);
  return redis;
}

/** Redis refuses connections for a moment while it starts. */
async function connectWithRetry(redis: Redis, startingMs: number): Promise<void> {
  const end = performance.now() + startingMs;
  let reason: unknown;
  // The rejected promise only says that the connection is closed; the error event has the cause.
  const hear = (error: unknown) => {
    reason = error;
  };
  redis.on("error", hear);
  try {
    await retry(() => redis.connect(), {
      waitAfter: (error) => {
        const { code } = Object(reason) as { code?: unknown };
        if (code !== "ECONNREFUSED" || performance.now() > end) throw reason ?? error;
        return RETRY_PAUSE_MS;
      },
    });
  } finally {
    redis.off("error", hear);
  }
}

/** Opens a second connection to the same Redis, for blocking commands. Connects as soon as Redis is available. */
export function duplicateConnection(redis: Redis): Redis {
  const another = redis.duplicate({ lazyConnect: false });
  another.on("error", () => {});
  return another;
}

function checkRedisUrl(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed !== null && /^rediss?:$/.test(parsed.protocol) && parsed.hostname !== "") return url;
  throw new UsageError(`"${stripSecrets(url)}" is not a Redis address. Write redis://HOST:6379.`);
}

/**
 * The URL for display and files: without user, password and query, which may hold a password too. If the host cannot be
 * identified, it is omitted.
 * @example
 * stripSecrets("redis://me:secret@queue:6379/2?family=6"); // "redis://queue:6379/2"
 */
export function stripSecrets(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null) return stripCredentials(url);
  // A password that is not URL-encoded ends up in the wrong part: "redis://me:123#4@host".
  if (`${parsed.pathname}${parsed.search}${parsed.hash}`.includes("@")) return maskUrl(url);
  const { protocol, host, pathname } = parsed;
  return host === "" ? stripQuery(url) : `${protocol}//${host}${pathname === "/" ? "" : pathname}`;
}

function stripCredentials(url: string): string {
  const at = url.lastIndexOf("@");
  if (at === -1) return stripQuery(url);
  const settings = url.indexOf("?");
  if (settings !== -1 && settings < at) return maskUrl(url);
  const scheme = /^\w*:\/\//.exec(url)?.[0] ?? "";
  return `${scheme}${stripQuery(url.slice(at + 1))}`;
}

function stripQuery(url: string): string {
  return url.replace(/[?#].*$/s, "");
}

function maskUrl(url: string): string {
  return `${/^\w*:\/\//.exec(url)?.[0] ?? ""}…`;
}
