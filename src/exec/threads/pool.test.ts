import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { runInThread, ThreadTaskError, TimeLimitError, WorkerPool } from "./worker-pool.js";

// A worker like src/evaluators/worker.ts, with tasks that misbehave.
const WORKER = `
import { parentPort, threadId } from "node:worker_threads";
let served = 0;
const tasks = {
  echo: (input) => input,
  thread: () => threadId,
  gated: ({ item, started, gates }) => {
    started[1 + Atomics.add(started, 0, 1)] = item;
    Atomics.wait(gates, item, 0);
    return threadId;
  },
  served: () => ++served,
  spin: (ms) => { for (const end = Date.now() + ms; Date.now() < end; ); return "spun"; },
  backtrack: (length) => /^(?:a|a)*$/.test("a".repeat(length) + "b"),
  wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms, "waited")),
  never: () => new Promise(() => setInterval(() => {}, 1000)),
  fail: () => { throw new RangeError("no such luck"); },
  memory: () => { const all = []; for (;;) all.push(new Array(1e5).fill(all.length)); },
  leave: () => process.exit(7),
  stray: () => new Promise(() => { setTimeout(() => { throw new Error("stray"); }); }),
  uncloneable: () => () => 1,
};
parentPort.on("message", async ({ task, input }) => {
  try {
    if (task === "slow start") for (const end = Date.now() + 1500; Date.now() < end; );
    parentPort.postMessage({ type: "started" });
    parentPort.postMessage({ type: "done", value: await (tasks[task] ?? tasks.echo)(input) });
  } catch (error) {
    parentPort.postMessage({ type: "failed", name: error.name, message: error.message });
  }
});
`;

let dir = "";
let entry = new URL("file:///");
const pools: WorkerPool[] = [];

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "assay-pool-"));
  writeFileSync(join(dir, "worker.mjs"), WORKER);
  entry = pathToFileURL(join(dir, "worker.mjs"));
});
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

function poolOf(threads: number, memoryMib = 64): WorkerPool {
  const pool = new WorkerPool({ entry, threads, memoryMib });
  pools.push(pool);
  return pool;
}

describe("WorkerPool", () => {
  it("copies input and result", async () => {
    const input = { text: "x", list: [1, new Map([["a", 1]])] };
    const result = await poolOf(1).run("echo", input);
    expect(result).toEqual(input);
    expect(result).not.toBe(input);
  });

  it("reuses a thread", async () => {
    const pool = poolOf(2);
    expect(await pool.run("served", null)).toBe(1);
    expect(await pool.run("served", null)).toBe(2);
  });

  it("runs as many tasks at a time as there are threads, in order", async () => {
    const pool = poolOf(2);
    // Shared with the threads: how many tasks have started and which, and a gate for each to wait at.
    const started = new Int32Array(new SharedArrayBuffer(4 * 8));
    const gates = new Int32Array(new SharedArrayBuffer(4 * 8));
    const items = [1, 2, 3, 4, 5, 6].map((item) => pool.run("gated", { item, started, gates }));
    const nowStarted = async (count: number) => {
      await vi.waitFor(() => expect(started[0]).toBe(count), { timeout: 120_000, interval: 5 });
      return [...started.subarray(1, 1 + count)];
    };
    const open = (item: number) => {
      Atomics.store(gates, item, 1);
      Atomics.notify(gates, item);
    };
    expect((await nowStarted(2)).sort()).toEqual([1, 2]);
    open(2);
    expect((await nowStarted(3))[2]).toBe(3);
    open(1);
    expect((await nowStarted(4))[3]).toBe(4);
    open(4);
    expect((await nowStarted(5))[4]).toBe(5);
    for (const item of [3, 5, 6]) open(item);
    expect(new Set(await Promise.all(items)).size).toBe(2);
  });

  it("stops a task that exceeds its limit, and continues with the others", async () => {
    const pool = poolOf(1);
    const hung = pool.run("spin", 60_000, { limitMs: 100 });
    const next = pool.run("echo", "next");
    await expect(hung).rejects.toThrow(TimeLimitError);
    await expect(hung).rejects.toThrow(/"spin".*100 ms/);
    expect(await next).toBe("next");
  });

  it("stops a regular expression that backtracks forever, and a promise that never settles", async () => {
    const pool = poolOf(2);
    const hung = [
      pool.run("backtrack", 100, { limitMs: 150 }),
      pool.run("never", null, { limitMs: 150 }),
      pool.run("backtrack", 100, { limitMs: 150 }),
    ];
    const results = await Promise.allSettled(hung);
    expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    expect(await pool.run("echo", 1)).toBe(1);
  });

  it("does not count loading against the task's limit", async () => {
    expect(await poolOf(1).run("slow start", "done", { limitMs: 1000 })).toBe("done");
  });

  it("accepts a reply that arrived in time while this thread was busy", async () => {
    const pool = poolOf(1);
    await pool.run("echo", 1);
    const answer = pool.run("spin", 50, { limitMs: 1500 });
    // Long enough to read the message that it has started.
    await new Promise((resolve) => setTimeout(resolve, 20));
    for (const end = Date.now() + 2000; Date.now() < end; );
    expect(await answer).toBe("spun");
  });

  it("rejects with what a task throws", async () => {
    const pool = poolOf(1);
    await expect(pool.run("fail", null)).rejects.toMatchObject({
      name: "RangeError",
      message: "no such luck",
      code: "HEAVY_TASK",
    });
    expect(await pool.run("served", null)).toBe(1);
  });

  it("survives a thread that runs out of memory, exits, or throws an uncaught error", async () => {
    const pool = poolOf(1, 16);
    const bad = [pool.run("memory", null), pool.run("leave", null), pool.run("stray", null)];
    const good = pool.run("echo", "still here");
    const results = await Promise.allSettled(bad);
    const messages = results.map((result) => (result.status === "rejected" ? String(result.reason.message) : ""));
    expect(messages[0]).toMatch(/"memory" ran out of memory/);
    expect(messages[1]).toMatch(/"leave" lost its thread/);
    expect(messages[2]).toMatch(/"stray" lost its thread: stray/);
    expect(await good).toBe("still here");
  });

  it("rejects input and results that cannot be copied, and keeps the thread", async () => {
    const pool = poolOf(1);
    expect(await pool.run("served", null)).toBe(1);
    await expect(pool.run("echo", () => 1)).rejects.toThrow(/input of task "echo" cannot be sent/);
    await expect(pool.run("uncloneable", null)).rejects.toThrow(/could not be cloned/);
    expect(await pool.run("served", null)).toBe(2);
  });

  it("rejects every task when the worker's module cannot be loaded", async () => {
    const pool = new WorkerPool({ entry: pathToFileURL(join(dir, "absent.mjs")), threads: 1 });
    await expect(pool.run("echo", 1)).rejects.toThrow(ThreadTaskError);
    await expect(pool.run("echo", 2)).rejects.toThrow(/absent/);
  });

  it("rejects an invalid limit", () => {
    expect(() => poolOf(1).run("echo", 1, { limitMs: Number.NaN })).toThrow(/limitMs/);
    expect(() => poolOf(1).run("echo", 1, { limitMs: 0 })).toThrow(/limitMs/);
  });

  it("rejects unfinished tasks when it is closed", async () => {
    const pool = poolOf(1);
    const items = Promise.allSettled([pool.run("never", null), pool.run("echo", 1)]);
    await pool.close();
    for (const item of await items) expect(item).toMatchObject({ status: "rejected", reason: { code: "USAGE" } });
  });
});

describe("the signal of a task", () => {
  it("cancels a waiting task, a running task, and one that comes too late", async () => {
    const pool = poolOf(1);
    const aborts = [new AbortController(), new AbortController(), new AbortController()];
    const [running, waiting, late] = aborts.map(({ signal }) => signal);
    if (running === undefined || waiting === undefined || late === undefined) throw new Error("three signals");
    const items = [pool.run("never", null, { signal: running }), pool.run("echo", 1, { signal: waiting })];
    const other = pool.run("echo", "other");
    const settled = Promise.allSettled(items);
    aborts[1]?.abort(new Error("second"));
    await pool.run("thread", null, { signal: AbortSignal.abort(new Error("early")) }).catch(() => {});
    aborts[0]?.abort(new Error("first"));
    aborts[2]?.abort("a text");
    const reasons = (await settled).map((item) => (item.status === "rejected" ? item.reason.message : null));
    expect(reasons).toEqual(["first", "second"]);
    await expect(pool.run("echo", 1, { signal: late })).rejects.toThrow(/a text/);
    expect(await other).toBe("other");
  });

  it("does not affect a finished task", async () => {
    const pool = poolOf(1);
    const abort = new AbortController();
    expect(await pool.run("served", 1, { signal: abort.signal })).toBe(1);
    abort.abort();
    expect(await pool.run("served", 2)).toBe(2);
  });
});

describe("runInThread", () => {
  it("runs a task of the real worker", async () => {
    expect(await runInThread("levenshtein", { golds: ["kitten"], response: "sitting" })).toBe(1 - 3 / 7);
  });

  it("rejects an unknown task", async () => {
    await expect(runInThread("sums" as "rouge", null)).rejects.toThrow(/Unknown worker task "sums"/);
  });
});

describe("the process", () => {
  const jiti = createRequire(import.meta.url).resolve("jiti");
  const source = fileURLToPath(new URL("worker-pool.ts", import.meta.url));

  /** Runs code with a pool in a separate process; returns its output and exit code. */
  async function inProcess(code: string): Promise<string> {
    const script = `
      const { WorkerPool } = await require(${JSON.stringify(jiti)}).createJiti(${JSON.stringify(dir)}).import(${JSON.stringify(source)});
      const pool = new WorkerPool({ entry: new URL(${JSON.stringify(entry.href)}), threads: 1 });
      ${code}`;
    const child = spawn(process.execPath, ["-e", `(async () => {${script}})()`], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let printed = "";
    child.stdout.on("data", (data) => {
      printed += String(data);
    });
    const exit = await new Promise((resolve) => child.on("close", resolve));
    return `${printed.trim()} ${String(exit)}`;
  }

  it("exits when no task is pending", async () => {
    expect(await inProcess(`console.log(await pool.run("echo", "done"));`)).toBe("done 0");
  });

  it("does not exit while tasks are pending", async () => {
    const code = `for (const n of [1, 2, 3]) void pool.run("wait", 50).then(() => console.log(n));`;
    expect(await inProcess(code)).toBe("1\n2\n3 0");
  });

  it("does not exit before a limit has passed", async () => {
    const code = `void pool.run("never", null, { limitMs: 100 }).catch((error) => console.log(error.code));`;
    expect(await inProcess(code)).toBe("TIME_LIMIT 0");
  });
});
