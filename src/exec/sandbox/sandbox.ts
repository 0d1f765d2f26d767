import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { basename, join } from "node:path";
import { SandboxError, UsageError } from "../../core/index.js";
import { ConcurrencyLimit } from "../../utils/index.js";
import { WORK_FOLDER } from "./bwrap-args.js";
import type { Interpreter, Language } from "./interpreters.js";
import { buildFileArgs } from "./interpreters.js";
import { describeIsolation, type Isolation } from "./isolation.js";
import { resolveSandboxLimits, type SandboxLimits } from "./limits.js";
import {
  buildLocalCommand,
  buildSandboxCommand,
  findStrayDescriptors,
  SandboxedProcess,
  type SandboxedProcessEnd,
  type SandboxLaunch,
} from "./sandboxed-process.js";
import { getUidPool } from "./uid-pool.js";

/** Options of `openSandbox`. */
export interface SandboxOptions {
  /** Runs programs as plain child processes when there is no isolation. They have all of your permissions. */
  unsafeLocalExec?: boolean;
  limits?: Partial<SandboxLimits>;
  /** Maximum number of concurrent programs. Default: the number of cores, at most 32. */
  concurrency?: number;
  /** An earlier result of `describeIsolation`. */
  isolation?: Isolation;
}

/** An untrusted program. */
export interface Program {
  language: Language;
  /** Contents by file name. */
  files: Readonly<Record<string, string>>;
  /** The file to run. */
  main: string;
  stdin?: string;
}

/** The result of a program. */
export interface ProgramResult {
  exitCode: number | null;
  signal: string | null;
  stdout: string;
  stderr: string;
  timedOut: boolean;
  /** True when it was stopped because it printed too much. */
  outputTruncated: boolean;
  /** True when it was stopped because its processes used too much memory. */
  memoryExceeded: boolean;
}

/** Options of `Sandbox.run`. */
export interface RunOptions {
  signal?: AbortSignal;
  limits?: Partial<SandboxLimits>;
}

export interface SandboxProcessOptions extends Omit<SandboxLaunch, "interpreter" | "limits" | "strays"> {
  language: Language;
  limits?: Partial<SandboxLimits>;
}

/** A JavaScript trial uses two sandboxes, and root has 64 user ids for them. */
const MAX_DEFAULT_CONCURRENCY = 32;

/** Error prefixes of the programs that create a sandbox. */
const SANDBOX_FAILURE = /^(?:bwrap|setpriv|prlimit): /;

/**
 * Runs untrusted programs, each in its own sandbox that is discarded afterwards.
 * @example
 * const sandbox = await openSandbox();
 * const { stdout } = await sandbox.run({ language: "python", files: { "main.py": "print(6 * 7)" }, main: "main.py" });
 */
export class Sandbox {
  readonly isolation: Isolation;
  readonly #limits: SandboxLimits;
  readonly #limit: ConcurrencyLimit;
  readonly #uids = getUidPool();
  readonly #strays = findStrayDescriptors();
  readonly #open = new Set<SandboxedProcess>();

  constructor(isolation: Isolation, { limits, concurrency = getDefaultSandboxConcurrency() }: SandboxOptions = {}) {
    this.isolation = isolation;
    this.#limits = resolveSandboxLimits(limits);
    this.#limit = new ConcurrencyLimit(concurrency);
  }

  /** True when programs run without isolation. */
  get isUnsafe(): boolean {
    return this.isolation.kind === null;
  }

  /** Runs one program to its end. Rejects only when the sandbox fails, never because of the program. */
  async run(program: Program, options: RunOptions = {}): Promise<ProgramResult> {
    const { language, files, main, stdin = "" } = program;
    checkProgramFiles(files, options.limits?.diskBytes ?? this.#limits.diskBytes);
    if (files[main] === undefined) throw new UsageError(`The program has no file "${main}" to run.`);
    const args = buildFileArgs(language, this.isUnsafe ? main : `${WORK_FOLDER}/${main}`);
    const launch = {
      language,
      args,
      files,
      stdin,
      hasLines: false,
      ...(options.limits === undefined ? {} : { limits: options.limits }),
    };
    const ended = await this.use(launch, (box) => box.ended, options.signal);
    if (mayBeSandboxFailure(ended) && (await this.#failsWhenIdle(launch))) throw createSandboxFailure(ended);
    return toProgramResult(ended);
  }

  /** Starts a process when a slot is free, passes it to `work`, and stops it afterwards. */
  use<T>(launch: SandboxProcessOptions, work: (box: SandboxedProcess) => Promise<T>, signal?: AbortSignal): Promise<T> {
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

  /** Runs `work` when a slot is free. */
  inTurn<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#limit.run(work, signal);
  }

  /** Starts a process without waiting for a slot. The caller must stop it. */
  async start({ language, limits, ...launch }: SandboxProcessOptions): Promise<SandboxedProcess> {
    return this.#launch({
      ...launch,
      interpreter: this.interpreter(language),
      limits: { ...this.#limits, ...resolveGivenLimits(limits) },
      strays: this.#strays,
    });
  }

  async #launch(ready: SandboxLaunch): Promise<SandboxedProcess> {
    const box = this.isolation.kind === null ? await this.#startLocal(ready) : this.#startIsolated(ready);
    this.#open.add(box);
    const forget = () => this.#open.delete(box);
    box.ended.then(forget, forget);
    return box;
  }

  /** Stops everything still running. */
  async close(): Promise<void> {
    const boxes = [...this.#open];
    for (const box of boxes) box.stop("aborted");
    await Promise.allSettled(boxes.map((box) => box.ended));
  }

  interpreter(language: Language): Interpreter {
    const found = this.isolation.interpreters[language];
    if (found === null)
      throw new SandboxError(
        `${language} is not available. Install it: apt-get install python3. If all programs are JavaScript, use code_execution:javascript.`,
      );
    return found;
  }

  /** A program can print the same messages as the sandbox, so an idle program shows whether the sandbox itself fails. */
  async #failsWhenIdle({ language, limits, ...launch }: SandboxProcessOptions): Promise<boolean> {
    const idle = { ...this.interpreter(language), path: "/usr/bin/true" };
    const all = { ...this.#limits, ...resolveGivenLimits(limits) };
    const box = await this.#launch({ ...launch, args: [], interpreter: idle, limits: all, strays: this.#strays });
    return (await box.ended).exitCode !== 0;
  }

  #startIsolated(launch: SandboxLaunch): SandboxedProcess {
    const uid = this.#uids?.take() ?? null;
    if (this.#uids !== null && uid === null)
      throw new SandboxError("Too many concurrent sandboxes: lower the concurrency.");
    const box = new SandboxedProcess(buildSandboxCommand(launch, this.isolation.kind ?? "user_namespace", uid));
    const giveBack = () => uid !== null && this.#uids?.release(uid);
    box.ended.then(giveBack, giveBack);
    return box;
  }

  async #startLocal(launch: SandboxLaunch): Promise<SandboxedProcess> {
    const folder = await mkdtemp(join(tmpdir(), "assay-program-"));
    for (const [name, text] of Object.entries(launch.files ?? {})) await writeFile(join(folder, name), text);
    const box = new SandboxedProcess(buildLocalCommand(launch, folder));
    const remove = () => void rm(folder, { recursive: true, force: true });
    box.ended.then(remove, remove);
    return box;
  }
}

/**
 * Opens a sandbox with this machine's isolation. Throws without isolation, unless `unsafeLocalExec` is set.
 * @example
 * const sandbox = await openSandbox({ limits: { wallMs: 3000 } });
 */
export async function openSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const isolation = options.isolation ?? (await describeIsolation());
  if (isolation.kind === null && options.unsafeLocalExec !== true) {
    throw new SandboxError(
      `No isolation is available to run untrusted programs (${isolation.detail}). ${isolation.advice.join(" ")} ` +
        "Or pass --unsafe-local-exec (unsafeLocalExec: true) to run them without isolation, with all of your permissions.",
    );
  }
  killOrphans();
  return new Sandbox(isolation, options);
}

function getDefaultSandboxConcurrency(): number {
  return Math.min(availableParallelism(), MAX_DEFAULT_CONCURRENCY);
}

function resolveGivenLimits(limits: Partial<SandboxLimits> | undefined): Partial<SandboxLimits> {
  return limits === undefined ? {} : pickGivenLimits(resolveSandboxLimits(limits), limits);
}

function pickGivenLimits(checked: SandboxLimits, given: Partial<SandboxLimits>): Partial<SandboxLimits> {
  return Object.fromEntries(Object.entries(checked).filter(([name]) => name in given));
}

function mayBeSandboxFailure({ exitCode, stopped, stdout, stderr }: SandboxedProcessEnd): boolean {
  return exitCode !== 0 && stopped === null && stdout === "" && SANDBOX_FAILURE.test(stderr);
}

function createSandboxFailure({ stderr }: SandboxedProcessEnd): SandboxError {
  return new SandboxError(`The sandbox failed: ${stderr.trim().split("\n")[0]}. Run "assay doctor".`);
}

function toProgramResult({ exitCode, signal, stdout, stderr, stopped }: SandboxedProcessEnd): ProgramResult {
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

const MAX_NAME_BYTES = 255;
/** Each file uses a descriptor until the sandbox is created. */
const MAX_FILES = 500;
const PAGE_BYTES = 4096;

function checkProgramFiles(files: Readonly<Record<string, string>>, diskBytes: number): void {
  const names = Object.keys(files);
  for (const name of names) checkProgramFileName(name);
  if (names.length > MAX_FILES) {
    throw new UsageError(`The program has ${names.length} files; give at most ${MAX_FILES}.`);
  }
  const bytes = Object.values(files).reduce((sum, text) => sum + roundUpToPages(Buffer.byteLength(text)), 0);
  if (bytes > diskBytes) {
    throw new UsageError(
      `The files of the program take ${bytes} bytes, but the limit diskBytes is ${diskBytes}. Raise it.`,
    );
  }
}

/** The sandbox folder stores whole pages. */
function roundUpToPages(bytes: number): number {
  return Math.ceil(bytes / PAGE_BYTES) * PAGE_BYTES;
}

function checkProgramFileName(name: string): void {
  if (name === "" || basename(name) !== name || name.startsWith(".")) {
    throw new UsageError(`"${name}" is not a valid file name for a program: use a name without folders.`);
  }
  if (name.includes("\0") || Buffer.byteLength(name) > MAX_NAME_BYTES) {
    const shown = JSON.stringify(name.slice(0, 40));
    throw new UsageError(`${shown} is not a valid file name: use one without NUL, of at most ${MAX_NAME_BYTES} bytes.`);
  }
}

/**
 * Kills sandboxes that were being created when their Assay process was killed: `bwrap` ends with its parent from early on,
 * but its first process ends with `bwrap` only later. Never touches a sandbox whose `bwrap` is running.
 */
export function killOrphans(): number {
  const orphans = listSandboxedProcesses().filter(isOrphan);
  return orphans.filter(killProcess).length;
}

/** The first processes of sandboxes, recognized by their command line and their pid in the sandbox. */
function listSandboxedProcesses(): number[] {
  return listNames("/proc")
    .filter(
      (name) =>
        /^\d+$/.test(name) && isSandboxProcess(name) && /^NSpid:.*\t1$/m.test(readTextOrEmpty(`/proc/${name}/status`)),
    )
    .map(Number);
}

/** While `bwrap` runs, it is the parent. */
function isOrphan(pid: number): boolean {
  const parent = /^PPid:\t(\d+)$/m.exec(readTextOrEmpty(`/proc/${pid}/status`))?.[1];
  return parent !== undefined && !isSandboxProcess(parent);
}

function isSandboxProcess(pid: string): boolean {
  const command = readTextOrEmpty(`/proc/${pid}/cmdline`);
  return command.startsWith("/usr/bin/bwrap\0") && command.includes("\0--hostname\0box\0--die-with-parent\0");
}

function killProcess(pid: number): boolean {
  try {
    return process.kill(pid, "SIGKILL");
  } catch {
    // Another user's process.
    return false;
  }
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function readTextOrEmpty(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
