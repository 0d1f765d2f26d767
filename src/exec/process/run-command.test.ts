import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readProcess } from "./process-table.js";
import { type CommandOptions, runCommand } from "./run-command.js";

let dir = "";
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "assay-command-"));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const run = (command: string, options: Partial<CommandOptions> = {}) =>
  runCommand({ command, shell: true, cwd: dir, env: { PATH: process.env.PATH }, folders: [dir], ...options });

const number = async (name: string) => Number(await readFile(join(dir, name), "utf8").catch(() => 0));

const isRunning = (pid: number) => pid > 0 && readProcess(pid) !== null;

describe("runCommand", () => {
  it("returns the exit code and the output", async () => {
    const result = await run("echo $1; pwd >&2; exit 3", { args: ["one"] });
    expect(result).toEqual({
      code: 3,
      signal: null,
      stdout: "one\n",
      stderr: expect.stringContaining(dir),
      timedOut: false,
      durationMs: expect.any(Number),
      isCut: false,
    });
    expect(result.durationMs).toBeGreaterThan(0);
  });

  it("runs a program without a shell, with input", async () => {
    const { stdout } = await run("cat", { shell: false, args: ["-"], input: "$HOME 日本" });
    expect(stdout).toBe("$HOME 日本");
    await expect(run("no-such-program-here", { shell: false })).rejects.toMatchObject({ code: "USAGE" });
  });

  it("joins characters split between chunks", async () => {
    const { stdout } = await run(String.raw`printf '\346\227'; sleep 0.1; printf '\245!'`);
    expect(stdout).toBe("日!");
  });

  it("keeps the beginning and the end of output over the limit", async () => {
    const { stdout, stderr, isCut, code } = await run(
      "echo first; head -c 5000000 /dev/zero; echo last; echo all >&2",
      {
        maxOutputBytes: 1000,
      },
    );
    expect(stdout).toMatch(/^first\n\0+\n\[4999011 bytes left out\]\n\0+last\n$/);
    expect([stderr, isCut, code]).toEqual(["all\n", true, 0]);
  });

  it("stops background processes without waiting for them", async () => {
    const { stdout, durationMs } = await run("echo 1; sleep 60 & echo $! > left; setsid sleep 60 & exit 0");
    expect(stdout).toBe("1\n");
    expect(durationMs).toBeLessThan(50_000);
    expect(await number("left")).toBeGreaterThan(0);
    expect(isRunning(await number("left"))).toBe(false);
  });

  it("stops a command after its timeout and keeps its output", async () => {
    const script = "trap '' TERM; echo $$ > pid; echo begun; while true; do sleep 0.05; done";
    const result = await run(script, { timeoutMs: 3000, graceMs: 100 });
    expect(result).toMatchObject({ timedOut: true, code: null, signal: "SIGKILL", stdout: "begun\n" });
    expect(isRunning(await number("pid"))).toBe(false);
  });

  it("throws the abort reason once everything has ended", async () => {
    const abort = new AbortController();
    const reason = new Error("enough");
    const running = run("echo $$ > pid; sleep 60 & wait", { signal: abort.signal });
    await expect.poll(() => number("pid")).toBeGreaterThan(0);
    const pid = await number("pid");
    expect(isRunning(pid)).toBe(true);
    abort.abort(reason);
    await expect(running).rejects.toBe(reason);
    expect(isRunning(pid)).toBe(false);
    await expect(run("echo $$ > second", { signal: abort.signal })).rejects.toBe(reason);
    expect(await number("second")).toBe(0);
  });

  it("accepts a timeout longer than a timer can handle", async () => {
    expect(await run("exit 0", { timeoutMs: Number.MAX_SAFE_INTEGER })).toMatchObject({ code: 0, timedOut: false });
  });
});
