import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import type { Readable } from "node:stream";
import { endAll, NOTHING_RAN, type StopReport, tell } from "./ending.js";
import { type Kin, kinOf } from "./kin.js";
import { notStarted } from "./not-started.js";
import { outputStream } from "./output-streams.js";
import { MARK_NAME, newMark } from "./traces.js";
import { watchdog } from "./watchdog.js";

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
