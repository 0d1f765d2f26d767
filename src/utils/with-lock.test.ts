import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { withLock } from "./lock.js";

let dir = "";
let path = "";
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "assay-lock-"));
  path = join(dir, "lock");
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const sleep = (ms: number) => wait(Math.min(ms, 5));

describe("withLock", () => {
  it("runs one at a time, also within a process", async () => {
    let inside = 0;
    const work = async () => {
      inside += 1;
      expect(inside).toBe(1);
      expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ pid: process.pid, host: hostname() });
      await wait(3);
      inside -= 1;
    };
    await Promise.all(Array.from({ length: 5 }, () => withLock(path, { sleep }, work)));
    expect(readdirSync(dir)).toEqual([]);
  });

  it("releases the lock when the work fails", async () => {
    const failing = withLock(path, { sleep }, () => Promise.reject(new Error("no")));
    await expect(failing).rejects.toThrow("no");
    expect(existsSync(path)).toBe(false);
  });

  it("waits for locks of processes, other machines and unknown holders, and reports the wait", async () => {
    const holders: string[] = [];
    const stopped = () => Promise.reject(new Error("stopped"));
    const waiting = () => withLock(path, { sleep: stopped, onWait: (who) => holders.push(who) }, async () => {});
    await withLock(path, { sleep }, () => expect(waiting()).rejects.toThrow("stopped"));
    expect(readdirSync(dir)).toEqual([]);
    for (const content of [JSON.stringify({ pid: 1, host: "elsewhere", start: "1" }), "{"]) {
      writeFileSync(path, content);
      await expect(waiting()).rejects.toThrow("stopped");
    }
    expect(holders).toEqual([`process ${process.pid}`, "process 1 on elsewhere", "another process"]);
  });

  it("takes over a lock that has not been touched for long", async () => {
    const then = new Date(Date.now() - 600_000);
    for (const content of [JSON.stringify({ pid: 1, host: "elsewhere", start: "1" }), "{"]) {
      writeFileSync(path, content);
      utimesSync(path, then, then);
      expect(await withLock(path, { sleep }, async () => "done")).toBe("done");
    }
  });
});
