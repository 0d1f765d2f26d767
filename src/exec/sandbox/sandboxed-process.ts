import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, existsSync, openSync, readdirSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { availableParallelism, constants } from "node:os";
import type { Duplex, Readable, Writable } from "node:stream";
import { getErrorMessage, SandboxError } from "../../core/index.js";
import { buildBwrapArgs, INFO_FD, type IsolationKind } from "./bwrap-args.js";
import type { Interpreter } from "./interpreters.js";
import { formatKernelLimits, type SandboxLimits } from "./limits.js";
import { LineChannel } from "./line-channel.js";
import { buildSyscallFilter } from "./syscall-filter.js";

/** Why a program was stopped. */
type StopCause = "wall_time" | "output" | "memory" | "done" | "aborted";

export interface SandboxedProcessEnd {
  exitCode: number | null;
  signal: string | null;
  stdout: string;
  stderr: string;
  stopped: StopCause | null;
}

interface SandboxCommand {
  command: string;
  args: readonly string[];
  cwd?: string;
  /** Contents of the descriptors from 5 on. */
  inputs?: readonly (string | Buffer)[];
  stdin?: string;
  /** True to connect stdin and stdout to nothing: a pipe takes a tenth of the time to start a sandbox. */
  isQuiet?: boolean;
  /** True for a line channel on descriptor 3. */
  hasLines: boolean;
  /** Descriptors of this process that must not be inherited. */
  strays: readonly number[];
  wallMs: number;
  cpuSecs: number;
  memoryBytes: number;
  outputBytes: number;
  /** Kills the whole process group, for processes outside a sandbox. */
  isGroup: boolean;
  /** User id and group id. */
  uid?: number;
}

const MAX_LINE_BYTES = 16 * 2 ** 20;
const KILL_TIMEOUT_MS = 5000;
const START_TIMEOUT_MS = 2000;

/** A process in a sandbox, with a line channel on its descriptor 3. */
export class SandboxedProcess {
  readonly lines: LineChannel;
  /** Resolves when none of its processes are left. Rejects only when it could not be started. */
  readonly ended: Promise<SandboxedProcessEnd>;
  readonly #child: ChildProcess;
  readonly #isGroup: boolean;
  #stopped: StopCause | null = null;
  /** The id of the first process in the sandbox, as seen from outside. */
  #first: number | null = null;

  constructor(command: SandboxCommand) {
    this.#isGroup = command.isGroup;
    this.#child = spawnSandboxCommand(command);
    this.ended = this.#watch(command);
    // Callers that need the end await it; until then a failed start must not be an unhandled rejection.
    this.ended.catch(() => undefined);
    this.lines = new LineChannel(this.#child.stdio[3] as Duplex | null, MAX_LINE_BYTES);
    if (this.#child.stdin !== null) writeAll(this.#child.stdin, command.stdin ?? "");
    command.inputs?.forEach((text, index) => {
      writeAll(this.#child.stdio[INFO_FD + 1 + index] as Writable, text);
    });
  }

  /** Stops it and everything it started. The first cause counts. */
  stop(cause: StopCause): void {
    this.#stopped ??= cause;
    // Killing a sandbox while it is being created would leave its first process hanging.
    if (this.#isGroup || this.#first !== null) this.#kill();
    else setTimeout(() => this.#kill(), START_TIMEOUT_MS).unref();
  }

  #kill(): void {
    const { pid, exitCode, signalCode } = this.#child;
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    for (const target of this.#isGroup ? [-pid] : [this.#first ?? pid, pid]) {
      try {
        process.kill(target, "SIGKILL");
      } catch {
        // It has already ended.
      }
    }
  }

  #handleFirstPid(first: number): void {
    this.#first = first;
    if (this.#stopped !== null) this.#kill();
  }

  #watch({ wallMs, cpuSecs, memoryBytes, outputBytes }: SandboxCommand): Promise<SandboxedProcessEnd> {
    const started = performance.now();
    const child = this.#child;
    const keep = (fd: number) =>
      new BoundedText(child.stdio[fd] as Readable | null, outputBytes, () => this.stop("output"));
    const [stdout, stderr] = [keep(1), keep(2)];
    readFirstPid(child.stdio[INFO_FD] as Readable | null, (pid) => this.#handleFirstPid(pid));
    const timer = setTimeout(() => this.stop("wall_time"), wallMs);
    const unwatch = watchMemory(child.pid, memoryBytes, () => this.stop("memory"));
    return new Promise<SandboxedProcessEnd>((resolve, reject) => {
      child.on("error", (error) => {
        clearTimeout(timer);
        unwatch();
        reject(createSpawnError(error));
      });
      child.on("exit", () => {
        this.lines.release();
        if (this.#isGroup) this.#stopGroup();
      });
      child.on("close", (code, signal) => {
        clearTimeout(timer);
        unwatch();
        const mayBeCpu = performance.now() - started >= computeMinCpuMs(cpuSecs);
        const exit = resolveExit(code, signal, mayBeCpu);
        const ended = { ...exit, stdout: stdout.text(), stderr: stderr.text(), stopped: this.#stopped };
        void waitUntilAllGone(this.#first).then(() => resolve(ended));
      });
    });
  }

  /** A process that left the group may still hold a pipe; don't wait for it. */
  #stopGroup(): void {
    this.stop("done");
    setTimeout(() => {
      for (const stream of this.#child.stdio) stream?.destroy();
    }, 200).unref();
  }
}

function spawnSandboxCommand(asked: SandboxCommand): ChildProcess {
  const { command, args, cwd, uid, isGroup } = asked;
  const nothing = openSync("/dev/null", "r");
  const child = spawn(command, args, {
    env: {},
    stdio: buildStdio(asked, nothing),
    detached: isGroup,
    ...(cwd === undefined ? {} : { cwd }),
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  closeSync(nothing);
  // Node fails before creating any stream when the process has no descriptors left.
  if ((child.stdio as unknown) !== undefined) return child;
  child.on("error", () => undefined);
  throw createSpawnError(new Error("too many open files"));
}

/** Node passes on every descriptor that is not closed, so strays are replaced with /dev/null. */
function buildStdio({ isGroup, isQuiet, hasLines, strays, inputs = [] }: SandboxCommand, nothing: number) {
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

function createSpawnError(cause: Error): SandboxError {
  return new SandboxError(`The sandbox could not be started: ${getErrorMessage(cause)}. Run "assay doctor".`, {
    cause,
  });
}

/** Calls `use` with the id of the first process in the sandbox. */
export function readFirstPid(stream: Readable | null, use: (pid: number) => void): void {
  let text = "";
  stream?.on("error", () => undefined);
  stream?.on("data", (chunk: Buffer) => {
    text += chunk.toString("latin1");
    const pid = /"child-pid":\s*(\d+)\D/.exec(text)?.[1];
    if (pid !== undefined) use(Number(pid));
  });
}

/** The last processes of a sandbox end with its first one, shortly after `bwrap` reports the end. */
export async function waitUntilAllGone(first: number | null): Promise<void> {
  const deadline = performance.now() + KILL_TIMEOUT_MS;
  while (first !== null && isProcessAlive(first) && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

function isProcessAlive(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return false;
  }
}

function writeAll(stream: Writable, text: string | Buffer): void {
  // A program that does not read its input closes the pipe, which is not an error.
  stream.on("error", () => undefined);
  stream.end(text);
}

/** In milliseconds. Even on all cores, a process cannot use its CPU time faster. */
function computeMinCpuMs(cpuSecs: number): number {
  return (900 * cpuSecs) / availableParallelism();
}

/**
 * `bwrap` reports a signal as exit code 128 + its number. A program may exit with such a code itself, but SIGXCPU is only
 * plausible once it can have used its CPU time.
 */
function resolveExit(
  code: number | null,
  signal: NodeJS.Signals | null,
  mayBeCpu: boolean,
): Pick<SandboxedProcessEnd, "exitCode" | "signal"> {
  if (code === null || code <= 128) return { exitCode: code, signal };
  const name = Object.entries(constants.signals).find(([, number]) => number === code - 128)?.[0];
  const isSignal = name !== undefined && (name !== "SIGXCPU" || mayBeCpu);
  return isSignal ? { exitCode: null, signal: name } : { exitCode: code, signal };
}

/** Keeps the first bytes of a stream, and calls `exceeded` when there are more. */
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

const POLL_INTERVAL_MS = 150;

/**
 * Calls `exceeded` when a process and its descendants use more memory than allowed. The kernel limits each process; this
 * limits all of them together. Returns a function that stops watching.
 */
export function watchMemory(pid: number | undefined, maxBytes: number, exceeded: () => void): () => void {
  if (pid === undefined) return () => undefined;
  let timer: NodeJS.Timeout;
  let isOver = false;
  const look = async () => {
    const bytes = await measureTreeMemory(pid);
    if (isOver) return;
    if (bytes > maxBytes) exceeded();
    else timer = again();
  };
  const again = () => setTimeout(() => void look(), POLL_INTERVAL_MS).unref();
  timer = again();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

async function measureTreeMemory(pid: number): Promise<number> {
  const [own, children] = await Promise.all([readProcessMemory(pid), listChildProcesses(pid)]);
  const theirs = await Promise.all(children.map(measureTreeMemory));
  return theirs.reduce((sum, bytes) => sum + bytes, own);
}

async function readProcessMemory(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  const sizes = status.matchAll(/^Rss(?:Anon|Shmem):\s*(\d+) kB/gm);
  return [...sizes].reduce((sum, [, kilobytes]) => sum + Number(kilobytes) * 1024, 0);
}

async function listChildProcesses(pid: number): Promise<number[]> {
  const list = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8").catch(() => "");
  return list.split(" ").filter(Boolean).map(Number);
}

export interface SandboxLaunch {
  interpreter: Interpreter;
  args: readonly string[];
  limits: SandboxLimits;
  files?: Readonly<Record<string, string>>;
  stdin?: string;
  isQuiet?: boolean;
  /** False for a program that does not use descriptor 3. */
  hasLines?: boolean;
  /** Descriptors of this process that must not be inherited. */
  strays?: readonly number[];
}

const FIRST_INPUT_FD = INFO_FD + 1;
const PRLIMIT = "/usr/bin/prlimit";

/** Builds the command for a sandbox. `uid` is from the pool when started by root, else null. */
export function buildSandboxCommand(launch: SandboxLaunch, kind: IsolationKind, uid: number | null): SandboxCommand {
  const { interpreter, args, limits } = launch;
  const filter = buildSyscallFilter();
  const inputs = [...(filter === null ? [] : [filter]), ...Object.values(launch.files ?? {})];
  const filterFd = filter === null ? null : FIRST_INPUT_FD;
  const firstFile = FIRST_INPUT_FD + (filter === null ? 0 : 1);
  const files = Object.keys(launch.files ?? {}).map((name, index) => ({ name, fd: firstFile + index }));
  const plan = {
    kind,
    uid: kind === "root" ? uid : null,
    interpreter,
    args,
    files,
    filterFd,
    limits,
  };
  return {
    command: "/usr/bin/bwrap",
    args: buildBwrapArgs(plan),
    inputs,
    ...pickLaunchBounds(launch),
    isGroup: false,
    // In root's user namespace it would still have root's access to files.
    ...(kind === "user_namespace" && uid !== null ? { uid } : {}),
    memoryBytes: limits.memoryBytes,
  };
}

/** Builds the command to run without a sandbox: limits and a clean environment, but no protection of files or network. */
export function buildLocalCommand(launch: SandboxLaunch, folder: string): SandboxCommand {
  const { interpreter, args, limits } = launch;
  const [command = interpreter.path, ...rest] = [...buildLocalLimitArgs(launch), interpreter.path, ...args];
  return {
    command,
    args: rest,
    cwd: folder,
    ...pickLaunchBounds(launch),
    isGroup: true,
    memoryBytes: limits.memoryBytes,
  };
}

/** No limit on processes, because it would count all other processes of the user. */
function buildLocalLimitArgs(launch: SandboxLaunch): string[] {
  if (!existsSync(PRLIMIT)) return [];
  const limits = formatKernelLimits(launch.limits, launch.interpreter.language);
  return [PRLIMIT, ...limits.filter((limit) => !limit.startsWith("--nproc")), "--"];
}

function pickLaunchBounds({ limits, stdin, isQuiet = false, hasLines = true, strays = [] }: SandboxLaunch) {
  const { wallMs, cpuSecs, outputBytes } = limits;
  return { wallMs, cpuSecs, outputBytes, isQuiet, hasLines, strays, ...(stdin === undefined ? {} : { stdin }) };
}

/** Descriptor flag: closed when another program is started. */
const CLOSE_ON_EXEC = 0o2000000;

/**
 * Descriptors that this process inherited and that a started program would inherit too: an open folder would be a way out
 * of any sandbox. Node closes its own.
 */
export function findStrayDescriptors(): number[] {
  return listOpenDescriptors().filter((fd) => fd > 2 && isInherited(fd));
}

function listOpenDescriptors(): number[] {
  try {
    return readdirSync("/proc/self/fd").map(Number);
  } catch {
    return [];
  }
}

function isInherited(fd: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, "latin1"))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    // The descriptor used to read the list is already closed.
    return false;
  }
}
