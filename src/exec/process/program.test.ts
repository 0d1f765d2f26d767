import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isGroupRunning, readProcess } from "./process-table.js";
import { type ProgramOptions, type RunningProgram, startAttached, startProgram } from "./program.js";

/** Processes that leave the group can only be found on Linux. */
const onLinux = it.runIf(process.platform === "linux");

let dir = "";
let started: RunningProgram[] = [];
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "assay-program-"));
});
afterEach(async () => {
  for (const program of started) await program.stop(0);
  started = [];
  await rm(dir, { recursive: true, force: true });
});

async function startShell(script: string, options: Partial<ProgramOptions> = {}) {
  const env = { PATH: process.env.PATH, DIR: dir };
  const program = await startProgram({ command: "sh", args: ["-c", script], cwd: dir, env, ...options });
  started.push(program);
  return program;
}

/** The pid that a process of the script has written to a file. */
async function written(name: string): Promise<number> {
  const read = () => {
    try {
      return readFileSync(join(dir, name), "utf8");
    } catch {
      return "";
    }
  };
  await expect.poll(read, { interval: 10 }).toMatch(/^\d+\n$/);
  return Number(read());
}

const isRunning = (pid: number) => readProcess(pid) !== null;

const KEEPS_ON = "while true; do sleep 0.05; done";

describe("startProgram", () => {
  it("returns how the program ended and its whole output", async () => {
    const program = await startShell("echo out; echo err >&2; exit 7");
    const printed = Promise.all([text(program.stdout), text(program.stderr)]);
    expect(await program.ended).toEqual({ code: 7, signal: null });
    expect(await printed).toEqual(["out\n", "err\n"]);
    await program.closed;
    expect(await program.sweep()).toEqual({ running: 0, killed: 0, left: [] });
    expect(await (await startShell("kill -9 $$")).ended).toEqual({ code: null, signal: "SIGKILL" });
  });

  it("passes the given input, or none", async () => {
    expect(await text((await startShell("cat; echo done")).stdout)).toBe("done\n");
    expect(await text((await startShell("cat", { input: "é".repeat(200_000) })).stdout)).toBe("é".repeat(200_000));
    expect(await (await startShell("exec 0<&-; exit 3", { input: "x".repeat(1_000_000) })).ended).toMatchObject({
      code: 3,
    });
  });

  it("passes only the given variables and the marker", async () => {
    const program = await startProgram({ command: "/usr/bin/env", env: { A: "b" }, cwd: dir });
    started.push(program);
    expect(await text(program.stdout)).toMatch(/^A=b\nASSAY_TRIAL=[\w:-]+\n$/);
  });

  it("explains why a program cannot be started", async () => {
    const start = (command: string, options: Partial<ProgramOptions> = {}) =>
      startProgram({ command, env: process.env, ...options });
    await expect(start("no-such-program-here")).rejects.toThrow(/Program "no-such-program-here" not found/);
    await expect(start("sh", { cwd: join(dir, "gone") })).rejects.toThrow(/gone: the folder does not exist/);
    await expect(start("sh", { args: ["x".repeat(300_000)] })).rejects.toThrow(/arguments are too long/);
    await writeFile(join(dir, "text"), "no program", { mode: 0o600 });
    await expect(start(join(dir, "text"))).rejects.toThrow(/cannot be run/);
    await expect(start("")).rejects.toMatchObject({ exitCode: 2 });
  });
});

describe("stop", () => {
  it("sends signals to the whole group", async () => {
    const program = await startShell("trap 'exit 5' INT; echo $$ > pid; sleep 60 & wait");
    await written("pid");
    program.signal("SIGINT");
    expect(await program.ended).toEqual({ code: 5, signal: null });
    await program.stop();
    expect(isGroupRunning(program.pid)).toBe(false);
  });

  it("gives programs time to terminate", async () => {
    const program = await startShell(`trap 'sleep 0.2; echo 1 > saved; exit 0' TERM; echo $$ > pid; ${KEEPS_ON}`);
    await written("pid");
    expect(await program.stop()).toMatchObject({ killed: 0, left: [] });
    expect(await program.ended).toEqual({ code: 0, signal: null });
    expect(await written("saved")).toBe(1);
  });

  it("kills processes that do not terminate, and asks only once", async () => {
    const program = await startShell(`trap 'echo asked' TERM; echo $$ > pid; ${KEEPS_ON}`);
    const printed = text(program.stdout);
    await written("pid");
    const [report, again] = await Promise.all([program.stop(300), program.stop(300)]);
    expect(report.killed).toBeGreaterThan(0);
    expect(again).toBe(report);
    expect(report.left).toEqual([]);
    expect(await program.ended).toEqual({ code: null, signal: "SIGKILL" });
    expect(await printed).toBe("asked\n");
  });

  it("does nothing once everything has ended", async () => {
    const program = await startShell("exit 0");
    await program.sweep();
    program.signal("SIGKILL");
    expect(await program.stop()).toEqual({ running: 0, killed: 0, left: [] });
  });

  onLinux.each([
    ["left the group", "setsid sh -c 'echo $$ > $DIR/child; exec sleep 60' & wait"],
    [
      "left it and its parents",
      "(setsid sh -c 'echo $$ > $DIR/child; cd /; exec sleep 60' >/dev/null 2>&1 &) & sleep 60",
    ],
    [
      "is of an Assay inside",
      "(ASSAY_TRIAL=$ASSAY_TRIAL:1-x setsid sh -c 'echo $$ > $DIR/child; cd /; exec sleep 60' >/dev/null 2>&1 &) & sleep 60",
    ],
    [
      "has changed its mark",
      "(ASSAY_TRIAL=x setsid sh -c 'echo $$ > $DIR/child; exec sleep 60' >/dev/null 2>&1 &) & sleep 60",
    ],
    ["has no mark", "env -i setsid sh -c 'echo $$ > child; exec sleep 60' & wait"],
    ["has no mark and no folder", "env -i setsid sh -c 'echo $$ > child; cd /; exec sleep 60' >/dev/null 2>&1 & wait"],
    ["does not listen", `setsid sh -c 'trap "" TERM INT HUP; echo $$ > $DIR/child; ${KEEPS_ON}' & wait`],
    ["is stopped", "setsid sh -c 'echo $$ > $DIR/child; kill -STOP $$; sleep 60' & wait"],
  ])("ends a child that %s", async (_, script) => {
    const program = await startShell(script, { folders: [dir] });
    const child = await written("child");
    expect(isRunning(child)).toBe(true);
    expect((await program.stop(200)).left).toEqual([]);
    expect(isRunning(child)).toBe(false);
    expect(isGroupRunning(program.pid)).toBe(false);
  });

  onLinux("ends a program that starts others without end", async () => {
    const fork = `trap "" TERM; echo $$ > pid; while true; do setsid sleep 60 & sleep 60 & sleep 0.002; done`;
    const program = await startShell(fork);
    await written("pid");
    const { killed, left } = await program.stop(100);
    expect(left).toEqual([]);
    expect(killed).toBeGreaterThan(1);
    expect(isGroupRunning(program.pid)).toBe(false);
  });

  onLinux("ends a program that hands over to another of its like all the time", async () => {
    await writeFile(join(dir, "hop.sh"), "trap '' TERM\necho $$ > hop\nsetsid sh hop.sh >/dev/null 2>&1 &\nexit 0\n");
    const program = await startShell("setsid sh hop.sh & sleep 60");
    const hop = () => readFileSync(join(dir, "hop"), "utf8");
    await expect.poll(() => Number(hop()) > program.pid + 20).toBe(true);
    expect((await program.stop(50)).left).toEqual([]);
    const last = hop();
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(hop()).toBe(last);
  });

  onLinux("leaves other programs in the same folder alone", async () => {
    const other = await startShell("echo $$ > other; exec sleep 60", { folders: [dir] });
    const program = await startShell("echo $$ > pid; exec sleep 60", { folders: [dir] });
    const later = await startShell("echo $$ > later; exec sleep 60", { folders: [dir] });
    await Promise.all(["other", "pid", "later"].map(written));
    expect(await program.stop()).toMatchObject({ running: 1 });
    expect([other, later].map(({ pid }) => isRunning(pid))).toEqual([true, true]);
  });
});

describe("sweep", () => {
  it("stops processes left behind and reports how many there were", async () => {
    const program = await startShell("sleep 60 & sleep 60 & exit 0");
    expect(await program.ended).toEqual({ code: 0, signal: null });
    expect(isGroupRunning(program.pid)).toBe(true);
    const { running, killed, left } = await program.sweep();
    expect([running, killed, left]).toEqual([process.platform === "linux" ? 2 : 1, 0, []]);
    expect(isGroupRunning(program.pid)).toBe(false);
  });

  onLinux.each([
    ["its folder", "env -i setsid sh -c 'echo $$ > child; exec sleep 60' >/dev/null 2>&1 &"],
    [
      "where it lies",
      "cp $(command -v sleep) zzz; (echo; env -i setsid sh -c 'echo $$ > child; F=$PWD; cd /; exec $F/zzz 60' >/dev/null 2>&1 &)",
    ],
  ])("finds by %s what has neither mark nor parents", async (_, script) => {
    const folder = join(dir, "trial");
    await mkdir(folder);
    const program = await startShell(script, { cwd: folder, folders: [folder, "/", "", tmpdir()] });
    const child = await written("trial/child");
    await program.ended;
    expect(await program.sweep()).toMatchObject({ running: 1, left: [] });
    expect(isRunning(child)).toBe(false);
  });

  onLinux("finds by what it prints to what has nothing else", async () => {
    const program = await startShell(
      "sleep 0.1; env -i setsid sh -c 'echo $$ > child; cd /; exec sleep 60' & sleep 0.3",
    );
    const child = await written("child");
    expect(await program.sweep()).toMatchObject({ running: 1, left: [] });
    expect(isRunning(child)).toBe(false);
  });

  onLinux("remembers what descended from the program while it ran", async () => {
    const program = await startShell(
      "env -i setsid sh -c 'echo $$ > child; cd /; exec sleep 60' >/dev/null 2>&1 & sleep 2",
    );
    const child = await written("child");
    expect(await program.sweep()).toMatchObject({ running: 1, left: [] });
    expect(isRunning(child)).toBe(false);
  });
});

describe("the output streams", () => {
  it("end even if a process holds them open", async () => {
    const program = await startShell("echo all; sleep 60 & exit 0");
    expect(await text(program.stdout)).toBe("all\n");
    expect(isGroupRunning(program.pid)).toBe(true);
    program.stderr.resume();
    await program.closed;
  });

  it("end without a reader", async () => {
    const program = await startShell("head -c 300000 /dev/zero & sleep 0.2; exit 0");
    await program.closed;
  });

  it("lose nothing when the reader is slow", async () => {
    const program = await startShell("head -c 250000 /dev/zero; echo end");
    let [bytes, tail] = [0, ""];
    for await (const chunk of program.stdout as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      tail = chunk.subarray(-4).toString();
      if (bytes === chunk.length) await new Promise((resolve) => setTimeout(resolve, 1500));
    }
    expect([bytes, tail]).toEqual([250_004, "end\n"]);
  });

  it("do not block a program whose reader was closed", async () => {
    const program = await startShell("head -c 3000000 /dev/zero; echo done >&2");
    program.stdout.destroy();
    expect(await text(program.stderr)).toBe("done\n");
  });
});

describe("startAttached", () => {
  it("starts a program that can be stopped", async () => {
    const program = await startAttached({ command: "sleep", args: ["60"], env: process.env }, "stderr");
    started.push(program);
    expect(await program.stop()).toMatchObject({ running: 1, left: [] });
    expect(await program.ended).toEqual({ code: null, signal: "SIGTERM" });
  });
});
