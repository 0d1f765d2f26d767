import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { constants } from "node:os";
import type { Duplex, Readable, Writable } from "node:stream";
import { messageOf, SandboxError } from "../core/errors.js";
import { BoundedText } from "./bounded-text.js";
import { INFO_FD } from "./box.js";
import { LineChannel } from "./line-channel.js";
import { watchMemory } from "./memory-watch.js";

/** Why a program was stopped from outside. */
export type StopCause = "wall_time" | "output" | "memory" | "done" | "aborted";

/** How a boxed process came to its end. */
export interface Ended {
  exitCode: number | null;
  signal: string | null;
  stdout: string;
  stderr: string;
  stopped: StopCause | null;
}

/** A command as it is started. */
export interface Command {
  command: string;
  args: readonly string[];
  cwd?: string;
  /** Texts for the descriptors from 5 on. */
  inputs?: readonly string[];
  stdin?: string;
  /** True when its standard input and output go nowhere: a pipe costs as much as a tenth of a box. */
  isQuiet?: boolean;
  /** Null is no limit. */
  wallMs: number | null;
  memoryBytes: number;
  outputBytes: number;
  /** Kills the whole process group, for a process that nothing else holds together. */
  isGroup: boolean;
  /** The user to start it as, and the group of the same number. */
  uid?: number;
}

/** The longest line a boxed process may send. */
const LINE_BYTES = 16 * 2 ** 20;
const LONGEST_DEATH_MS = 5000;
const LONGEST_BIRTH_MS = 2000;

/** A process in its box, with lines of text to and from it on its descriptor 3. */
export class BoxedProcess {
  readonly lines: LineChannel;
  /** Settles when nothing of it is left. Rejects only when it could not be started. */
  readonly ended: Promise<Ended>;
  readonly #child: ChildProcess;
  readonly #isGroup: boolean;
  #stopped: StopCause | null = null;
  /** The id of the first process in the box, as this machine knows it. */
  #first: number | null = null;

  constructor(command: Command) {
    this.#isGroup = command.isGroup;
    this.#child = spawnCommand(command);
    this.ended = this.#watch(command);
    // Whoever needs the end waits for it; until then a failed start is nobody's unhandled rejection.
    this.ended.catch(() => undefined);
    this.lines = new LineChannel(this.#child.stdio[3] as Duplex, LINE_BYTES);
    if (this.#child.stdin !== null) write(this.#child.stdin, command.stdin ?? "");
    command.inputs?.forEach((text, index) => {
      write(this.#child.stdio[INFO_FD + 1 + index] as Writable, text);
    });
  }

  /** Ends it and everything it has started. The first cause given is the one that counts. */
  stop(cause: StopCause): void {
    this.#stopped ??= cause;
    // A box that is ended while it is made would leave its first process behind, waiting for ever.
    if (this.#isGroup || this.#first !== null) this.#kill();
    else setTimeout(() => this.#kill(), LONGEST_BIRTH_MS).unref();
  }

  #kill(): void {
    const { pid, exitCode, signalCode } = this.#child;
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    for (const target of this.#isGroup ? [-pid] : [this.#first ?? pid, pid]) {
      try {
        process.kill(target, "SIGKILL");
      } catch {
        // It is gone already.
      }
    }
  }

  #born(first: number): void {
    this.#first = first;
    if (this.#stopped !== null) this.#kill();
  }

  /** Lets this process end while the box is still there: it ends with it. */
  unref(): void {
    this.#child.unref();
    for (const stream of this.#child.stdio) (stream as Socket | null)?.unref();
  }

  #watch({ wallMs, memoryBytes, outputBytes }: Command): Promise<Ended> {
    const child = this.#child;
    const keep = (fd: number) =>
      new BoundedText(child.stdio[fd] as Readable | null, outputBytes, () => this.stop("output"));
    const [stdout, stderr] = [keep(1), keep(2)];
    readFirst(child.stdio[INFO_FD] as Readable, (pid) => this.#born(pid));
    const timer = wallMs === null ? undefined : setTimeout(() => this.stop("wall_time"), wallMs);
    const unwatch = watchMemory(child.pid, memoryBytes, () => this.stop("memory"));
    return new Promise<Ended>((resolve, reject) => {
      child.on("error", (error) => {
        clearTimeout(timer);
        unwatch();
        reject(failedSpawn(error));
      });
      child.on("exit", () => this.#isGroup && this.#endGroup());
      child.on("close", (code, signal) => {
        clearTimeout(timer);
        unwatch();
        const ended = { ...exitOf(code, signal), stdout: stdout.text(), stderr: stderr.text(), stopped: this.#stopped };
        void allGone(this.#first).then(() => resolve(ended));
      });
    });
  }

  /** A process that has left the group may still hold a pipe: nobody waits for it. */
  #endGroup(): void {
    this.stop("done");
    setTimeout(() => {
      for (const stream of this.#child.stdio) stream?.destroy();
    }, 200).unref();
  }
}

function spawnCommand({ command, args, cwd, uid, isGroup, isQuiet, inputs = [] }: Command): ChildProcess {
  const standard = isQuiet === true ? (["ignore", "ignore", "pipe"] as const) : (["pipe", "pipe", "pipe"] as const);
  const child = spawn(command, args, {
    env: {},
    stdio: [...standard, "pipe", "pipe", ...inputs.map(() => "pipe" as const)],
    detached: isGroup,
    ...(cwd === undefined ? {} : { cwd }),
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  // Node gives up before it has made any stream when the process has no descriptor left.
  if ((child.stdio as unknown) !== undefined) return child;
  child.on("error", () => undefined);
  throw failedSpawn(new Error("too many open files"));
}

function failedSpawn(cause: Error): SandboxError {
  return new SandboxError(`The sandbox could not be started: ${messageOf(cause)}. Run "assay doctor".`, { cause });
}

/** Calls with the id of the first process in the box, as soon as it is told. */
function readFirst(stream: Readable, use: (pid: number) => void): void {
  let text = "";
  stream.on("error", () => undefined);
  stream.on("data", (chunk: Buffer) => {
    text += chunk.toString("latin1");
    const pid = /"child-pid":\s*(\d+)\D/.exec(text)?.[1];
    if (pid !== undefined) use(Number(pid));
  });
}

/** The last processes of a box die with its first one, a moment after the box has told its end. */
async function allGone(first: number | null): Promise<void> {
  const deadline = performance.now() + LONGEST_DEATH_MS;
  while (first !== null && isAlive(first) && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

function isAlive(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return false;
  }
}

function write(stream: Writable, text: string): void {
  // A program that does not read what it is given has closed the pipe: that is its own affair.
  stream.on("error", () => undefined);
  stream.end(text);
}

/** A box tells the death of what ran in it as 128 + the number of the signal. */
function exitOf(code: number | null, signal: NodeJS.Signals | null): Pick<Ended, "exitCode" | "signal"> {
  if (code === null || code <= 128) return { exitCode: code, signal };
  const name = Object.entries(constants.signals).find(([, number]) => number === code - 128)?.[0];
  return name === undefined ? { exitCode: code, signal } : { exitCode: null, signal: name };
}
