import type { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { EXIT } from "../core/errors.js";
import { openRedis } from "../queue/connection.js";
import type { Announcement, WorkerState } from "../queue/contract.js";
import { KEYS } from "../queue/keys.js";
import { SAMPLE_SIGNER } from "../queue/run-testing.js";
import { readRedisTime } from "../queue/worker-heartbeat.js";
import { type RedisServer, startRedis } from "../testing/redis-server.js";
import { isCommandMissing } from "../testing/system-command.js";
import { executeQueueClear, executeQueueStatus } from "./queue.js";

describe.skipIf(isCommandMissing("redis-server"))("assay queue", () => {
  let server: RedisServer;
  let redis: Redis;
  let said = "";

  beforeAll(async () => {
    server = await startRedis();
    redis = await openRedis(server.url);
  });

  afterAll(async () => {
    redis.disconnect();
    await server.stop();
  });

  beforeEach(async () => {
    await redis.flushall();
    said = "";
    vi.spyOn(process.stderr, "write").mockImplementation((text) => {
      said += String(text);
      return true;
    });
  });

  afterEach(() => void vi.restoreAllMocks());

  async function announce(key: string, leaseMs: number, more: Partial<Announcement> = {}): Promise<void> {
    const runId = key.replace(/-[0-9a-f]{8}$/, "");
    const announcement = { schema: "assay.queue/1", key, runId, title: `Title of ${runId}`, ...more };
    const identity = { planned: 7, systems: { one: {} } };
    await redis.set(
      KEYS.run(key),
      SAMPLE_SIGNER.signAnnouncement({ identity, source: null, ...announcement } as Announcement),
    );
    await redis.zadd(KEYS.runs, (await readRedisTime(redis)) + leaseMs, key);
  }

  async function appear(state: Partial<WorkerState> & { id: string }): Promise<void> {
    const whole = { host: "box", pid: 5, run: null, concurrency: 8, active: 0, done: 0, perSecond: 0, ...state };
    await redis.zadd(KEYS.workers, (await readRedisTime(redis)) + 10_000, state.id);
    await redis.set(KEYS.worker(state.id), JSON.stringify({ waiting: null, refuses: null, ...whole }));
  }

  async function status(output: string): Promise<string> {
    let text = "";
    const writing = vi.spyOn(process.stdout, "write").mockImplementation((piece) => {
      text += String(piece);
      return true;
    });
    const url = server.url.replace("redis://", "redis://default:@");
    expect(await executeQueueStatus({ queue: url, output })).toBe(EXIT.fine);
    writing.mockRestore();
    return text;
  }

  it("says what to do if there is nothing", async () => {
    expect(await status("table")).toBe(
      `There are no runs at ${server.url}.\n\nThere are no workers. Start one with: assay worker --queue ${server.url}\n`,
    );
  });

  it("shows runs and workers, and how to resume an abandoned run", async () => {
    const invocation = { command: "eval", cwd: "/there", configFile: null, flags: {} };
    await announce("live-11111111", 10_000);
    await announce("dead-22222222", -1, { source: { kind: "command", invocation } });
    await announce("lost-33333333", -1);
    await appear({ id: "a", run: "live-11111111", active: 3, done: 40, perSecond: 2.25, waiting: "the endpoint" });
    await appear({ id: "b", pid: 6 });
    await appear({ id: "c", pid: 7, run: "gone", refuses: "its plan differs:\n  seed: was 0, is 1" });
    const text = await status("table");
    expect(text).toMatch(/\| live-11111111 \| Title of live \| there +\| +7 \| +0 \| +0 \| +0 \|/);
    expect(text).toMatch(/\| dead-22222222 \| Title of dead \| gone /);
    expect(text).toContain(
      "dead-22222222 is abandoned: its coordinator is gone. Resume it with assay eval --resume dead in /there, or remove it with assay queue clear dead-22222222.",
    );
    expect(text).toContain("lost-33333333 is abandoned: its coordinator is gone. Resume it with its program with");
    expect(text).toMatch(/\| box:5 +\| live +\| +8 \| +3 \| +40 \| +2\.3 \| the endpoint /);
    expect(text).toMatch(/\| box:6 +\| none yet +\|/);
    expect(text).toMatch(/\| box:7 +\| gone +\|.*\| refuses: its plan differs: seed: was 0, is 1 \|/);
  });

  it("prints the same as JSON, without the password", async () => {
    await announce("live-11111111", 10_000);
    await appear({ id: "a" });
    expect(JSON.parse(await status("json"))).toMatchObject({
      schema: "assay.queue-status/1",
      queue: server.url,
      runs: [{ key: "live-11111111", runId: "live", isCoordinated: true, planned: 7 }],
      workers: [{ id: "a", host: "box" }],
    });
  });

  it("clears a run by key or id, but not a running or unknown one", async () => {
    const queue = server.url;
    for (const key of ["live-11111111", "dead-22222222"]) await announce(key, key.startsWith("live") ? 10_000 : -1);
    for (const key of ["twin-aaaaaaaa", "twin-bbbbbbbb"]) await announce(key, -1);
    await expect(executeQueueClear("live-11111111", { queue })).rejects.toThrow(
      /live-11111111 is still running\..*Stop it first/,
    );
    await expect(executeQueueClear("dead-22222221", { queue })).rejects.toThrow(
      /no run "dead-22222221".*Did you mean "dead-2/,
    );
    await expect(executeQueueClear("twin", { queue })).rejects.toThrow(
      /Several runs have the id "twin".*twin-aaaaaaaa, twin-b/,
    );
    expect(await executeQueueClear("dead", { queue })).toBe(EXIT.fine);
    expect(said).toBe("Removed dead-22222222\n");
    expect(await redis.exists(KEYS.run("dead-22222222"), KEYS.run("live-11111111"))).toBe(1);
  });

  it("clears all abandoned runs, and says when there are none", async () => {
    const queue = server.url;
    await announce("live-11111111", 10_000);
    for (const key of ["a-22222222", "b-33333333"]) await announce(key, -1);
    await executeQueueClear(undefined, { queue, abandoned: true });
    await executeQueueClear(undefined, { queue, abandoned: true });
    expect(said).toBe(
      "Removed a-22222222\nRemoved b-33333333\nAll runs have a live coordinator: nothing was removed.\n",
    );
    expect(await redis.zrange(KEYS.runs, "0", "-1")).toEqual(["live-11111111"]);
  });
});
