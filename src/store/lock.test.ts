import { type ChildProcess, fork, spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
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

const isLinux = process.platform === "linux";
const START = isLinux ? expect.stringMatching(/^\d+$/) : null;

describe("lockRun", () => {
  it("holds until it is released", () => {
    const unlock = lockRun(path);
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({
      pid: process.pid,
      host: hostname(),
      start: START,
      token: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(() => lockRun(path)).toThrow(RunFolderError);
    unlock();
    expect(existsSync(path)).toBe(false);
    lockRun(path)();
  });

  it("respects a live process, and takes over from a dead one", async () => {
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

  it("cannot check a process of another machine, so it says how to continue", () => {
    writeFileSync(path, JSON.stringify({ pid: 1, host: "elsewhere" }));
    expect(() => lockRun(path)).toThrow(new RegExp(`process 1 on elsewhere.*remove ${path}`));
  });

  it("releases only its own lock", () => {
    const unlock = lockRun(path);
    writeFileSync(path, "somebody else's");
    unlock();
    expect(readFileSync(path, "utf8")).toBe("somebody else's");
  });

  it.runIf(isLinux)("takes over from an earlier process whose pid is in use again, even by this one", () => {
    const holder = { pid: process.pid, host: hostname(), token: "t" };
    writeFileSync(path, JSON.stringify({ ...holder, start: "1" }));
    const unlock = lockRun(path);
    const { start } = JSON.parse(readFileSync(path, "utf8")) as { start: string };
    unlock();
    writeFileSync(path, JSON.stringify({ ...holder, start }));
    expect(() => lockRun(path)).toThrow(`being written by process ${process.pid}`);
  });

  it.each(["", "{", "null", "7", '{"pid":0,"host":"here"}', '{"pid":"1"}'])("takes over a torn lock: %o", (content) => {
    writeFileSync(path, content);
    lockRun(path)();
    expect(existsSync(path)).toBe(false);
  });
});

describe("a race for the lock of a dead process", () => {
  const RACERS = 8;
  const ROUNDS = 20;
  const racers: ChildProcess[] = [];

  /** Tries to lock on command, reports the result, and holds the lock until the next command. */
  const RACER = `
    import { lockRun } from ${JSON.stringify(fileURLToPath(new URL("./lock.ts", import.meta.url)))};
    let unlock = () => {};
    process.on("message", ({ path, at }) => {
      unlock();
      unlock = () => {};
      if (path === undefined) return process.send("gave back");
      while (Date.now() < at);
      try {
        unlock = lockRun(path);
        process.send("got it");
      } catch (error) {
        process.send(error.code === "RUN_FOLDER" ? "refused" : String(error.stack));
      }
    });
    process.send("up");`;

  afterEach(() => {
    for (const racer of racers.splice(0)) racer.kill("SIGKILL");
  });

  async function tell(message: object): Promise<unknown[]> {
    const answers = racers.map(async (racer) => {
      const answer = once(racer, "message");
      racer.send(message);
      return (await answer)[0] as unknown;
    });
    return (await Promise.all(answers)).sort();
  }

  it("has one winner, however many take part and whatever a killed one left behind", async () => {
    const script = join(dir, "racer.ts");
    writeFileSync(script, RACER);
    const jiti = import.meta.resolve("jiti/register");
    for (let i = 0; i < RACERS; i++) racers.push(fork(script, { execArgv: ["--import", jiti], stdio: "inherit" }));
    await Promise.all(racers.map((racer) => once(racer, "message")));
    const { pid } = spawnSync(process.execPath, ["-e", ""]);
    for (let round = 0; round < ROUNDS; round++) {
      const dead = JSON.stringify({ pid, host: hostname(), start: "1", token: `round ${round}` });
      writeFileSync(path, dead);
      // Every other time, the last process to take over was killed while doing so.
      const right = `${path}.${createHash("sha256").update(dead).digest("hex").slice(0, 16)}`;
      if (round % 2 === 1) writeFileSync(right, JSON.stringify({ pid, host: hostname() }));
      const answers = await tell({ path, at: Date.now() + 5 });
      expect(answers).toEqual(["got it", ...Array.from({ length: RACERS - 1 }, () => "refused")]);
      await tell({});
      expect(readdirSync(dir)).toEqual(["racer.ts"]);
    }
  });
});
