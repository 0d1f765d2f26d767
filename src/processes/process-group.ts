import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { messageOf, UsageError } from "../core/errors.js";

/** Nobody is told when a process that is not one's child ends: it has to be looked for. */
const LOOK_EVERY_MS = 20;

const GRACE_MS = 2000;

/** How a program ended. */
export interface ProgramEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface ProgramOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Where what it prints goes: to our stdout or, when that holds something else, to our stderr. */
  readonly output: "stdout" | "stderr";
}

/** A program and every process it starts, as one group that can be stopped as a whole. */
export class ProcessGroup {
  /** Of the program itself; others of its group may still be running. */
  readonly ended: Promise<ProgramEnd>;
  readonly #id: number;

  private constructor(child: ChildProcess, id: number) {
    this.#id = id;
    this.ended = new Promise((resolve) => {
      child.on("exit", (code, signal) => resolve({ code, signal }));
    });
  }

  static start({ command, args, env, output }: ProgramOptions): Promise<ProcessGroup> {
    return new Promise((resolve, reject) => {
      const fail = (error: unknown) => reject(notStarted(command, error));
      try {
        const stdio = ["inherit", output === "stdout" ? "inherit" : 2, "inherit"] as const;
        const child = spawn(command, args, { env, detached: true, stdio: [...stdio] });
        child.once("error", fail);
        if (child.pid === undefined) return;
        const group = new ProcessGroup(child, child.pid);
        child.once("spawn", () => resolve(group));
      } catch (error) {
        fail(error);
      }
    });
  }

  /** Tells all of them. */
  signal(signal: NodeJS.Signals): void {
    try {
      process.kill(-this.#id, signal);
    } catch {
      // None is left to tell.
    }
  }

  /** Asks all of them to end, and ends those that do not within the grace. False when some are left even so. */
  async stop(graceMs = GRACE_MS): Promise<boolean> {
    this.signal("SIGTERM");
    if (await this.#isGoneWithin(graceMs)) return true;
    this.signal("SIGKILL");
    return this.#isGoneWithin(GRACE_MS);
  }

  async #isGoneWithin(ms: number): Promise<boolean> {
    const end = performance.now() + ms;
    while (isAlive(this.#id)) {
      if (performance.now() >= end) return false;
      await wait(LOOK_EVERY_MS);
    }
    return true;
  }
}

/** True while a process of the group runs. */
export function isAlive(group: number): boolean {
  try {
    process.kill(-group, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  return process.platform !== "linux" || hasRunning(group);
}

/** A process that has ended stays on the books until its parent takes note, which in containers may be never. */
function hasRunning(group: number): boolean {
  return readdirSync("/proc").some((name) => /^\d+$/.test(name) && isRunningIn(name, group));
}

function isRunningIn(pid: string, group: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name before may hold spaces and brackets.
    const [state, , processGroup] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return Number(processGroup) === group && state !== "Z" && state !== "X";
  } catch {
    return false;
  }
}

function notStarted(command: string, cause: unknown): UsageError {
  const { code } = cause as NodeJS.ErrnoException;
  if (code === "ENOENT") return new UsageError(`There is no program "${command}". Check its name and PATH.`, { cause });
  if (code === "EACCES")
    return new UsageError(`${command} may not be run: it is no program, or you have no right to it.`, { cause });
  return new UsageError(`${command} cannot be started: ${messageOf(cause)}.`, { cause });
}
