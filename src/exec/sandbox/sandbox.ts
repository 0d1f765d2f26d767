import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { basename, join } from "node:path";
import { SandboxError, UsageError } from "../../core/errors.js";
import { Limit } from "../../utils/limit.js";
import { WORK_FOLDER } from "./box.js";
import { BoxedProcess, type Ended } from "./boxed-process.js";
import { fileArgs } from "./interpreter-args.js";
import type { Interpreter, Language } from "./interpreters.js";
import { describeIsolation, type Isolation } from "./isolation.js";
import { boxCommand, type Launch, localCommand } from "./launch.js";
import { limitsOf, type SandboxLimits } from "./limits.js";
import { strayDescriptors } from "./stray-descriptors.js";
import { ownUids } from "./uid-pool.js";

/** How a sandbox is opened. */
export interface SandboxOptions {
  /** Runs programs as plain child processes when there is no isolation. They can do all that you can do. */
  unsafeLocalExec?: boolean;
  limits?: Partial<SandboxLimits>;
  /** Programs at a time; the number of cores by default, and at most 32. */
  concurrency?: number;
  /** What `describeIsolation` found, when it was asked before. */
  isolation?: Isolation;
}

/** A program that nobody has looked at. */
export interface Program {
  language: Language;
  /** Texts by file name. */
  files: Readonly<Record<string, string>>;
  /** The file that is run. */
  main: string;
  stdin?: string;
}

/** What came of a program. */
export interface ProgramResult {
  exitCode: number | null;
  signal: string | null;
  stdout: string;
  stderr: string;
  timedOut: boolean;
  /** It printed more than allowed and was stopped. */
  outputTruncated: boolean;
  /** All its processes together held more memory than allowed and were stopped. */
  memoryExceeded: boolean;
}

/** Options of one program in a sandbox. */
export interface RunOptions {
  signal?: AbortSignal;
  limits?: Partial<SandboxLimits>;
}

/** What is started in a sandbox besides whole programs. */
export interface BoxOptions extends Omit<Launch, "interpreter" | "limits" | "strays"> {
  language: Language;
  limits?: Partial<SandboxLimits>;
}

/** A JavaScript trial takes two boxes, and root has 64 user ids for boxes. */
const MAX_DEFAULT_CONCURRENCY = 32;

/** The ways in which what builds a box says that it failed. */
const OWN_FAILURE = /^(?:bwrap|setpriv|prlimit): /;

/**
 * Runs untrusted programs, each in a box of its own that is thrown away afterwards.
 * @example
 * const sandbox = await openSandbox();
 * const { stdout } = await sandbox.run({ language: "python", files: { "main.py": "print(6 * 7)" }, main: "main.py" });
 */
export class Sandbox {
  readonly isolation: Isolation;
  readonly #limits: SandboxLimits;
  readonly #limit: Limit;
  readonly #uids = ownUids();
  readonly #strays = strayDescriptors();
  readonly #open = new Set<BoxedProcess>();

  constructor(isolation: Isolation, { limits, concurrency = defaultConcurrency() }: SandboxOptions = {}) {
    this.isolation = isolation;
    this.#limits = limitsOf(limits);
    this.#limit = new Limit(concurrency);
  }

  /** True when programs run without a box. */
  get isUnsafe(): boolean {
    return this.isolation.kind === null;
  }

  /** Runs one program to its end. Rejects only when the sandbox fails, never for what the program does. */
  async run(program: Program, options: RunOptions = {}): Promise<ProgramResult> {
    const { language, files, main, stdin = "" } = program;
    checkFiles(files, options.limits?.diskBytes ?? this.#limits.diskBytes);
    if (files[main] === undefined) throw new UsageError(`The program has no file "${main}" to start with.`);
    const args = fileArgs(language, this.isUnsafe ? main : `${WORK_FOLDER}/${main}`);
    const launch = {
      language,
      args,
      files,
      stdin,
      hasLines: false,
      ...(options.limits === undefined ? {} : { limits: options.limits }),
    };
    const ended = await this.use(launch, (box) => box.ended, options.signal);
    if (mayBeOurs(ended) && (await this.#failsAnyway(launch))) throw ownFailure(ended);
    return resultOf(ended);
  }

  /** Starts a process when there is a place for it, hands it over, and ends it when the work with it is over. */
  use<T>(launch: BoxOptions, work: (box: BoxedProcess) => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.inTurn(async () => {
      const box = await this.start(launch);
      const abort = () => box.stop("aborted");
      signal?.addEventListener("abort", abort, { once: true });
      try {
        return await work(box).finally(() => signal?.throwIfAborted());
      } finally {
        signal?.removeEventListener("abort", abort);
        box.stop("done");
        await box.ended.catch(() => undefined);
      }
    }, signal);
  }

  /** Does something when there is a place for it. */
  inTurn<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#limit.run(work, signal);
  }

  /** Starts a process without waiting for a place. Whoever starts it stops it. */
  async start({ language, limits, ...launch }: BoxOptions): Promise<BoxedProcess> {
    return this.#launch({
      ...launch,
      interpreter: this.interpreter(language),
      limits: { ...this.#limits, ...limitsGiven(limits) },
      strays: this.#strays,
    });
  }

  async #launch(ready: Launch): Promise<BoxedProcess> {
    const box = this.isolation.kind === null ? await this.#startLocal(ready) : this.#startBoxed(ready);
    this.#open.add(box);
    const forget = () => this.#open.delete(box);
    box.ended.then(forget, forget);
    return box;
  }

  /** Ends everything that still runs. */
  async close(): Promise<void> {
    const boxes = [...this.#open];
    for (const box of boxes) box.stop("aborted");
    await Promise.allSettled(boxes.map((box) => box.ended));
  }

  interpreter(language: Language): Interpreter {
    const found = this.isolation.interpreters[language];
    if (found === null)
      throw new SandboxError(
        `There is no ${language} here. Install it: apt-get install python3. Where all programs are JavaScript, say so: code_execution:javascript.`,
      );
    return found;
  }

  /** A program can print what the box would: whether it was the box is told by one that has nothing to do. */
  async #failsAnyway({ language, limits, ...launch }: BoxOptions): Promise<boolean> {
    const idle = { ...this.interpreter(language), path: "/usr/bin/true" };
    const all = { ...this.#limits, ...limitsGiven(limits) };
    const box = await this.#launch({ ...launch, args: [], interpreter: idle, limits: all, strays: this.#strays });
    return (await box.ended).exitCode !== 0;
  }

  #startBoxed(launch: Launch): BoxedProcess {
    const uid = this.#uids?.take() ?? null;
    if (this.#uids !== null && uid === null) throw new SandboxError("Too many boxes at a time: lower the concurrency.");
    const box = new BoxedProcess(boxCommand(launch, this.isolation.kind ?? "user_namespace", uid));
    const giveBack = () => uid !== null && this.#uids?.give(uid);
    box.ended.then(giveBack, giveBack);
    return box;
  }

  async #startLocal(launch: Launch): Promise<BoxedProcess> {
    const folder = await mkdtemp(join(tmpdir(), "assay-program-"));
    for (const [name, text] of Object.entries(launch.files ?? {})) await writeFile(join(folder, name), text);
    const box = new BoxedProcess(localCommand(launch, folder));
    const remove = () => void rm(folder, { recursive: true, force: true });
    box.ended.then(remove, remove);
    return box;
  }
}

/**
 * Finds the isolation of this machine and opens a sandbox on it. Without isolation it refuses, unless told otherwise.
 * @example
 * const sandbox = await openSandbox({ limits: { wallMs: 3000 } });
 */
export async function openSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const isolation = options.isolation ?? (await describeIsolation());
  if (isolation.kind === null && options.unsafeLocalExec !== true) {
    throw new SandboxError(
      `There is no isolation to run untrusted programs in (${isolation.detail}). ${isolation.advice.join(" ")} ` +
        "Or pass --unsafe-local-exec (unsafeLocalExec: true) to run them without: they can then do all that you can do.",
    );
  }
  endOrphans();
  return new Sandbox(isolation, options);
}

function defaultConcurrency(): number {
  return Math.min(availableParallelism(), MAX_DEFAULT_CONCURRENCY);
}

function limitsGiven(limits: Partial<SandboxLimits> | undefined): Partial<SandboxLimits> {
  return limits === undefined ? {} : pick(limitsOf(limits), limits);
}

function pick(checked: SandboxLimits, given: Partial<SandboxLimits>): Partial<SandboxLimits> {
  return Object.fromEntries(Object.entries(checked).filter(([name]) => name in given));
}

function mayBeOurs({ exitCode, stopped, stdout, stderr }: Ended): boolean {
  return exitCode !== 0 && stopped === null && stdout === "" && OWN_FAILURE.test(stderr);
}

function ownFailure({ stderr }: Ended): SandboxError {
  return new SandboxError(`The sandbox failed: ${stderr.trim().split("\n")[0]}. Run "assay doctor".`);
}

function resultOf({ exitCode, signal, stdout, stderr, stopped }: Ended): ProgramResult {
  return {
    exitCode,
    signal,
    stdout,
    stderr,
    timedOut: stopped === "wall_time" || signal === "SIGXCPU",
    outputTruncated: stopped === "output",
    memoryExceeded: stopped === "memory",
  };
}

const LONGEST_NAME_BYTES = 255;
/** Each file of a program takes a descriptor until its box is made. */
const MOST_FILES = 500;
const PAGE_BYTES = 4096;

/** Refuses files that a box cannot be given. */
function checkFiles(files: Readonly<Record<string, string>>, diskBytes: number): void {
  const names = Object.keys(files);
  for (const name of names) checkName(name);
  if (names.length > MOST_FILES) {
    throw new UsageError(`The program has ${names.length} files; give at most ${MOST_FILES}.`);
  }
  const bytes = Object.values(files).reduce((sum, text) => sum + inPages(Buffer.byteLength(text)), 0);
  if (bytes > diskBytes) {
    throw new UsageError(
      `The files of the program take ${bytes} bytes; the limit diskBytes is ${diskBytes}. Raise it.`,
    );
  }
}

/** The folder of a box holds whole pages. */
function inPages(bytes: number): number {
  return Math.ceil(bytes / PAGE_BYTES) * PAGE_BYTES;
}

function checkName(name: string): void {
  if (name === "" || basename(name) !== name || name.startsWith(".")) {
    throw new UsageError(`"${name}" is no file name for a program: give a name without folders.`);
  }
  if (name.includes("\0") || Buffer.byteLength(name) > LONGEST_NAME_BYTES) {
    const shown = JSON.stringify(name.slice(0, 40));
    throw new UsageError(`${shown} is no file name: give one without NUL, of at most ${LONGEST_NAME_BYTES} bytes.`);
  }
}

/**
 * Ends boxes that were being made when the Assay process that made them was killed: `bwrap` holds on to its own parent
 * from early on, but its first process in the box to `bwrap` only late. A box that somebody holds is never touched.
 */
export function endOrphans(): number {
  const orphans = boxedProcesses().filter(isOrphan);
  return orphans.filter(end).length;
}

/** The first processes of boxes, which are told by their command line and by their number in the box. */
function boxedProcesses(): number[] {
  return listOf("/proc")
    .filter((name) => /^\d+$/.test(name) && isBox(name) && /^NSpid:.*\t1$/m.test(textOf(`/proc/${name}/status`)))
    .map(Number);
}

/** While `bwrap` is there to hold a box, it is the parent. */
function isOrphan(pid: number): boolean {
  const parent = /^PPid:\t(\d+)$/m.exec(textOf(`/proc/${pid}/status`))?.[1];
  return parent !== undefined && !isBox(parent);
}

function isBox(pid: string): boolean {
  const command = textOf(`/proc/${pid}/cmdline`);
  return command.startsWith("/usr/bin/bwrap\0") && command.includes("\0--hostname\0box\0--die-with-parent\0");
}

function end(pid: number): boolean {
  try {
    return process.kill(pid, "SIGKILL");
  } catch {
    // Another user's: it is theirs to end.
    return false;
  }
}

function listOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
