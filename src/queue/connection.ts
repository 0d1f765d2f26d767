import type { Redis } from "ioredis";
import { messageOf, QueueError, UsageError } from "../core/errors.js";
import { retry } from "../utils/retry.js";

/** How long the first contact may take. */
const CONNECT_MS = 5000;
const DEFAULT_STARTING_MS = 2000;
const PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 1000;

interface ConnectionOptions {
  /** How long a Redis that refuses is taken for one that is being started. Default: 2000. */
  readonly startingMs?: number;
}

/**
 * Opens a connection to Redis, and says why when there is none. Once it was there, it is made again whenever it is lost,
 * and what was asked meanwhile is asked again.
 * @example
 * const redis = await openRedis("redis://127.0.0.1:6379");
 * await redis.quit();
 */
export async function openRedis(url: string, options: ConnectionOptions = {}): Promise<Redis> {
  const redis = new (await import("ioredis")).Redis(checkUrl(url), {
    lazyConnect: true,
    // BullMQ asks for this: a command waits for the connection for as long as it takes.
    maxRetriesPerRequest: null,
    connectTimeout: CONNECT_MS,
    retryStrategy: () => null,
  });
  redis.on("error", () => {});
  try {
    await firstContact(redis, options.startingMs ?? DEFAULT_STARTING_MS);
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

/** A Redis that is just being started, or started again, refuses for a moment. */
async function firstContact(redis: Redis, startingMs: number): Promise<void> {
  const end = performance.now() + startingMs;
  let reason: unknown;
  // What a failed attempt itself says is that the connection is closed; why is told beside it.
  const hear = (error: unknown) => {
    reason = error;
  };
  redis.on("error", hear);
  try {
    await retry(() => redis.connect(), {
      waitAfter: (error) => {
        const { code } = Object(reason) as { code?: unknown };
        if (code !== "ECONNREFUSED" || performance.now() > end) throw reason ?? error;
        return PAUSE_MS;
      },
    });
  } finally {
    redis.off("error", hear);
  }
}

/** A second connection to the same Redis, for commands that block. Where Redis is away, it is made as soon as it is back. */
export function openAnother(redis: Redis): Redis {
  const another = redis.duplicate({ lazyConnect: false });
  another.on("error", () => {});
  return another;
}

function checkUrl(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed !== null && /^rediss?:$/.test(parsed.protocol) && parsed.hostname !== "") return url;
  throw new UsageError(`"${withoutSecrets(url)}" is not the address of a Redis. Write redis://HOST:6379.`);
}

/**
 * The address for people and files: without user, password and settings, which may hold a password too. Where nobody can
 * tell what is the host, it is not named at all.
 * @example
 * withoutSecrets("redis://me:secret@queue:6379/2?family=6"); // "redis://queue:6379/2"
 */
export function withoutSecrets(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null) return withoutCredentials(url);
  // A password that was not written as an address wants it ends in the wrong part: "redis://me:123#4@host".
  if (`${parsed.pathname}${parsed.search}${parsed.hash}`.includes("@")) return schemeOf(url);
  const { protocol, host, pathname } = parsed;
  return host === "" ? withoutSettings(url) : `${protocol}//${host}${pathname === "/" ? "" : pathname}`;
}

function withoutCredentials(url: string): string {
  const at = url.lastIndexOf("@");
  if (at === -1) return withoutSettings(url);
  const settings = url.indexOf("?");
  if (settings !== -1 && settings < at) return schemeOf(url);
  const scheme = /^\w*:\/\//.exec(url)?.[0] ?? "";
  return `${scheme}${withoutSettings(url.slice(at + 1))}`;
}

function withoutSettings(url: string): string {
  return url.replace(/[?#].*$/s, "");
}

function schemeOf(url: string): string {
  return `${/^\w*:\/\//.exec(url)?.[0] ?? ""}…`;
}
