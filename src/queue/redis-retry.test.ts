import type { Redis } from "ioredis";
import { describe, expect, it } from "vitest";
import { describeWithRedis, type RedisServer } from "../testing/redis-server.js";
import { isCommandMissing } from "../testing/system-command.js";
import { openRedis } from "./connection.js";
import { deliverResults, wasDelivered } from "./deliver.js";
import { KEYS } from "./keys.js";
import { retryRedis } from "./redis-retry.js";
import { SharedGate } from "./shared-gate.js";

const NEVER = new AbortController().signal;
const PARCEL = { data: Buffer.from("rows"), trials: [1], settlements: [] };

describe.skipIf(isCommandMissing("redis-server"))("a Redis that refuses for a while", () => {
  let server: RedisServer;
  let redis: Redis;

  describeWithRedis((own) => {
    ({ server, redis } = own);
  });

  it("is retried until it accepts the results", async () => {
    await redis.config("SET", "maxmemory", "1");
    const refusals: string[] = [];
    const delivering = retryRedis(() => deliverResults(redis, "run", PARCEL), {
      onRefused: (answer) => refusals.push(answer),
    });
    await expect.poll(() => refusals[0]).toContain("OOM");
    expect(await wasDelivered(redis, "run", 1)).toBe(false);
    await redis.config("SET", "maxmemory", "0");
    await delivering;
    expect(await wasDelivered(redis, "run", 1)).toBe(true);
    expect(await redis.xlen(KEYS.results("run"))).toBe(1);
  });

  it("is given up after a limit, with its reply and a remedy", async () => {
    await redis.config("SET", "maxmemory", "1");
    const delivering = retryRedis(() => deliverResults(redis, "run", PARCEL), { limitMs: 300 });
    await expect(delivering).rejects.toThrow(/^Redis rejected requests for 0 s: .*OOM.*start it again\.$/);
    await redis.config("SET", "maxmemory", "0");
  });

  it("gets a freed slot once it accepts requests", async () => {
    const gate = new SharedGate({ redis, endpoint: "host", worker: "w", max: 1 });
    const call = await gate.enter(NEVER);
    await redis.replicaof("127.0.0.1", "1");
    gate.leave(call, "fine");
    await redis.ping();
    await redis.replicaof("NO", "ONE");
    expect(await redis.hget(KEYS.gate("host"), "active")).toBe("1");
    await expect.poll(() => redis.hget(KEYS.gate("host"), "active")).toBe("0");
  });

  it("is not retried on a closed connection", async () => {
    const own = await openRedis(server.url);
    await own.quit();
    await expect(retryRedis(() => deliverResults(own, "run", PARCEL))).rejects.toThrow(/closed/i);
  });
});
