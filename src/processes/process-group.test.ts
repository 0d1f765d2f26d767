import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isAlive, ProcessGroup } from "./process-group.js";

let dir = "";
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "assay-group-"));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const startShell = (script: string) =>
  ProcessGroup.start({ command: "sh", args: ["-c", script], env: { ...process.env, DIR: dir }, output: "stderr" });

/** The number that a process of the script has written down. */
async function written(name: string): Promise<number> {
  const read = () => {
    try {
      return readFileSync(join(dir, name), "utf8").trim();
    } catch {
      return "";
    }
  };
  await expect.poll(read).toMatch(/^\d+$/);
  return Number(read());
}

describe("ProcessGroup", () => {
  it("tells how its program ended", async () => {
    expect(await (await startShell("exit 7")).ended).toEqual({ code: 7, signal: null });
    expect(await (await startShell("kill -9 $$")).ended).toEqual({ code: null, signal: "SIGKILL" });
  });

  it("passes signals on to all of it", async () => {
    const group = await startShell("trap 'exit 5' INT; echo $$ > $DIR/pid; sleep 60 & wait");
    const pid = await written("pid");
    group.signal("SIGINT");
    expect(await group.ended).toEqual({ code: 5, signal: null });
    expect(await group.stop()).toBe(true);
    expect(isAlive(pid)).toBe(false);
  });

  it("ends what its program has started, even when the program is gone and the rest does not listen", async () => {
    const group = await startShell(
      "sh -c 'trap \"\" TERM INT; echo $$ > $DIR/deaf; while true; do sleep 0.05; done' & echo $$ > $DIR/pid; exit 0",
    );
    const pid = await written("pid");
    await written("deaf");
    expect(await group.ended).toEqual({ code: 0, signal: null });
    expect(isAlive(pid)).toBe(true);
    expect(await group.stop(200)).toBe(true);
    expect(isAlive(pid)).toBe(false);
  });

  it("gives programs time to end by themselves", async () => {
    const group = await startShell(
      "trap 'sleep 0.2; echo 1 > $DIR/saved; exit 0' TERM; echo $$ > $DIR/pid; while true; do sleep 0.05; done",
    );
    await written("pid");
    expect(await group.stop()).toBe(true);
    expect(await written("saved")).toBe(1);
  });

  it("says what is wrong with a program that cannot be started", async () => {
    const start = (command: string) => ProcessGroup.start({ command, args: [], env: process.env, output: "stdout" });
    await expect(start("no-such-program-here")).rejects.toThrow(/There is no program "no-such-program-here"/);
    await writeFile(join(dir, "text"), "no program", { mode: 0o600 });
    await expect(start(join(dir, "text"))).rejects.toThrow(/may not be run/);
    await expect(start("")).rejects.toThrow(/cannot be started|There is no program/);
  });
});
