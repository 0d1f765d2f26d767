import type { Redis } from "ioredis";
import { describe, expect, it } from "vitest";
import { type RedisServer, redisFor } from "../testing/redis-server.js";
import { lacks } from "../testing/system-command.js";
import type { WorkerState } from "./contract.js";
import { KEYS } from "./keys.js";
import { redisTime } from "./presence.js";
import { sampleAnnouncement } from "./run-testing.js";
import { StateKeeper } from "./state-keeper.js";

const KEY = "run-00000000";

describe.skipIf(lacks("redis-server"))("who takes part in a run", () => {
  let server: RedisServer;
  let redis: Redis;

  redisFor((own) => {
    ({ server, redis } = own);
  });

  function keeper(notes: string[]): StateKeeper {
    return new StateKeeper({
      ...{ redis, url: server.url, announcement: sampleAnnouncement(KEY), done: new Map() },
      feeder: { counts: async () => ({ waiting: 0, active: 0 }) },
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
    await redis.zadd(KEYS.workers, (await redisTime(redis)) + 10_000, id);
    await redis.set(KEYS.worker(id), JSON.stringify(state));
  }

  it("one that has left by itself is not lost, one whose lease has run out is", async () => {
    const notes: string[] = [];
    const own = keeper(notes);
    await appear("left", { pid: 5 });
    await appear("lost", { pid: 6 });
    await own.look();
    await redis.zrem(KEYS.workers, "left");
    await redis.zadd(KEYS.workers, 1, "lost");
    await own.look();
    await own.look();
    expect(notes).toEqual(["the worker box:6 was lost with 3 trials under way, which others take over"]);
  });

  it("one whose lease lasts is waited for, also when what it says of itself has gone", async () => {
    const notes: string[] = [];
    const own = keeper(notes);
    await appear("late", {});
    await own.look();
    await redis.del(KEYS.worker("late"));
    await own.look();
    expect(notes).toEqual([]);
    await redis.zadd(KEYS.workers, 1, "late");
    await own.look();
    expect(notes).toHaveLength(1);
  });

  it("a refusal is the reason to wait only while its worker is there", async () => {
    const own = keeper([]);
    await appear("other", { refuses: "its plan differs" });
    expect(own.waiting(await own.look())).toBe("the worker box:5 does not take part: its plan differs");
    await redis.zrem(KEYS.workers, "other");
    expect(own.waiting(await own.look())).toMatch(/^no worker takes part; start one with: assay worker --queue redis:/);
  });

  it("one that was told to leave is not said to refuse as well, unless nobody else is there", async () => {
    const notes: string[] = [];
    const own = keeper(notes);
    await appear("bad", { pid: 5, refuses: "told to leave" });
    const state = await own.look();
    expect([notes, state.notes]).toEqual([[], []]);
    expect(own.waiting(state)).toBe("the worker box:5 does not take part: told to leave");
  });
});
