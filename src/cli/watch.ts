import { type ChildProcess, spawn } from "node:child_process";
import { type FSWatcher, watch } from "node:fs";
import { relative } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { EXIT, getErrorMessage, UsageError } from "../core/index.js";
import {
  compareEvalInputs,
  type EvalChanges,
  type EvalInputs,
  listWatchedFolders,
  readEvalInputs,
} from "./eval-inputs.js";
import { findEvalModules, searchFolder } from "./find-eval-modules.js";
import { isStopCode, onStopSignal } from "./interrupt.js";
import { DEFAULT_CACHE_DIR } from "./run-config.js";
import { describesRun, type RunFlags } from "./run-flags.js";
import { canRedraw } from "./screen.js";
import { printNote } from "./streams.js";
import { listenForKeys } from "./watch-keys.js";

interface WatchRequest {
  readonly flags: RunFlags;
  /** The flags as written on the command line. */
  readonly words: readonly string[];
}

/** `assay run --watch`: runs eval files, and again those that depend on a file that changed. */
export async function executeWatch(paths: readonly string[], { flags, words }: WatchRequest): Promise<number> {
  requireWatchable(paths, flags);
  const { cacheDir, verbose } = flags;
  const kept = words.filter((word) => word !== "--watch");
  const added = [
    ...(cacheDir === undefined ? [`--cache-dir=${DEFAULT_CACHE_DIR}`] : []),
    ...(verbose ? ["--verbose"] : []),
  ];
  return new EvalWatch(paths.length > 0 ? paths : ["."], [...kept, ...added]).run();
}

function requireWatchable(paths: readonly string[], flags: RunFlags): void {
  const others: readonly [string, boolean][] = [
    ["--resume", flags.resume !== undefined],
    ["--dry-run", flags.dryRun === true],
    ["--queue", flags.queue !== undefined],
    ["--config", flags.config !== undefined],
    ["--github", flags.github !== undefined],
    [`--output ${flags.output}`, ["json", "html", "junit"].includes(flags.output ?? "")],
  ];
  const other = others.find(([, isGiven]) => isGiven)?.[0];
  if (other !== undefined) throw new UsageError(`--watch cannot be combined with ${other}. Remove one of them.`);
  if (paths.length > 0) findEvalModules(paths);
  else if (describesRun(flags))
    throw new UsageError("--watch is for eval files. Write the run as NAME.eval.ts (see docs/guides/typescript.md).");
  else if (searchFolder(".").length === 0)
    throw new UsageError("--watch is for eval files, but there is none in this folder. Name it NAME.eval.ts.");
}

/** Editors write a file in several steps. */
const SETTLE_MS = 100;

/** Runs that a file may start by changing during the run before it. */
const MAX_REPEATS = 3;

/**
 * Each run is a process of its own: modules are loaded again, and code that crashes or exits does not end the watch. Changes
 * are found by comparing the files with those of the last run, so that none is lost while evals run.
 */
class EvalWatch {
  readonly #paths: readonly string[];
  readonly #words: readonly string[];
  readonly #watchers = new Map<string, FSWatcher | null>();
  #inputs: EvalInputs = new Map();
  #child: ChildProcess | null = null;
  #exitCode: number | null = null;
  #stopRequests = 0;
  #wantsAll = false;
  #wake = () => {};
  /** The files that started the last run, and how often they did so in a row. */
  #repeated = { files: "", times: 0 };

  constructor(paths: readonly string[], words: readonly string[]) {
    this.#paths = paths;
    this.#words = words;
  }

  /** Returns the exit code once the user ends it. */
  async run(): Promise<number> {
    const release = onStopSignal(({ exitCode }) => this.#stop(exitCode));
    const closeKeys = listenForKeys({
      enter: () => this.#runAll(),
      quit: () => this.#stop(EXIT.fine),
      interrupt: () => this.#stop(EXIT.interrupted),
    });
    try {
      this.#inputs = this.#readInputs();
      for (let evals: readonly string[] | null = [...this.#inputs.keys()]; evals !== null; ) {
        if (evals.length > 0) await this.#runEvals(evals);
        evals = await this.#waitForWork();
      }
      return this.#exitCode ?? EXIT.fine;
    } finally {
      for (const watcher of this.#watchers.values()) watcher?.close();
      closeKeys();
      release();
    }
  }

  #stop(exitCode: number): void {
    this.#exitCode ??= exitCode;
    this.#stopRequests += 1;
    // The first lets it save, the second exits at once, and the third is for code that blocks its process.
    this.#child?.kill(this.#stopRequests > 2 ? "SIGKILL" : "SIGINT");
    this.#wake();
  }

  #runAll(): void {
    this.#wantsAll = true;
    this.#wake();
  }

  async #runEvals(files: readonly string[]): Promise<void> {
    const [launcher = ""] = process.argv.slice(1);
    const args = [...process.execArgv, launcher, "run", ...this.#words, "--", ...files];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "inherit", "inherit"] });
    this.#child = child;
    const problem = await new Promise<string | null>((resolve) => {
      child.on("error", (error) => resolve(getErrorMessage(error)));
      child.on("exit", (code, signal) => {
        // An eval may end its process in the name of a signal; only a request here ends the watch.
        if (signal !== null) resolve(`it was ended by ${signal}`);
        else resolve(code !== null && isStopCode(code) ? "it was interrupted" : null);
      });
    });
    this.#child = null;
    if (problem !== null && this.#exitCode === null) printNote(`The run did not finish: ${problem}.`);
  }

  /** The evals to run next; null to end. */
  async #waitForWork(): Promise<readonly string[] | null> {
    let isAfterRun = true;
    while (this.#exitCode === null) {
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      const work = this.#findWork(isAfterRun);
      if (work !== null) return work;
      if (isAfterRun) printNote(`\nWaiting for changes. ${describeKeys()}`);
      isAfterRun = false;
      await woken;
      if (this.#exitCode === null && !this.#wantsAll) await sleep(SETTLE_MS);
    }
    return null;
  }

  #findWork(isAfterRun: boolean): readonly string[] | null {
    const before = this.#inputs;
    this.#inputs = this.#readInputs();
    if (this.#wantsAll) {
      this.#wantsAll = false;
      clearScreen();
      return [...this.#inputs.keys()];
    }
    const changes = compareEvalInputs(before, this.#inputs);
    if (changes.files.length === 0 || this.#isRepeated(changes, isAfterRun)) return null;
    const about = `Changed: ${formatNames(changes.files.map((file) => relative(process.cwd(), file)))}.`;
    if (changes.evals.length > 0) clearScreen();
    printNote(changes.evals.length === 0 ? about : `${about} Running ${formatNames(changes.evals)}`);
    return changes.evals.length === 0 ? null : changes.evals;
  }

  /** An eval that writes a file which it names would run forever. */
  #isRepeated({ files }: EvalChanges, isAfterRun: boolean): boolean {
    const names = formatNames(files.map((file) => relative(process.cwd(), file)));
    const { files: last, times } = this.#repeated;
    this.#repeated = { files: names, times: isAfterRun && names === last ? times + 1 : 0 };
    if (this.#repeated.times < MAX_REPEATS) return false;
    printNote(`${names} changes with every run, so this change does not start another one.`);
    return true;
  }

  /** Watches new folders first, and reads again if there are any, so that no change is missed. */
  #readInputs(): EvalInputs {
    const inputs = readEvalInputs(this.#paths);
    return this.#watchFolders(listWatchedFolders(this.#paths, inputs)) ? this.#readInputs() : inputs;
  }

  /** True if folders were added. */
  #watchFolders(folders: ReadonlySet<string>): boolean {
    for (const [folder, watcher] of this.#watchers) {
      if (folders.has(folder)) continue;
      watcher?.close();
      this.#watchers.delete(folder);
    }
    const added = [...folders].filter((folder) => !this.#watchers.has(folder));
    for (const folder of added) this.#watchers.set(folder, this.#watchFolder(folder));
    return added.length > 0;
  }

  #watchFolder(folder: string): FSWatcher | null {
    const fail = (error: unknown) => printNote(`Changes in ${folder} are not noticed: ${getErrorMessage(error)}`);
    try {
      return watch(folder, () => this.#wake()).on("error", fail);
    } catch (error) {
      fail(error);
      return null;
    }
  }
}

function describeKeys(): string {
  return process.stdin.isTTY ? "Press Enter to run all, q to quit." : "Press Ctrl-C to quit.";
}

function clearScreen(): void {
  if (canRedraw(process.stdout)) process.stdout.write("\x1b[2J\x1b[3J\x1b[H");
}

/** Names of a message that shows the first few. */
const MAX_NAMES = 3;

function formatNames(names: readonly string[]): string {
  const more = names.length - MAX_NAMES;
  return `${names.slice(0, MAX_NAMES).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
