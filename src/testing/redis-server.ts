import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { openRedis } from "../queue/index.js";

/** A real Redis for a test, on a free loopback port. It loses no data when killed. */
export interface RedisServer {
  readonly url: string;
  readonly port: number;
  /** Kills it. Nothing that it has confirmed is lost. */
  kill(): Promise<void>;
  /** Starts it again, on the same port with the same data. */
  start(): Promise<void>;
  /** Stops it and removes its data. */
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
  const { port, release } = await reservePort();
  const url = `redis://127.0.0.1:${port}`;
  let child: ChildProcess | null = null;
  const start = async () => {
    child = spawn("redis-server", [...listRedisFlags(port), "--dir", dir], { stdio: "ignore" });
    await waitUntilReady(child, port);
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
    release();
    rmSync(dir, { recursive: true, force: true });
  };
  await start();
  return { url, port, start, kill, stop };
}

/**
 * A Redis for all tests of a block, emptied before each, with a connection to it.
 * @example
 * let redis: Redis;
 * describeWithRedis((own) => ({ redis } = own));
 */
export function describeWithRedis(use: (own: { server: RedisServer; redis: Redis }) => void): void {
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

/**
 * With "appendfsync no", Redis passes every change to the kernel before it answers, so that a killed one has lost nothing.
 * With "everysec" it answers first while the disk is slow: a killed one then came back with data of an earlier test.
 */
function listRedisFlags(port: number): string[] {
  return [
    ...["--port", String(port), "--bind", "127.0.0.1"],
    ...["--appendonly", "yes", "--appendfsync", "no", "--save", "", "--loglevel", "warning"],
  ];
}

/** Below the ports that systems assign to outgoing connections and to servers on any port. */
const MIN_PORT = 12_000;
const MAX_PORT = 32_000;

/**
 * Reserves a port for this test, even while its Redis is down: this process holds the port above it, and only the holder of
 * that one starts a Redis below. It is released when the process ends, however it ends.
 */
async function reservePort(): Promise<{ port: number; release: () => void }> {
  const count = (MAX_PORT - MIN_PORT) / 2;
  const first = process.pid % count;
  for (let i = 0; i < count; i++) {
    const port = MIN_PORT + 2 * ((first + i) % count);
    const holder = await tryToListen(port + 1);
    if (holder === null) continue;
    // Another program may use the port itself.
    const probe = await tryToListen(port);
    if (probe !== null) {
      await new Promise((closed) => probe.close(closed));
      return { port, release: () => void holder.close() };
    }
    holder.close();
  }
  throw new Error("there is no free port for a Redis");
}

/** Null if the port is taken. */
async function tryToListen(port: number): Promise<Server | null> {
  const server = createServer((socket) => socket.destroy());
  server.unref();
  try {
    server.listen({ port, host: "127.0.0.1", exclusive: true });
    await once(server, "listening");
    return server;
  } catch {
    return null;
  }
}

/** Waits for this process however long a busy machine takes; throws if it exits instead. */
async function waitUntilReady(child: ChildProcess, port: number): Promise<void> {
  const { Redis } = await import("ioredis");
  for (;;) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`redis-server ended on port ${port}`);
    const redis = new Redis(port, "127.0.0.1", { lazyConnect: true, retryStrategy: () => null });
    redis.on("error", () => {});
    try {
      await redis.connect();
      if ((await redis.info("server")).includes(`process_id:${child.pid}\r\n`)) return;
    } catch {
      // It does not listen yet.
    } finally {
      redis.disconnect();
    }
    await sleep(20);
  }
}
