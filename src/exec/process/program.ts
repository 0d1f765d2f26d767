import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import type { Socket } from "node:net";
import { PassThrough, type Readable, type Writable } from "node:stream";
import { finished } from "node:stream/promises";
import { setTimeout as wait } from "node:timers/promises";
import { createProgramStartError } from "./find-program.js";
import { createMarker, MARKER_VARIABLE } from "./process-marker.js";
import {
  NOTHING_RAN,
  type ProcessTree,
  type StopReport,
  sendSignal,
  stopProcessTree,
  trackProcessTree,
} from "./process-tree.js";

export type { StopReport } from "./process-tree.js";

const GRACE_MS = 2000;

const SCAN_INTERVAL_MS = 1000;

export interface ProgramEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A program to start. */
export interface ProgramStart {
  readonly command: string;
  readonly args?: readonly string[];
  /** Default: the current working directory. */
  readonly cwd?: string;
  /** The complete environment, except for the marker that is added. */
  readonly env: NodeJS.ProcessEnv;
  /** In a box: ports of this machine that it may reach, at the same address. Default: none. */
  readonly ports?: readonly number[];
}

/** The command that runs a program in a box. */
export interface BoxedStart extends Pick<ProgramStart, "command" | "cwd" | "env"> {
  readonly args: readonly string[];
  /** Descriptors from 3 on. */
  readonly stdio: readonly ("pipe" | "ignore" | number)[];
  /** Replaces the folders by which processes are found, if they cannot be found so. */
  readonly folders?: readonly string[];
  /** Called as soon as it was started. */
  attach(child: ChildProcess): void;
  /** Asks its programs to end, if signals do not reach them. */
  terminate?(): Promise<void>;
  /** Called when it has ended, or could not be started: nothing of it is left afterwards. */
  release(): Promise<void>;
}

/** Keeps programs from the rest of the machine. */
export interface ProgramBox {
  wrap(start: ProgramStart): Promise<BoxedStart>;
}

export interface StartOptions extends ProgramStart {
  /** Where it runs. Default: with all rights of this process. */
  readonly box?: ProgramBox | undefined;
  /**
   * Folders that only this program uses while it runs: processes started later that work in one of them, or whose program is
   * in one, are treated as part of it. Folders that contain the current working directory, the home or the temporary folder
   * are ignored.
   */
  readonly folders?: readonly string[];
}

export interface ProgramOptions extends StartOptions {
  /** Text for stdin, or `OPEN_INPUT` to write to it later. Default: none. */
  readonly input?: string | typeof OPEN_INPUT;
}

/** Keeps stdin open: the program's `stdin` is written to and ended by the caller. */
export const OPEN_INPUT: unique symbol = Symbol("open stdin");

/** A started program and all processes it started. */
export class RunningProgram {
  /** The end of the program itself; processes it started may still be running. */
  readonly ended: Promise<ProgramEnd>;
  readonly #tree: ProcessTree;
  readonly #boxed: BoxedStart | null;
  #ending: Promise<StopReport> | null = null;
  #isOver = false;

  constructor({ child, tree, boxed }: StartedProcess) {
    this.#tree = tree;
    this.#boxed = boxed;
    const scanning = setInterval(() => tree.recordDescendants(), SCAN_INTERVAL_MS).unref();
    const exited = new Promise<ProgramEnd>((resolve) => {
      child.on("exit", (code, signal) => {
        clearInterval(scanning);
        resolve({ code, signal });
      });
    });
    this.ended = boxed === null ? exited : exited.then((end) => boxed.release().then(() => end));
  }

  /** Also the id of its process group. */
  get pid(): number {
    return this.#tree.root;
  }

  /** Signals the whole process group. */
  signal(signal: NodeJS.Signals): void {
    if (!this.#isOver) sendSignal(-this.#tree.root, signal);
  }

  /**
   * Asks all processes to terminate, kills those that do not within the grace period, and reports which are still running.
   * Calls during a stop return the same promise.
   */
  async stop(graceMs = GRACE_MS): Promise<StopReport> {
    // The pid may have been reused.
    if (this.#isOver) return NOTHING_RAN;
    this.#ending ??= this.#stopTree(graceMs).finally(() => {
      this.#ending = null;
    });
    return this.#ending;
  }

  /** Waits for the program to end, then stops processes left in the background. */
  async sweep(graceMs = GRACE_MS): Promise<StopReport> {
    await this.ended;
    return this.stop(graceMs);
  }

  async #stopTree(graceMs: number): Promise<StopReport> {
    await this.#boxed?.terminate?.();
    const report = await stopProcessTree(this.#tree, graceMs);
    if (report.left.length > 0) return report;
    await this.ended;
    this.#isOver = true;
    watchdog.release(this.#tree.root);
    return report;
  }
}

/** A program with readable output. */
export class PipedProgram extends RunningProgram {
  /** Null unless it was kept open. */
  readonly stdin: Writable | null;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves when all output was read, at the latest about a second after the program ended and its last output. */
  readonly closed: Promise<void>;

  constructor(started: StartedProcess) {
    super(started);
    const child = started.child as ChildProcess & { stdout: Readable; stderr: Readable };
    this.stdin = child.stdin;
    const [stdout, stderr] = [
      createOutputStream(child.stdout, this.ended),
      createOutputStream(child.stderr, this.ended),
    ];
    this.stdout = stdout.stream;
    this.stderr = stderr.stream;
    this.closed = Promise.all([stdout.closed, stderr.closed]).then(() => undefined);
  }
}

/**
 * Starts a program in its own process group, without stdin unless `input` is given. Stop it or, once it has ended, call
 * `sweep`: only then is it certain that none of its processes run. If this process is killed, a watchdog stops the program.
 * @example
 * const program = await startProgram({ command: "make", args: ["test"], cwd: folder, env: { PATH }, folders: [folder] });
 * program.stdout.pipe(process.stderr);
 * const { code } = await program.ended;
 * const { running, left } = await program.sweep();
 */
export async function startProgram({ input, ...options }: ProgramOptions): Promise<PipedProgram> {
  const started = await spawnProgram(options, [input === undefined ? "ignore" : "pipe", "pipe", "pipe"]);
  const { child, tree, marker } = started;
  watchdog.watch(tree.root, marker);
  // The program may end before reading all input.
  child.stdin?.on("error", () => undefined);
  if (typeof input === "string") child.stdin?.end(input);
  return new PipedProgram(started);
}

/** Starts a program with this process's terminal. It prints to our stdout or, when that has other content, to our stderr. */
export async function startAttached(options: StartOptions, output: "stdout" | "stderr"): Promise<RunningProgram> {
  return new RunningProgram(await spawnProgram(options, ["inherit", output === "stdout" ? "inherit" : 2, "inherit"]));
}

interface StartedProcess {
  readonly child: ChildProcess;
  readonly tree: ProcessTree;
  readonly marker: string;
  /** Null without a box. */
  readonly boxed: BoxedStart | null;
}

async function spawnProgram({ box, ...options }: StartOptions, stdio: StdioList): Promise<StartedProcess> {
  const boxed = (await box?.wrap(options)) ?? null;
  try {
    return await spawnNow({ ...options, ...boxed }, [...stdio, ...(boxed?.stdio ?? [])], boxed);
  } catch (error) {
    await boxed?.release();
    throw error;
  }
}

type StdioList = readonly ("pipe" | "ignore" | "inherit" | number)[];

function spawnNow(
  { command, args = [], cwd, env, folders = [] }: StartOptions,
  stdio: StdioList,
  boxed: BoxedStart | null,
): Promise<StartedProcess> {
  const marker = createMarker(process.env[MARKER_VARIABLE], randomUUID());
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) => reject(createProgramStartError({ command, cwd }, error));
    try {
      const child = spawn(command, args, {
        cwd,
        env: { ...env, [MARKER_VARIABLE]: marker },
        detached: true,
        stdio: [...stdio],
      });
      child.on("error", fail);
      const root = child.pid;
      if (root === undefined) return;
      // Immediately, because a program that ends quickly can only be inspected until then.
      const tree = trackProcessTree({ root, marker, folders, isBox: boxed !== null });
      boxed?.attach(child);
      resolve({ child, tree, marker, boxed });
    } catch (error) {
      fail(error);
    }
  });
}

const POLL_INTERVAL_MS = 100;

/** About a second. Counted in polls rather than time, so that a busy process still reads all output. */
const MAX_IDLE_POLLS = 10;

/** The output of a program until its end. */
interface OutputStream {
  readonly stream: Readable;
  /** Resolves when all output was passed on or, without a reader, when all was printed. */
  readonly closed: Promise<void>;
}

/**
 * Passes on the output of a program and always ends: a process it started may hold the output open indefinitely, so some
 * time after the program's end and its last output the stream is closed.
 */
function createOutputStream(source: Readable, ended: Promise<unknown>): OutputStream {
  const stream = new PassThrough();
  source.on("error", () => undefined);
  source.pipe(stream, { end: false });
  // A closed reader must not block the program.
  stream.on("close", () => source.unpipe(stream).resume());
  return { stream, closed: closeOutput(source, stream, ended) };
}

async function closeOutput(source: Readable, stream: PassThrough, ended: Promise<unknown>): Promise<void> {
  const over = finished(source).catch(() => undefined);
  await Promise.race([over, ended.then(() => waitForSilence(source, stream))]);
  source.destroy();
  stream.end();
  if (stream.readableFlowing !== null) await finished(stream).catch(() => undefined);
}

async function waitForSilence(source: Readable, stream: PassThrough): Promise<void> {
  let received = 0;
  const count = () => {
    received += 1;
  };
  source.on("data", count);
  for (let idle = 0, seen = 0; idle < MAX_IDLE_POLLS && !source.closed; seen = received) {
    await wait(POLL_INTERVAL_MS);
    idle = received === seen && !hasUnreadOutput(source, stream) ? idle + 1 : 0;
  }
  source.off("data", count);
}

/** True while a slow reader still has output to read. */
function hasUnreadOutput(source: Readable, stream: PassThrough): boolean {
  return stream.readableFlowing !== null && source.readableLength + stream.readableLength + stream.writableLength > 0;
}

/**
 * Keeps a list of running programs, and kills those still listed when its input closes. Repeats, because processes being
 * killed may still start others.
 */
const WATCHDOG_SCRIPT = `
trap '' INT TERM HUP QUIT
list=
while read -r what marker; do
  group=\${what#?} rest=
  for item in $list; do
    [ "\${item%%=*}" = "$group" ] || rest="$rest $item"
  done
  case $what in
    +*) list="$rest $group=$marker" ;;
    *) list=$rest ;;
  esac
done
[ -n "$list" ] || exit 0
for round in 1 2 3; do
  for item in $list; do
    kill -9 "-\${item%%=*}"
    for file in $(grep -lsz "^${MARKER_VARIABLE}=\${item#*=}" /proc/[0-9]*/environ); do
      file=\${file#/proc/}
      kill -9 "\${file%/environ}"
    done
  done
  sleep 0.2
done
`;

/**
 * Stops the programs of an Assay process that was killed: a small shell that outlives it. Optional: everything else works
 * without a shell.
 */
export class Watchdog {
  /** Process group → marker of running programs. */
  readonly #watched = new Map<number, string>();
  readonly #shellPath: string;
  #shell: ChildProcess | null = null;

  constructor(shellPath = "/bin/sh") {
    this.#shellPath = shellPath;
  }

  watch(group: number, marker: string): void {
    this.#watched.set(group, marker);
    if (this.#shell === null) this.#start();
    else this.#write(`+${group} ${marker}`);
  }

  /** The pid of the shell while it runs. */
  get pid(): number | undefined {
    return this.#shell?.pid;
  }

  /** Call when no process of the program is left. */
  release(group: number): void {
    if (this.#watched.delete(group)) this.#write(`-${group}`);
  }

  /** Closes the shell's input, as the end of this process would: programs still listed are killed. */
  disconnect(): void {
    this.#shell?.stdin?.end();
  }

  #start(): void {
    // Started with its own folder and environment, so that it locks no folder and is not taken for part of a trial.
    const options = { cwd: "/", env: { PATH: process.env.PATH ?? "/usr/bin:/bin" }, detached: true } as const;
    const shell = spawn(this.#shellPath, ["-c", WATCHDOG_SCRIPT], { ...options, stdio: ["pipe", "ignore", "ignore"] });
    this.#shell = shell;
    const forget = () => {
      if (this.#shell === shell) this.#shell = null;
    };
    shell.on("error", forget).on("exit", forget).unref();
    const input = shell.stdin as Socket | undefined;
    input?.on("error", forget).unref();
    for (const [group, marker] of this.#watched) this.#write(`+${group} ${marker}`);
  }

  #write(line: string): void {
    this.#shell?.stdin?.write(`${line}\n`);
  }
}

/**
 * One per process, started with the first program.
 * @public a test starts a process that imports it by path
 */
export const watchdog = new Watchdog();
