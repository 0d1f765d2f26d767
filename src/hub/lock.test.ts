import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { tryLock, withLock } from "./lock.js";

let dir = "";
let path = "";
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "assay-lock-"));
  path = join(dir, "lock");
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const sleep = (ms: number) => wait(Math.min(ms, 5));
const age = (seconds: number) => {
  const then = new Date(Date.now() - seconds * 1000);
  utimesSync(path, then, then);
};

describe("withLock", () => {
  it("lets one at a time do its work, within a process too", async () => {
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

  it("gives the lock back when the work fails", async () => {
    const failing = withLock(path, { sleep }, () => Promise.reject(new Error("no")));
    await expect(failing).rejects.toThrow("no");
    expect(existsSync(path)).toBe(false);
  });

  it("tells whom it waits for, and ends waiting when that is no longer wanted", async () => {
    const release = tryLock(path);
    const told: string[] = [];
    const stopped = () => Promise.reject(new Error("stopped"));
    const waiting = withLock(path, { sleep: stopped, onWait: (who) => told.push(who) }, async () => {});
    await expect(waiting).rejects.toThrow("stopped");
    expect(told).toEqual([`process ${process.pid}`]);
    if (typeof release === "function") release();
    expect(readdirSync(dir)).toEqual([]);
  });
});

describe("tryLock", () => {
  it("takes over from a process that is gone", () => {
    const { pid } = spawnSync(process.execPath, ["-e", ""]);
    writeFileSync(path, JSON.stringify({ pid, host: hostname(), start: "1" }));
    expect(tryLock(path)).toBeTypeOf("function");
    expect(readdirSync(dir)).toEqual(["lock"]);
  });

  it.runIf(process.platform === "linux")("takes over from an earlier process that had a living one's pid", () => {
    writeFileSync(path, JSON.stringify({ pid: process.pid, host: hostname(), start: "1" }));
    expect(tryLock(path)).toBeTypeOf("function");
  });

  it("believes a lock of another machine for as long as it is touched", () => {
    writeFileSync(path, JSON.stringify({ pid: 1, host: "elsewhere", start: "1" }));
    expect(tryLock(path)).toBe("process 1 on elsewhere");
    age(600);
    expect(tryLock(path)).toBeTypeOf("function");
  });

  it.each(["", "{", "null", '{"pid":0}'])(
    "takes over a lock that was torn (%o), but not before its time",
    (content) => {
      writeFileSync(path, content);
      expect(tryLock(path)).toBe("another process");
      age(60);
      expect(tryLock(path)).toBeTypeOf("function");
    },
  );

  it("gives back its own lock only", () => {
    const release = tryLock(path);
    writeFileSync(path, "another's");
    if (typeof release === "function") release();
    expect(readFileSync(path, "utf8")).toBe("another's");
  });
});
