import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isGroupRunning, readProcess } from "./process-table.js";
import { Watchdog } from "./program.js";

const HERE = fileURLToPath(new URL(".", import.meta.url));

/** A separate Assay process: it starts a shell with the script, prints the pids of the program and the watchdog, and waits or ends. */
const DRIVER = `
import { createJiti } from "jiti";
const load = createJiti(${JSON.stringify(HERE)});
const { startProgram, watchdog } = await load.import("./program.ts");
const [script, how] = process.argv.slice(1);
const program = await startProgram({ command: "sh", args: ["-c", script], env: process.env });
console.log(JSON.stringify([program.pid, watchdog.pid]));
if (how === "sweep") await program.sweep();
if (how === "wait") await program.ended;
`;

let dir = "";
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "assay-watchdog-"));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

interface Driven {
  readonly driver: ChildProcess;
  readonly program: number;
  readonly shell: number;
}

async function drive(script: string, how: "sweep" | "wait"): Promise<Driven> {
  const args = ["--input-type=module", "-e", DRIVER, script, how];
  const env = { ...process.env, DIR: dir };
  const driver = spawn(process.execPath, args, { cwd: HERE, env, stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(driver.stdout, "data");
  const [program, shell] = JSON.parse(String(line));
  return { driver, program, shell };
}

const isRunning = (pid: number) => readProcess(pid) !== null;
const SOON = { timeout: 120_000, interval: 20 };

describe.runIf(process.platform === "linux")("the watchdog", () => {
  it("stops the programs of a killed Assay process, and then itself", async () => {
    const script = `trap "" TERM HUP; setsid sh -c 'echo $$ > $DIR/apart; exec sleep 60' & while true; do sleep 0.05; done`;
    const { driver, program, shell } = await drive(script, "wait");
    const apart = () => readFile(join(dir, "apart"), "utf8").catch(() => "");
    await expect.poll(apart, SOON).toMatch(/^\d+\n$/);
    const pid = Number(await apart());
    // Signals to whole groups, such as Ctrl-C or a closed terminal, must not end it first.
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.kill(shell, signal);
    expect([program, pid, shell].map(isRunning)).toEqual([true, true, true]);
    driver.kill("SIGKILL");
    await expect.poll(() => isGroupRunning(program), SOON).toBe(false);
    await expect.poll(() => isRunning(pid), SOON).toBe(false);
    await expect.poll(() => isRunning(shell), SOON).toBe(false);
  });

  it("does not keep Assay running, and ends with it", async () => {
    const { driver, shell } = await drive("exit 0", "sweep");
    expect(await once(driver, "exit")).toEqual([0, null]);
    await expect.poll(() => isRunning(shell), SOON).toBe(false);
  });

  it("stops only programs still on its list", async () => {
    const [kept, ended] = [1, 2].map(() => spawn("sleep", ["60"], { detached: true, stdio: "ignore" }));
    const dog = new Watchdog();
    dog.watch(Number(kept?.pid), "no-such-mark-1");
    dog.watch(Number(ended?.pid), "no-such-mark-2");
    dog.release(Number(kept?.pid));
    dog.disconnect();
    expect(await once(ended as ChildProcess, "exit")).toEqual([null, "SIGKILL"]);
    expect(isRunning(Number(kept?.pid))).toBe(true);
    kept?.kill("SIGKILL");
  });

  it("restarts with its whole list after it was killed", async () => {
    const sleeper = spawn("sleep", ["60"], { detached: true, stdio: "ignore" });
    const dog = new Watchdog();
    dog.watch(Number(sleeper.pid), "no-such-mark-1");
    process.kill(Number(dog.pid), "SIGKILL");
    await expect.poll(() => dog.pid, SOON).toBeUndefined();
    dog.watch(2 ** 30, "no-such-mark-2");
    dog.disconnect();
    expect(await once(sleeper, "exit")).toEqual([null, "SIGKILL"]);
  });

  it("is optional when there is no shell", async () => {
    const dog = new Watchdog(join(dir, "no-shell"));
    dog.watch(2 ** 30, "no-such-mark");
    await expect.poll(() => dog.pid, SOON).toBeUndefined();
    dog.release(2 ** 30);
    dog.disconnect();
  });
});
