import { mkdir, mkdtemp, realpath, rename, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { Environment, EnvironmentFile, FileChange, WorkspaceChanges } from "../../core/index.js";
import { getErrorMessage } from "../../core/index.js";
import type { BoxSettings } from "../box/box-settings.js";
import type { TrialBox } from "../box/trial-box.js";
import { openTrialBox } from "../container/open-trial-box.js";
import { type CommandResult, runCommand } from "../process/index.js";
import { Baseline } from "./baseline.js";
import { collectChanges } from "./changes.js";
import { decodeContent } from "./diff.js";
import { copyFolder, FOLDER_REPLACED, removeFolder, TrialFolder } from "./folder.js";
import { FolderWriter } from "./folder-writer.js";
import { CHECKOUT_SETTINGS, checkOut, createGitCheckoutEnv, writeGitIdentity } from "./git.js";
import { buildScrubbedEnv } from "./scrubbed-env.js";
import { WorkspaceError } from "./workspace-error.js";

const STEP_TIMEOUT_MS = 600_000;

export interface WorkspaceOptions {
  /** With the content of its files (see `EnvironmentReader`). Default: an empty folder. */
  readonly environment?: Environment | undefined;
  /** Where the temporary folder is created. Default: the system's folder for temporary files. */
  readonly root?: string | undefined;
  /** An existing HOME to use instead of an empty one; it is not deleted. */
  readonly home?: string | undefined;
  /** Runs the commands of the set-up, and later the agent, in a box. Default: with all rights of this process. */
  readonly box?: BoxSettings | null | undefined;
  /** What the box shows besides the folders of the trial. */
  readonly readable?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Timeout of each step of the set-up. Default: 10 minutes. */
  readonly timeoutMs?: number | undefined;
}

interface WorkspacePaths {
  /** Contains everything else. */
  readonly root: string;
  /** The agent's folder. */
  readonly path: string;
  readonly home: string;
  readonly tmp: string;
  /** For files that the agent is given outside of its folder. It can only read them in a box. */
  readonly given: string;
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
  readonly given: string;
  readonly environment: Environment;
  /** Where its programs run; null for everywhere. */
  readonly box: TrialBox | null;
  readonly #own: TrialFolder;
  readonly #baseline: Baseline;
  #isThere = true;

  private constructor(paths: WorkspacePaths, { environment, own, baseline, box }: WorkspaceParts) {
    this.root = paths.root;
    this.path = paths.path;
    this.home = paths.home;
    this.tmp = paths.tmp;
    this.given = paths.given;
    this.environment = environment;
    this.box = box;
    this.#own = own;
    this.#baseline = baseline;
  }

  /** Creates the folders, checks out, writes the files and runs the commands. Deletes everything on failure. */
  static async create(options: WorkspaceOptions = {}): Promise<Workspace> {
    const { environment = {}, timeoutMs = STEP_TIMEOUT_MS, signal = new AbortController().signal } = options;
    signal.throwIfAborted();
    const root = await realpath(await mkdtemp(join(options.root ?? tmpdir(), "assay-workspace-")));
    let box: TrialBox | null = null;
    try {
      const paths = await createWorkspaceFolders(root, options.home);
      const own = new TrialFolder(root, paths.path);
      const { path, home, tmp, given } = paths;
      // The rest of the root, such as other copies of the folder, is not shown.
      const readable = [given, ...(options.readable ?? [])];
      const places = { scratch: join(root, "box"), writable: [path, home, tmp], readable };
      box = await openTrialBox({ settings: options.box ?? null, environment, places, signal });
      const env = buildWorkspaceEnv(paths, environment);
      const isOwnHome = options.home !== undefined;
      await setUpWorkspace({ ...paths, environment, env, timeoutMs, signal, isOwnHome, box });
      if ((environment.commands ?? []).length > 0) await box?.giveBack();
      signal.throwIfAborted();
      if (!own.exists) throw new WorkspaceError("The set-up failed: a command replaced the folder.");
      const baseline = await Baseline.capture(paths.path, join(root, "baseline"));
      return new Workspace(paths, { environment, own, baseline, box });
    } catch (error) {
      await box?.close();
      await removeFolder(root).catch(() => undefined);
      throw error;
    }
  }

  /** False once it was removed or kept, or when the agent replaced it. */
  get exists(): boolean {
    return this.#isThere && this.#own.exists;
  }

  /** Environment for a program in the workspace; `extra` overrides the example's variables. */
  env(extra: Readonly<Record<string, string>> = {}): Record<string, string> {
    return buildWorkspaceEnv(this, this.environment, extra);
  }

  /** Collects the changes since the set-up, with contents from a fresh copy if given. */
  async collectChanges(copy?: string): Promise<WorkspaceChanges> {
    if (!this.#own.exists) return { changes: [], incomplete: FOLDER_REPLACED };
    const changes = await collectChanges(this.#baseline, this.path, copy);
    return this.#own.exists ? changes : { changes: [], incomplete: FOLDER_REPLACED };
  }

  /** The text of a file at the end of the set-up; null when there was none or it was not kept. */
  readBefore(path: string): string | null {
    return this.#isThere ? this.#baseline.readBefore(path) : null;
  }

  /** Moves the agent's folder into `dir`, deletes the rest, and returns the new path. */
  async keep(dir: string, name: string): Promise<string> {
    if (!this.#own.exists) throw new WorkspaceError(`The folder cannot be kept: ${FOLDER_REPLACED}.`);
    await this.box?.giveBack();
    const kept = await keepFolder({ from: this.path, dir: resolve(dir), name });
    await this.remove();
    return kept;
  }

  async remove(): Promise<void> {
    this.#isThere = false;
    this.#baseline.close();
    await this.box?.close();
    await this.#own.remove();
  }
}

interface WorkspaceParts {
  readonly environment: Environment;
  readonly own: TrialFolder;
  readonly baseline: Baseline;
  readonly box: TrialBox | null;
}

async function createWorkspaceFolders(root: string, home: string | undefined): Promise<WorkspacePaths> {
  const [path, ownHome, tmp, given] = [join(root, "work"), join(root, "home"), join(root, "tmp"), join(root, "given")];
  await Promise.all([path, ownHome, tmp, given].map((folder) => mkdir(folder)));
  return { root, path, home: home === undefined ? ownHome : resolve(home), tmp, given };
}

function buildWorkspaceEnv(
  { root, home, tmp }: WorkspacePaths,
  { env = {} }: Environment,
  extra: Readonly<Record<string, string>> = {},
): Record<string, string> {
  // Otherwise git would find a repository that the temporary folder happens to be in.
  return buildScrubbedEnv({ home, tmp, env: { GIT_CEILING_DIRECTORIES: root, ...env }, extra });
}

interface SetUpOptions extends WorkspacePaths {
  readonly environment: Environment;
  readonly env: Readonly<Record<string, string>>;
  /** True when the home existed before. */
  readonly isOwnHome: boolean;
  readonly box: TrialBox | null;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Runs the set-up: the checkout, then the files, then the commands. */
async function setUpWorkspace(options: SetUpOptions): Promise<void> {
  const { environment, signal } = options;
  if (!options.isOwnHome) await writeGitIdentity(options.home);
  if (environment.git === undefined) await options.box?.copyWorkdir?.(options.path);
  else await checkOutIntoWorkspace(options, environment.git);
  signal.throwIfAborted();
  await writeEnvironmentFiles(options.path, environment.files ?? []);
  for (const command of environment.commands ?? []) await runSetUpCommand(options, command);
}

async function checkOutIntoWorkspace(
  options: SetUpOptions,
  { url, ref }: NonNullable<Environment["git"]>,
): Promise<void> {
  const { root, home, tmp, path, timeoutMs, signal } = options;
  const extra = await createGitCheckoutEnv(join(root, "gitconfig"), home);
  const env = buildScrubbedEnv({ home, tmp, extra: { ...extra, GIT_CEILING_DIRECTORIES: root } });
  const what = `The set-up failed: the checkout of ${url}, in which \`git`;
  const git = (args: readonly string[]) => {
    const step = { command: "git", args: [...CHECKOUT_SETTINGS, ...args], cwd: path, env, timeoutMs, signal };
    return runSetUpStep({ what: `${what} ${args[0]}\``, ...step });
  };
  await checkOut({ url, ...(ref !== undefined && { ref }), into: path, scratch: tmp, git });
}

async function writeEnvironmentFiles(path: string, files: readonly EnvironmentFile[]): Promise<void> {
  const writer = new FolderWriter(path);
  for (const file of files) {
    if ("src" in file)
      throw new WorkspaceError(`"${file.src}" has not been read yet: pass the environment to loadEnvironment first.`);
    try {
      await writer.write({ path: file.dest, bytes: decodeContent(file), executable: file.executable });
    } catch (cause) {
      throw new WorkspaceError(`The set-up failed to write a file: ${getErrorMessage(cause)}`, { cause });
    }
  }
}

async function runSetUpCommand({ path, env, timeoutMs, signal, box }: SetUpOptions, command: string): Promise<void> {
  const what = `The set-up failed: the command \`${command}\``;
  await runSetUpStep({ what, command, cwd: path, env, timeoutMs, signal, box });
}

const TAIL_CHARS = 2000;

/** One step of the set-up. */
interface SetUpStep {
  /** Its name in messages. */
  readonly what: string;
  readonly command: string;
  /** Without args, the command is a shell command line. */
  readonly args?: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly box?: TrialBox | null;
}

/** Returns its output; throws when it fails. */
async function runSetUpStep({ what, args, box, ...step }: SetUpStep): Promise<string> {
  const result = await runCommand({
    ...step,
    box: box ?? undefined,
    ...(args === undefined ? { shell: true } : { args }),
  });
  if (result.code === 0 && !result.timedOut) return result.stdout;
  throw new WorkspaceError(
    removeLogins(`${what} ${describeCommandEnd(result, step.timeoutMs)}${formatOutputTail(result)}`),
  );
}

function describeCommandEnd({ code, signal, timedOut }: CommandResult, timeoutMs: number): string {
  if (timedOut) return `did not end within ${timeoutMs / 1000} s.`;
  return code === null ? `was stopped by ${signal}.` : `failed with exit code ${code}.`;
}

function formatOutputTail({ stdout, stderr }: CommandResult): string {
  const text = (stderr.trim() || stdout.trim()).slice(-TAIL_CHARS);
  return text === "" ? " It printed nothing." : ` Its last output:\n${text}`;
}

/** A URL may contain a password. */
function removeLogins(message: string): string {
  return message.replaceAll(/:\/\/[^/@\s]+@/g, "://***@");
}

/** Total length of files, which may be far more than they take on disk: a copy would not be sparse. */
const MAX_COPIED_BYTES = 4 * 2 ** 30;

interface KeepFolderOptions {
  readonly from: string;
  readonly dir: string;
  /** The preferred folder name; a number is added if it is taken. */
  readonly name: string;
}

/** Moves a folder and returns its new path. To another disk it is copied, unless it is too large. */
async function keepFolder({ from, dir, name }: KeepFolderOptions): Promise<string> {
  await mkdir(dir, { recursive: true });
  const kept = await createUniqueFolder(join(dir, toFolderName(name)));
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
    const what = `The folder cannot be kept in ${dirname(kept)}, which is on another disk: ${getErrorMessage(cause)}`;
    throw new WorkspaceError(`${what} Use a folder on the same disk as ${from}.`, { cause });
  }
  await removeFolder(from);
}

/** Created empty, so that a folder another process creates at the same time is not overwritten. */
async function createUniqueFolder(wanted: string): Promise<string> {
  for (let number = 1; ; number++) {
    const path = number === 1 ? wanted : `${wanted}-${number}`;
    if (await tryMakeFolder(path)) return path;
  }
}

async function tryMakeFolder(path: string): Promise<boolean> {
  try {
    await mkdir(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return false;
  }
}

function toFolderName(name: string): string {
  const safe = name.replaceAll(/[^\w.-]+/g, "-").slice(0, 100);
  return /^\.*$/.test(safe) ? "workspace" : safe;
}

interface RebuildOptions extends WorkspaceOptions {
  readonly changes: WorkspaceChanges;
}

/**
 * Recreates the folder of a stored trial: its set-up, then its changes.
 * @example
 * const workspace = await rebuildWorkspace({ environment, changes: { changes: [{ path: "a.txt", status: "deleted" }] } });
 */
export async function rebuildWorkspace({ changes, ...options }: RebuildOptions): Promise<Workspace> {
  const { incomplete } = changes;
  if (incomplete !== undefined) {
    throw new WorkspaceError(
      `The folder cannot be recreated, because not all changes were stored: ${incomplete}. Run the trial again.`,
    );
  }
  const workspace = await Workspace.create(options);
  try {
    await applyChanges(workspace.path, changes.changes);
    return workspace;
  } catch (cause) {
    await workspace.remove();
    throw new WorkspaceError(`The folder cannot be recreated: ${getErrorMessage(cause)}`, { cause });
  }
}

/** Deletes first, because a file may replace a folder; links last, so that nothing is written through one. */
async function applyChanges(path: string, changes: readonly FileChange[]): Promise<void> {
  const writer = new FolderWriter(path);
  for (const change of changes) if (change.status === "deleted") await writer.remove(change.path);
  for (const change of changes) {
    if (change.status !== "added" && change.status !== "modified") continue;
    await writer.write({ path: change.path, bytes: decodeContent(change), executable: change.executable });
  }
  for (const change of changes) if (change.status === "folder") await writer.makeFolder(change.path);
  for (const change of changes) if (change.status === "linked") await writer.link(change.path, change.target);
}
