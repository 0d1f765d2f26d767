import type { Redis } from "ioredis";
import { describe, expect, it } from "vitest";
import { describeWithRedis, type RedisServer } from "../testing/redis-server.js";
import { isCommandMissing } from "../testing/system-command.js";
import type { WorkerState } from "./contract.js";
import { KEYS } from "./keys.js";
import { QueueStateTracker } from "./queue-state.js";
import { createSampleAnnouncement } from "./run-testing.js";
import { readRedisTime } from "./worker-heartbeat.js";

const KEY = "run-00000000";

describe.skipIf(isCommandMissing("redis-server"))("the workers of a run", () => {
  let server: RedisServer;
  let redis: Redis;

  describeWithRedis((own) => {
    ({ server, redis } = own);
  });

  function keeper(notes: string[]): QueueStateTracker {
    return new QueueStateTracker({
      ...{ redis, url: server.url, announcement: createSampleAnnouncement(KEY), done: new Map() },
      dispatcher: { counts: async () => ({ waiting: 0, active: 0 }) },
      money: { read: async () => null },
      dismissals: { isReason: (why) => why === "told to leave" },
      onNote: (note) => void notes.push(note),
    });
  }

  async function appear(id: string, more: Partial<WorkerState>): Promise<void> {
    const state = {
      id,
      host: "box",
      pid: 5,
      run: KEY,
      concurrency: 8,
      active: 3,
      waiting: null,
      refuses: null,
      ...more,
    };
    await redis.zadd(KEYS.workers, (await readRedisTime(redis)) + 10_000, id);
    await redis.set(KEYS.worker(id), JSON.stringify(state));
  }

  it("are lost when their lease has expired, not when they have left", async () => {
    const notes: string[] = [];
    const own = keeper(notes);
    await appear("left", { pid: 5 });
    await appear("lost", { pid: 6 });
    await own.update();
    await redis.zrem(KEYS.workers, "left");
    await redis.zadd(KEYS.workers, 1, "lost");
    await own.update();
    await own.update();
    expect(notes).toEqual(["the worker box:6 was lost with 3 running trials, which others take over"]);
  });

  it("are waited for while their lease lasts, also when their state has expired", async () => {
    const notes: string[] = [];
    const own = keeper(notes);
    await appear("late", {});
    await own.update();
    await redis.del(KEYS.worker("late"));
    await own.update();
    expect(notes).toEqual([]);
    await redis.zadd(KEYS.workers, 1, "late");
    await own.update();
    expect(notes).toHaveLength(1);
  });

  it("are the reason to wait only while a refusing worker is present", async () => {
    const own = keeper([]);
    await appear("other", { refuses: "its plan differs" });
    expect(own.waiting(await own.update())).toBe("the worker box:5 does not join: its plan differs");
    await redis.zrem(KEYS.workers, "other");
    expect(own.waiting(await own.update())).toMatch(
      /^no worker has joined; start one with: assay worker --queue redis:/,
    );
  });

  it("are not reported as refusing when dismissed, unless no other is present", async () => {
    const notes: string[] = [];
    const own = keeper(notes);
    await appear("bad", { pid: 5, refuses: "told to leave" });
    const state = await own.update();
    expect([notes, state.notes]).toEqual([[], []]);
    expect(own.waiting(state)).toBe("the worker box:5 does not join: told to leave");
  });
});
