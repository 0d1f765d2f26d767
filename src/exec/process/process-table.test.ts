import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { isGroupRunning, listAncestors, parseStat, readProcess } from "./process-table.js";

const stat = (name: string, state: string, threads: number) =>
  `7 (${name}) ${state} 3 5 4 0 -1 4194304 97 0 0 0 0 0 0 0 20 0 ${threads} 0 4390324 3133440 381`;

describe("parseStat", () => {
  it("parses a stat line with any process name", () => {
    const entry = { pid: 7, parent: 3, group: 5, session: 4, startedAt: 4390324 };
    for (const name of ["cat", "a b", ") Z 1 (", "x) S 9 9 9"]) expect(parseStat(7, stat(name, "S", 1))).toEqual(entry);
  });

  it("treats a process as ended only when all its threads have ended", () => {
    expect(parseStat(7, stat("x", "Z", 1))).toBeNull();
    expect(parseStat(7, stat("x", "X", 0))).toBeNull();
    expect(parseStat(7, stat("x", "Z", 4))).not.toBeNull();
  });
});

describe.runIf(process.platform === "linux")("the process table", () => {
  it("contains this process and its ancestors", () => {
    expect(readProcess(process.pid)).toMatchObject({ pid: process.pid, parent: process.ppid });
    expect(listAncestors(process.pid).slice(0, 2)).toEqual([process.pid, process.ppid]);
    expect(readProcess(2 ** 30)).toBeNull();
  });

  it("skips a process that has ended but was not waited for", async () => {
    // Its parent never waits for it: it has become another program.
    const script = "sleep 0.3 & echo $!; exec sleep 5";
    const child = spawn("sh", ["-c", script], { detached: true, stdio: ["ignore", "pipe", "ignore"] });
    const [pid] = await once(child.stdout, "data");
    await expect.poll(() => readProcess(Number(pid))).toBeNull();
    expect(() => process.kill(Number(pid), 0)).not.toThrow();
    expect(isGroupRunning(child.pid ?? 0)).toBe(true);
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(isGroupRunning(child.pid ?? 0)).toBe(false);
  });
});
