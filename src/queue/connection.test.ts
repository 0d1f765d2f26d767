import { describe, expect, it, onTestFinished } from "vitest";
import { startRedis } from "../testing/redis-server.js";
import { isCommandMissing } from "../testing/system-command.js";
import { openRedis, stripSecrets } from "./connection.js";

it.skipIf(isCommandMissing("redis-server"))("waits a moment for a Redis that is starting", async () => {
  const server = await startRedis();
  onTestFinished(() => server.stop());
  await server.kill();
  const opening = openRedis(server.url, { startingMs: 120_000 });
  await server.start();
  const redis = await opening;
  expect(await redis.ping()).toBe("PONG");
  redis.disconnect();
});

describe("stripSecrets", () => {
  it.each([
    ["redis://queue:6379", "redis://queue:6379"],
    ["redis://queue:6379/2", "redis://queue:6379/2"],
    ["rediss://me:hunter2@queue:6379/2", "rediss://queue:6379/2"],
    ["redis://:hunt@er2@queue", "redis://queue"],
    ["redis://[::1]:6379", "redis://[::1]:6379"],
    ["redis://queue?password=hunter2", "redis://queue"],
    ["redis://queue/1#hunter2", "redis://queue/1"],
    ["redis://queue:6379?password=hunt@er2", "redis://…"],
    ["redis://:hunt/er2@queue:1", "redis://queue:1"],
    ["redis://:hunt?er2@queue", "redis://…"],
    ["redis://:hunt#er2@queue", "redis://queue"],
    ["redis://me:2#hunter@queue", "redis://…"],
    ["redis://queue:none?password=hunt@er2", "redis://…"],
    ["me:hunter2@queue:6379", "…"],
    ["queue:6379", "queue:6379"],
    ["http://me:hunter2@host", "http://host"],
    ["redis://", "redis://"],
    ["", ""],
  ])("shows %s as %s", (url, shown) => {
    expect(stripSecrets(url)).toBe(shown);
  });

  it("is applied in errors about unusable URLs and failed connections", async () => {
    await expect(openRedis("redis://:hunt/er2@queue")).rejects.toThrow('"redis://queue" is not a Redis address.');
    const away = openRedis("redis://127.0.0.1:1?password=hunter2");
    await expect(away).rejects.toThrow(/^Redis at redis:\/\/127\.0\.0\.1:1 cannot be reached: (?!.*hunter2)/);
  });
});
