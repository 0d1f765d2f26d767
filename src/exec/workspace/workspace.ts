import { mkdir, mkdtemp, realpath, rename, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { Environment, EnvironmentFile, WorkspaceChanges } from "../../core/environment.js";
import { messageOf } from "../../core/errors.js";
import { type CommandResult, runCommand } from "../process/index.js";
import { Baseline } from "./baseline.js";
import { changesSince } from "./changes.js";
import { decodeContent } from "./diff.js";
import { copyFolder, OwnFolder, REPLACED, removeFolder } from "./folder.js";
import { FolderWriter } from "./folder-writer.js";
import { CHECKOUT_SETTINGS, checkOut, gitCheckoutEnv, writeGitIdentity } from "./git.js";
import { scrubbedEnv } from "./scrubbed-env.js";
import { WorkspaceError } from "./workspace-error.js";

const STEP_TIMEOUT_MS = 600_000;

export interface WorkspaceOptions {
  /** With the content of its files (see `EnvironmentReader`). Default: an empty folder. */
  readonly environment?: Environment | undefined;
  /** Where the temporary folder is created. Default: the system's folder for temporary files. */
  readonly root?: string | undefined;
  /** An existing HOME to use instead of an empty one; it is not deleted. */
  readonly home?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Timeout of each step of the set-up. Default: 10 minutes. */
  readonly timeoutMs?: number | undefined;
}

export interface WorkspacePaths {
  /** Contains everything else. */
  readonly root: string;
  /** The agent's folder. */
  readonly path: string;
  readonly home: string;
  readonly tmp: string;
}

/**
 * A temporary folder set up as an example describes, with its own home and temporary folder.
 * @example
 * const workspace = await Workspace.create({ environment: { commands: ["npm init -y"] } });
 * const { changes } = await workspace.collectChanges();
 * await workspace.remove();
 */
export class Workspace implements WorkspacePaths {
  readonly root: string;
  readonly path: string;
  readonly home: string;
  readonly tmp: string;
  readonly environment: Environment;
  readonly #own: OwnFolder;
  readonly #baseline: Baseline;
  #isThere = true;

  private constructor(paths: WorkspacePaths, { environment, own, baseline }: Made) {
    this.root = paths.root;
    this.path = paths.path;
    this.home = paths.home;
    this.tmp = paths.tmp;
    this.environment = environment;
    this.#own = own;
    this.#baseline = baseline;
  }

  /** Creates the folders, checks out, writes the files and runs the commands. Deletes everything on failure. */
  static async create(options: WorkspaceOptions = {}): Promise<Workspace> {
    const { environment = {}, timeoutMs = STEP_TIMEOUT_MS, signal = new AbortController().signal } = options;
    signal.throwIfAborted();
    const root = await realpath(await mkdtemp(join(options.root ?? tmpdir(), "assay-workspace-")));
    try {
      const paths = await makeFolders(root, options.home);
      const own = new OwnFolder(root, paths.path);
      const env = environmentFor(paths, environment);
      await setUp({ ...paths, environment, env, timeoutMs, signal, isOwnHome: options.home !== undefined });
      signal.throwIfAborted();
      if (!own.isThere) throw new WorkspaceError("The set-up failed: a command replaced the folder.");
      const baseline = await Baseline.take(paths.path, join(root, "baseline"));
      return new Workspace(paths, { environment, own, baseline });
    } catch (error) {
      await removeFolder(root).catch(() => undefined);
      throw error;
    }
  }

  /** False once it was removed or kept, or when the agent replaced it. */
  get isThere(): boolean {
    return this.#isThere && this.#own.isThere;
  }

  /** Environment for a program in the workspace; `extra` overrides the example's variables. */
  env(extra: Readonly<Record<string, string>> = {}): Record<string, string> {
    return environmentFor(this, this.environment, extra);
  }

  /** Collects the changes since the set-up, with contents from a fresh copy if given. */
  async changes(copy?: string): Promise<WorkspaceChanges> {
    if (!this.#own.isThere) return { changes: [], incomplete: REPLACED };
    const changes = await changesSince(this.#baseline, this.path, copy);
    return this.#own.isThere ? changes : { changes: [], incomplete: REPLACED };
  }

  /** The text of a file at the end of the set-up; null when there was none or it was not kept. */
  before(path: string): string | null {
    return this.#isThere ? this.#baseline.before(path) : null;
  }

  /** Moves the agent's folder into `dir`, deletes the rest, and returns the new path. */
  async keep(dir: string, name: string): Promise<string> {
    if (!this.#own.isThere) throw new WorkspaceError(`The folder cannot be kept: ${REPLACED}.`);
    const kept = await keepFolder({ from: this.path, dir: resolve(dir), name });
    await this.remove();
    return kept;
  }

  async remove(): Promise<void> {
    this.#isThere = false;
    this.#baseline.close();
    await this.#own.remove();
  }
}

interface Made {
  readonly environment: Environment;
  readonly own: OwnFolder;
  readonly baseline: Baseline;
}

async function makeFolders(root: string, home: string | undefined): Promise<WorkspacePaths> {
  const [path, ownHome, tmp] = [join(root, "work"), join(root, "home"), join(root, "tmp")];
  await Promise.all([path, ownHome, tmp].map((folder) => mkdir(folder)));
  return { root, path, home: home === undefined ? ownHome : resolve(home), tmp };
}

function environmentFor(
  { root, home, tmp }: WorkspacePaths,
  { env = {} }: Environment,
  extra: Readonly<Record<string, string>> = {},
): Record<string, string> {
  // Otherwise git would find a repository that the temporary folder happens to be in.
  return scrubbedEnv({ home, tmp, env: { GIT_CEILING_DIRECTORIES: root, ...env }, extra });
}

interface SetUpOptions extends WorkspacePaths {
  readonly environment: Environment;
  readonly env: Readonly<Record<string, string>>;
  /** True when the home existed before. */
  readonly isOwnHome: boolean;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Runs the set-up: the checkout, then the files, then the commands. */
async function setUp(options: SetUpOptions): Promise<void> {
  const { environment, signal } = options;
  if (!options.isOwnHome) await writeGitIdentity(options.home);
  if (environment.git !== undefined) await checkOutInto(options, environment.git);
  signal.throwIfAborted();
  await writeFiles(options.path, environment.files ?? []);
  for (const command of environment.commands ?? []) await runSetUpCommand(options, command);
}

async function checkOutInto(options: SetUpOptions, { url, ref }: NonNullable<Environment["git"]>): Promise<void> {
  const { root, home, tmp, path, timeoutMs, signal } = options;
  const extra = await gitCheckoutEnv(join(root, "gitconfig"), home);
  const env = scrubbedEnv({ home, tmp, extra: { ...extra, GIT_CEILING_DIRECTORIES: root } });
  const what = `The set-up failed: the checkout of ${url}, in which \`git`;
  const git = (args: readonly string[]) => {
    const step = { command: "git", args: [...CHECKOUT_SETTINGS, ...args], cwd: path, env, timeoutMs, signal };
    return runStep({ what: `${what} ${args[0]}\``, ...step });
  };
  await checkOut({ url, ...(ref !== undefined && { ref }), into: path, scratch: tmp, git });
}

async function writeFiles(path: string, files: readonly EnvironmentFile[]): Promise<void> {
  const writer = new FolderWriter(path);
  for (const file of files) {
    if ("src" in file)
      throw new WorkspaceError(`"${file.src}" has not been read yet: pass the environment to loadEnvironment first.`);
    try {
      await writer.write({ path: file.dest, bytes: decodeContent(file), executable: file.executable });
    } catch (cause) {
      throw new WorkspaceError(`The set-up failed to write a file: ${messageOf(cause)}`, { cause });
    }
  }
}

async function runSetUpCommand({ path, env, timeoutMs, signal }: SetUpOptions, command: string): Promise<void> {
  const what = `The set-up failed: the command \`${command}\``;
  await runStep({ what, command, cwd: path, env, timeoutMs, signal });
}

const TAIL_CHARS = 2000;

/** One step of the set-up. */
interface Step {
  /** Its name in messages. */
  readonly what: string;
  readonly command: string;
  /** Without args, the command is a shell command line. */
  readonly args?: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Returns its output; throws when it fails. */
async function runStep({ what, args, ...step }: Step): Promise<string> {
  const result = await runCommand({ ...step, ...(args === undefined ? { shell: true } : { args }) });
  if (result.code === 0 && !result.timedOut) return result.stdout;
  throw new WorkspaceError(withoutLogins(`${what} ${howItEnded(result, step.timeoutMs)}${tailOf(result)}`));
}

function howItEnded({ code, signal, timedOut }: CommandResult, timeoutMs: number): string {
  if (timedOut) return `did not end within ${timeoutMs / 1000} s.`;
  return code === null ? `was stopped by ${signal}.` : `failed with exit code ${code}.`;
}

function tailOf({ stdout, stderr }: CommandResult): string {
  const text = (stderr.trim() || stdout.trim()).slice(-TAIL_CHARS);
  return text === "" ? " It printed nothing." : ` Its last output:\n${text}`;
}

/** A URL may contain a password. */
function withoutLogins(message: string): string {
  return message.replaceAll(/:\/\/[^/@\s]+@/g, "://***@");
}

/** Total length of files, which may be far more than they take on disk: a copy would not be sparse. */
const MAX_COPIED_BYTES = 4 * 2 ** 30;

interface KeepOptions {
  readonly from: string;
  readonly dir: string;
  /** The preferred folder name; a number is added if it is taken. */
  readonly name: string;
}

/** Moves a folder and returns its new path. To another disk it is copied, unless it is too large. */
async function keepFolder({ from, dir, name }: KeepOptions): Promise<string> {
  await mkdir(dir, { recursive: true });
  const kept = await newFolder(join(dir, folderName(name)));
  try {
    await rename(from, kept);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EXDEV") throw error;
    await moveToOtherDisk(from, kept);
  }
  return kept;
}

async function moveToOtherDisk(from: string, kept: string): Promise<void> {
  await rmdir(kept);
  try {
    await copyFolder({ from, to: kept, maxBytes: MAX_COPIED_BYTES });
  } catch (cause) {
    await removeFolder(kept);
    const what = `The folder cannot be kept in ${dirname(kept)}, which is on another disk: ${messageOf(cause)}`;
    throw new WorkspaceError(`${what} Use a folder on the same disk as ${from}.`, { cause });
  }
  await removeFolder(from);
}

/** Created empty, so that a folder another process creates at the same time is not overwritten. */
async function newFolder(wanted: string): Promise<string> {
  for (let number = 1; ; number++) {
    const path = number === 1 ? wanted : `${wanted}-${number}`;
    if (await isMade(path)) return path;
  }
}

async function isMade(path: string): Promise<boolean> {
  try {
    await mkdir(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return false;
  }
}

function folderName(name: string): string {
  const safe = name.replaceAll(/[^\w.-]+/g, "-").slice(0, 100);
  return /^\.*$/.test(safe) ? "workspace" : safe;
}
