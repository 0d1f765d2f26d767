import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { openRedis } from "../src/queue/connection.js";

/** A real Redis of a test's own, on a free loopback port, which writes everything down before it answers. */
export interface RedisServer {
  readonly url: string;
  readonly port: number;
  /** Ends it as a power cut would: what it has answered is on disk. */
  kill(): Promise<void>;
  /** Starts it again, on the same port and with the same data. */
  start(): Promise<void>;
  /** Ends it for good, and removes its data. */
  stop(): Promise<void>;
}

/**
 * Starts a Redis.
 * @example
 * const redis = await startRedis();
 * await redis.stop();
 */
export async function startRedis(): Promise<RedisServer> {
  const dir = mkdtempSync(join(tmpdir(), "assay-redis-"));
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  let child: ChildProcess | null = null;
  const start = async () => {
    child = spawn("redis-server", [...settings(port), "--dir", dir], { stdio: "ignore" });
    await answering(port);
  };
  const kill = async () => {
    if (child === null) return;
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
    child = null;
  };
  const stop = async () => {
    await kill();
    rmSync(dir, { recursive: true, force: true });
  };
  await start();
  return { url, port, start, kill, stop };
}

/**
 * A Redis for all tests of a block, empty before each, with a connection to it.
 * @example
 * let redis: Redis;
 * redisFor((own) => ({ redis } = own));
 */
export function redisFor(use: (own: { server: RedisServer; redis: Redis }) => void): void {
  let server: RedisServer | undefined;
  let redis: Redis | undefined;
  beforeAll(async () => {
    server = await startRedis();
    redis = await openRedis(server.url);
    use({ server, redis });
  });
  afterAll(async () => {
    redis?.disconnect();
    await server?.stop();
  });
  beforeEach(async () => void (await redis?.flushall()));
}

function settings(port: number): string[] {
  return [
    ...["--port", String(port), "--bind", "127.0.0.1"],
    ...["--appendonly", "yes", "--appendfsync", "everysec", "--save", "", "--loglevel", "warning"],
  ];
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

async function answering(port: number): Promise<void> {
  const { Redis } = await import("ioredis");
  for (let tries = 0; tries < 100; tries++) {
    const redis = new Redis(port, "127.0.0.1", { lazyConnect: true, retryStrategy: () => null });
    redis.on("error", () => {});
    try {
      await redis.connect();
      await redis.ping();
      return;
    } catch {
      await sleep(50);
    } finally {
      redis.disconnect();
    }
  }
  throw new Error(`redis-server does not answer on port ${port}`);
}
