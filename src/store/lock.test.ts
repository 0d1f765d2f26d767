import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { RunFolderError } from "../core/errors.js";
import { lockRun } from "./lock.js";

let dir = "";
let path = "";
let child: ChildProcess | undefined;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "assay-lock-"));
  path = join(dir, "lock");
});

afterEach(() => {
  child?.kill("SIGKILL");
  rmSync(dir, { recursive: true, force: true });
});

describe("lockRun", () => {
  it("holds until it is given back", () => {
    const unlock = lockRun(path);
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({ pid: process.pid, host: hostname() });
    expect(() => lockRun(path)).toThrow(RunFolderError);
    unlock();
    expect(existsSync(path)).toBe(false);
    lockRun(path)();
  });

  it("respects a living process, and takes over from a dead one", async () => {
    child = spawn(process.execPath, ["-e", "process.stdin.resume(); console.log('up')"], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    await once(child.stdout as NodeJS.ReadableStream, "data");
    writeFileSync(path, JSON.stringify({ pid: child.pid, host: hostname() }));
    expect(() => lockRun(path)).toThrow(`being written by process ${child.pid} on ${hostname()}`);
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    await gone;
    const unlock = lockRun(path);
    expect(JSON.parse(readFileSync(path, "utf8")).pid).toBe(process.pid);
    unlock();
  });

  it("cannot see whether a process of another machine lives, so it says how to go on", () => {
    writeFileSync(path, JSON.stringify({ pid: 1, host: "elsewhere" }));
    expect(() => lockRun(path)).toThrow(new RegExp(`process 1 on elsewhere.*remove ${path}`));
  });

  it.each(["", "{", "null"])("takes over a lock that was torn: %o", (content) => {
    writeFileSync(path, content);
    lockRun(path)();
    expect(existsSync(path)).toBe(false);
  });
});
