import { expect, it, onTestFinished } from "vitest";
import { openRedis } from "../src/queue/connection.js";
import { startRedis } from "../src/testing/redis-server.js";
import { isCommandMissing } from "../src/testing/system-command.js";

it.skipIf(isCommandMissing("redis-server"))(
  "a killed Redis keeps its port and data, whatever else is started",
  async () => {
    const first = await startRedis();
    onTestFinished(() => first.stop());
    const redis = await openRedis(first.url);
    onTestFinished(() => redis.disconnect());
    await redis.set("key", "first");
    await first.kill();
    const others = await Promise.all([startRedis(), startRedis(), startRedis()]);
    for (const other of others) onTestFinished(() => other.stop());
    expect(new Set([first, ...others].map(({ port }) => port)).size).toBe(4);
    await first.start();
    expect(await redis.get("key")).toBe("first");
  },
);
