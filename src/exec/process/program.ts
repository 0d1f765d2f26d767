import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import type { Socket } from "node:net";
import { PassThrough, type Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { setTimeout as wait } from "node:timers/promises";
import { endAll, NOTHING_RAN, type StopReport, tell } from "./ending.js";
import { type Kin, kinOf } from "./kin.js";
import { notStarted } from "./not-started.js";
import { MARK_NAME, newMark } from "./traces.js";

export type { StopReport } from "./ending.js";

const GRACE_MS = 2000;

const NOTE_EVERY_MS = 1000;

/** How a program ended. */
export interface ProgramEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** What is started, and how. */
export interface StartOptions {
  readonly command: string;
  readonly args?: readonly string[];
  /** Ours unless told. */
  readonly cwd?: string;
  /** All of its environment, but for the mark that is added. */
  readonly env: NodeJS.ProcessEnv;
  /**
   * Folders that this program has to itself while it runs: whatever was started since and works in one of them, or lies
   * in one, is taken for a part of it. Folders that hold our own working folder, the home or the folder for temporary
   * files are ignored.
   */
  readonly folders?: readonly string[];
}

export interface ProgramOptions extends StartOptions {
  /** What it reads; without it, nothing. */
  readonly input?: string;
}

/** A program that was started, and every process that comes from it. */
export class RunningProgram {
  /** Of the program itself; others that it started may still be running. */
  readonly ended: Promise<ProgramEnd>;
  readonly #kin: Kin;
  #ending: Promise<StopReport> | null = null;
  #isOver = false;

  constructor(child: ChildProcess, kin: Kin) {
    this.#kin = kin;
    const noting = setInterval(() => kin.note(), NOTE_EVERY_MS).unref();
    this.ended = new Promise((resolve) => {
      child.on("exit", (code, signal) => {
        clearInterval(noting);
        resolve({ code, signal });
      });
    });
  }

  /** Also the number of its group. */
  get pid(): number {
    return this.#kin.root;
  }

  /** Tells all of its group. */
  signal(signal: NodeJS.Signals): void {
    if (!this.#isOver) tell(-this.#kin.root, signal);
  }

  /**
   * Asks all of its processes to end, kills those that do not within the grace, and says which are left even so. While
   * this is under way, asking again changes nothing.
   */
  async stop(graceMs = GRACE_MS): Promise<StopReport> {
    // The number may be another's by now.
    if (this.#isOver) return NOTHING_RAN;
    this.#ending ??= this.#end(graceMs).finally(() => {
      this.#ending = null;
    });
    return this.#ending;
  }

  /** Waits for the program to end, then ends what it has left running in the background. */
  async sweep(graceMs = GRACE_MS): Promise<StopReport> {
    await this.ended;
    return this.stop(graceMs);
  }

  async #end(graceMs: number): Promise<StopReport> {
    const report = await endAll(this.#kin, graceMs);
    if (report.left.length > 0) return report;
    await this.ended;
    this.#isOver = true;
    watchdog.release(this.#kin.root);
    return report;
  }
}

/** A program whose output is read. */
export class Program extends RunningProgram {
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** When all it printed was read. Comes at the latest a second after it ended and was last heard of. */
  readonly closed: Promise<void>;

  constructor(child: ChildProcess & { stdout: Readable; stderr: Readable }, kin: Kin) {
    super(child, kin);
    const [stdout, stderr] = [outputStream(child.stdout, this.ended), outputStream(child.stderr, this.ended)];
    this.stdout = stdout.stream;
    this.stderr = stderr.stream;
    this.closed = Promise.all([stdout.closed, stderr.closed]).then(() => undefined);
  }
}

/**
 * Starts a program in a group of its own, with nothing to read unless it is given. Stop it or, once it has ended, sweep
 * up after it: only then is it certain that nothing of it runs. Should this process be killed, a watchdog ends it.
 * @example
 * const program = await startProgram({ command: "make", args: ["test"], cwd: folder, env: { PATH }, folders: [folder] });
 * program.stdout.pipe(process.stderr);
 * const { code } = await program.ended;
 * const { running, left } = await program.sweep();
 */
export async function startProgram({ input, ...options }: ProgramOptions): Promise<Program> {
  const { child, kin, mark } = await start(options, [input === undefined ? "ignore" : "pipe", "pipe", "pipe"]);
  watchdog.watch(kin.root, mark);
  // It may end without having read all of it.
  child.stdin?.on("error", () => undefined).end(input);
  return new Program(child as ChildProcess & { stdout: Readable; stderr: Readable }, kin);
}

/** Starts a program that has our own terminal, and prints to our stdout or, when that holds something else, to our stderr. */
export async function startAttached(options: StartOptions, output: "stdout" | "stderr"): Promise<RunningProgram> {
  const { child, kin } = await start(options, ["inherit", output === "stdout" ? "inherit" : 2, "inherit"]);
  return new RunningProgram(child, kin);
}

interface Started {
  readonly child: ChildProcess;
  readonly kin: Kin;
  readonly mark: string;
}

function start({ command, args = [], cwd, env, folders = [] }: StartOptions, stdio: StdioOptions): Promise<Started> {
  const mark = newMark(process.env[MARK_NAME], randomUUID());
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) => reject(notStarted({ command, cwd }, error));
    try {
      const child = spawn(command, args, { cwd, env: { ...env, [MARK_NAME]: mark }, detached: true, stdio });
      child.on("error", fail);
      const root = child.pid;
      // At once: a program that ends quickly can be looked at only until then.
      if (root !== undefined) resolve({ child, kin: kinOf({ root, mark, folders }), mark });
    } catch (error) {
      fail(error);
    }
  });
}

const LOOK_EVERY_MS = 100;

/** About a second. Counted in looks and not by the clock, so that a process that was busy meanwhile still reads it all. */
const IDLE_LOOKS = 10;

/** What a program prints, up to its end. */
interface OutputStream {
  readonly stream: Readable;
  /** When all of it was handed on; when nobody reads it, when all was printed. */
  readonly closed: Promise<void>;
}

/**
 * Hands on what a program prints and ends well in any case: something that the program started may hold its output open
 * for ever, so that some time after the program's end without a word nothing more is waited for.
 */
function outputStream(source: Readable, ended: Promise<unknown>): OutputStream {
  const stream = new PassThrough();
  source.on("error", () => undefined);
  source.pipe(stream, { end: false });
  // A reader that turns away must not leave the program waiting for somebody to read.
  stream.on("close", () => source.unpipe(stream).resume());
  return { stream, closed: close(source, stream, ended) };
}

async function close(source: Readable, stream: PassThrough, ended: Promise<unknown>): Promise<void> {
  const over = finished(source).catch(() => undefined);
  await Promise.race([over, ended.then(() => isSilent(source, stream))]);
  source.destroy();
  stream.end();
  if (stream.readableFlowing !== null) await finished(stream).catch(() => undefined);
}

async function isSilent(source: Readable, stream: PassThrough): Promise<void> {
  let received = 0;
  const count = () => {
    received += 1;
  };
  source.on("data", count);
  for (let idle = 0, seen = 0; idle < IDLE_LOOKS && !source.closed; seen = received) {
    await wait(LOOK_EVERY_MS);
    idle = received === seen && !isBeingRead(source, stream) ? idle + 1 : 0;
  }
  source.off("data", count);
}

/** True while a reader that takes its time has some of it still to come. */
function isBeingRead(source: Readable, stream: PassThrough): boolean {
  return stream.readableFlowing !== null && source.readableLength + stream.readableLength + stream.writableLength > 0;
}

/**
 * Keeps the list of what runs, and when nobody is left to write to it ends what is still on it. Several times over, as
 * what is being killed may still be starting others.
 */
const SCRIPT = `
trap '' INT TERM HUP QUIT
list=
while read -r what mark; do
  group=\${what#?} rest=
  for item in $list; do
    [ "\${item%%=*}" = "$group" ] || rest="$rest $item"
  done
  case $what in
    +*) list="$rest $group=$mark" ;;
    *) list=$rest ;;
  esac
done
[ -n "$list" ] || exit 0
for round in 1 2 3; do
  for item in $list; do
    kill -9 "-\${item%%=*}"
    for file in $(grep -lsz "^${MARK_NAME}=\${item#*=}" /proc/[0-9]*/environ); do
      file=\${file#/proc/}
      kill -9 "\${file%/environ}"
    done
  done
  sleep 0.2
done
`;

/**
 * Ends the programs of an Assay process that was killed and could not do so itself: a small shell that outlives it. All
 * else works without it, so that it does not matter when there is no shell.
 */
export class Watchdog {
  /** Group → mark of the programs that run. */
  readonly #watched = new Map<number, string>();
  readonly #shellPath: string;
  #shell: ChildProcess | null = null;

  constructor(shellPath = "/bin/sh") {
    this.#shellPath = shellPath;
  }

  /** Puts a program on the list. */
  watch(group: number, mark: string): void {
    this.#watched.set(group, mark);
    if (this.#shell === null) this.#start();
    else this.#write(`+${group} ${mark}`);
  }

  /** The shell's number while there is one. */
  get pid(): number | undefined {
    return this.#shell?.pid;
  }

  /** Takes a program off the list: nothing of it is left. */
  release(group: number): void {
    if (this.#watched.delete(group)) this.#write(`-${group}`);
  }

  /** Lets go of the shell as the end of this process would: what is on the list is ended. */
  hangUp(): void {
    this.#shell?.stdin?.end();
  }

  #start(): void {
    // Its folder and its environment are nobody's, so that it holds no folder and passes for no part of a trial.
    const options = { cwd: "/", env: { PATH: process.env.PATH ?? "/usr/bin:/bin" }, detached: true } as const;
    const shell = spawn(this.#shellPath, ["-c", SCRIPT], { ...options, stdio: ["pipe", "ignore", "ignore"] });
    this.#shell = shell;
    const forget = () => {
      if (this.#shell === shell) this.#shell = null;
    };
    shell.on("error", forget).on("exit", forget).unref();
    const input = shell.stdin as Socket | undefined;
    input?.on("error", forget).unref();
    for (const [group, mark] of this.#watched) this.#write(`+${group} ${mark}`);
  }

  #write(line: string): void {
    this.#shell?.stdin?.write(`${line}\n`);
  }
}

/**
 * One for the whole process, as it is the end of the process that it waits for; started with the first program.
 * @public a test starts a process that imports it by path
 */
export const watchdog = new Watchdog();
