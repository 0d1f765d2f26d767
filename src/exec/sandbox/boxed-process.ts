import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { availableParallelism, constants } from "node:os";
import type { Duplex, Readable, Writable } from "node:stream";
import { messageOf, SandboxError } from "../../core/errors.js";
import { INFO_FD } from "./box.js";
import { LineChannel } from "./line-channel.js";

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
  /** What is read from the descriptors from 5 on. */
  inputs?: readonly (string | Buffer)[];
  stdin?: string;
  /** True when its standard input and output go nowhere: a pipe costs as much as a tenth of a box. */
  isQuiet?: boolean;
  /** True when lines go to and from it on descriptor 3. */
  hasLines: boolean;
  /** Descriptors of this process that it must not be given. */
  strays: readonly number[];
  wallMs: number;
  cpuSecs: number;
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
    this.lines = new LineChannel(this.#child.stdio[3] as Duplex | null, LINE_BYTES);
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

  #watch({ wallMs, cpuSecs, memoryBytes, outputBytes }: Command): Promise<Ended> {
    const started = performance.now();
    const child = this.#child;
    const keep = (fd: number) =>
      new BoundedText(child.stdio[fd] as Readable | null, outputBytes, () => this.stop("output"));
    const [stdout, stderr] = [keep(1), keep(2)];
    readFirst(child.stdio[INFO_FD] as Readable | null, (pid) => this.#born(pid));
    const timer = setTimeout(() => this.stop("wall_time"), wallMs);
    const unwatch = watchMemory(child.pid, memoryBytes, () => this.stop("memory"));
    return new Promise<Ended>((resolve, reject) => {
      child.on("error", (error) => {
        clearTimeout(timer);
        unwatch();
        reject(failedSpawn(error));
      });
      child.on("exit", () => {
        this.lines.release();
        if (this.#isGroup) this.#endGroup();
      });
      child.on("close", (code, signal) => {
        clearTimeout(timer);
        unwatch();
        const mayBeCpu = performance.now() - started >= shortestUse(cpuSecs);
        const exit = exitOf(code, signal, mayBeCpu);
        const ended = { ...exit, stdout: stdout.text(), stderr: stderr.text(), stopped: this.#stopped };
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

function spawnCommand(asked: Command): ChildProcess {
  const { command, args, cwd, uid, isGroup } = asked;
  const nothing = openSync("/dev/null", "r");
  const child = spawn(command, args, {
    env: {},
    stdio: descriptors(asked, nothing),
    detached: isGroup,
    ...(cwd === undefined ? {} : { cwd }),
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  closeSync(nothing);
  // Node gives up before it has made any stream when the process has no descriptor left.
  if ((child.stdio as unknown) !== undefined) return child;
  child.on("error", () => undefined);
  throw failedSpawn(new Error("too many open files"));
}

/** Node starts a process with all that is not closed: what it must not have is replaced by a descriptor of nothing. */
function descriptors({ isGroup, isQuiet, hasLines, strays, inputs = [] }: Command, nothing: number) {
  const pipeIf = (isWanted: boolean) => (isWanted ? ("pipe" as const) : ("ignore" as const));
  const standard = isQuiet === true ? (["ignore", "ignore", "pipe"] as const) : (["pipe", "pipe", "pipe"] as const);
  const list: ("pipe" | "ignore" | number)[] = [...standard, pipeIf(hasLines), pipeIf(!isGroup)];
  list.push(...inputs.map(() => "pipe" as const));
  for (const stray of strays) {
    while (list.length <= stray) list.push("ignore");
    if (list[stray] === "ignore") list[stray] = nothing;
  }
  return list;
}

function failedSpawn(cause: Error): SandboxError {
  return new SandboxError(`The sandbox could not be started: ${messageOf(cause)}. Run "assay doctor".`, { cause });
}

/** Calls with the id of the first process in the box, as soon as it is told. */
function readFirst(stream: Readable | null, use: (pid: number) => void): void {
  let text = "";
  stream?.on("error", () => undefined);
  stream?.on("data", (chunk: Buffer) => {
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

function write(stream: Writable, text: string | Buffer): void {
  // A program that does not read what it is given has closed the pipe: that is its own affair.
  stream.on("error", () => undefined);
  stream.end(text);
}

/** In milliseconds: no process uses up its processor time faster than on all cores. */
function shortestUse(cpuSecs: number): number {
  return (900 * cpuSecs) / availableParallelism();
}

/**
 * A box tells the death of what ran in it as 128 + the number of the signal. A program may end with such a number
 * itself, but not with the one for too much processor time before it can have used that.
 */
function exitOf(
  code: number | null,
  signal: NodeJS.Signals | null,
  mayBeCpu: boolean,
): Pick<Ended, "exitCode" | "signal"> {
  if (code === null || code <= 128) return { exitCode: code, signal };
  const name = Object.entries(constants.signals).find(([, number]) => number === code - 128)?.[0];
  const isSignal = name !== undefined && (name !== "SIGXCPU" || mayBeCpu);
  return isSignal ? { exitCode: null, signal: name } : { exitCode: code, signal };
}

/** Keeps the first bytes that a stream gives, and calls when there are more. */
class BoundedText {
  readonly #parts: Buffer[] = [];
  #bytes = 0;
  #isTruncated = false;

  constructor(stream: Readable | null, maxBytes: number, exceeded: () => void) {
    stream?.on("data", (chunk: Buffer) => {
      const room = maxBytes - this.#bytes;
      if (room > 0) this.#parts.push(chunk.subarray(0, room));
      this.#bytes += chunk.length;
      if (this.#bytes <= maxBytes || this.#isTruncated) return;
      this.#isTruncated = true;
      exceeded();
    });
    stream?.on("error", () => undefined);
  }

  text(): string {
    return Buffer.concat(this.#parts).toString("utf8");
  }
}

const EVERY_MS = 150;

/**
 * Calls when a process and all it has started hold more memory than allowed. The kernel holds each process to its
 * limit; this holds all of them together. Returns what ends the watch.
 */
function watchMemory(pid: number | undefined, maxBytes: number, exceeded: () => void): () => void {
  if (pid === undefined) return () => undefined;
  let timer: NodeJS.Timeout;
  let isOver = false;
  const look = async () => {
    const bytes = await memoryOf(pid);
    if (isOver) return;
    if (bytes > maxBytes) exceeded();
    else timer = again();
  };
  const again = () => setTimeout(() => void look(), EVERY_MS).unref();
  timer = again();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

async function memoryOf(pid: number): Promise<number> {
  const [own, children] = await Promise.all([ownMemory(pid), childrenOf(pid)]);
  const theirs = await Promise.all(children.map(memoryOf));
  return theirs.reduce((sum, bytes) => sum + bytes, own);
}

async function ownMemory(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  const sizes = status.matchAll(/^Rss(?:Anon|Shmem):\s*(\d+) kB/gm);
  return [...sizes].reduce((sum, [, kilobytes]) => sum + Number(kilobytes) * 1024, 0);
}

async function childrenOf(pid: number): Promise<number[]> {
  const list = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8").catch(() => "");
  return list.split(" ").filter(Boolean).map(Number);
}
