import { mkdir, mkdtemp, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Environment, WorkspaceChanges } from "../../core/environment.js";
import { Baseline } from "./baseline.js";
import { changesSince } from "./changes.js";
import { keepFolder } from "./keep-folder.js";
import { OwnFolder, REPLACED } from "./own-folder.js";
import { removeFolder } from "./remove-folder.js";
import { scrubbedEnv } from "./scrubbed-env.js";
import { setUp } from "./set-up.js";
import { WorkspaceError } from "./workspace-error.js";

const STEP_TIMEOUT_MS = 600_000;

export interface WorkspaceOptions {
  /** With the content of its files (`EnvironmentReader`). Without one the folder is empty. */
  readonly environment?: Environment | undefined;
  /** Where the throw-away folder is made: that of the system unless told. */
  readonly root?: string | undefined;
  /** An existing HOME to use instead of an empty one; it is left as it is. */
  readonly home?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** For each step of the set-up; ten minutes unless told. */
  readonly timeoutMs?: number | undefined;
}

/** Where everything of a workspace is. */
export interface WorkspacePaths {
  /** Holds all of it. */
  readonly root: string;
  /** The folder that an agent is given. */
  readonly path: string;
  readonly home: string;
  readonly tmp: string;
}

/**
 * A throw-away folder to work in, set up as an example describes it, with a home and a place for temporary files.
 * @example
 * const workspace = await Workspace.create({ environment: { commands: ["npm init -y"] } });
 * const { changes } = await workspace.changes();
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

  /** Makes the folders, checks out, writes the files and runs the commands. What fails leaves nothing behind. */
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
      if (!own.isThere)
        throw new WorkspaceError("The set-up failed: a command put something else where the folder was.");
      const baseline = await Baseline.take(paths.path, join(root, "baseline"));
      return new Workspace(paths, { environment, own, baseline });
    } catch (error) {
      await removeFolder(root).catch(() => undefined);
      throw error;
    }
  }

  /** False once it was removed or put away, or when whoever worked in it put something else in its place. */
  get isThere(): boolean {
    return this.#isThere && this.#own.isThere;
  }

  /** Variables for a program that works in it; those given here win over the example's. */
  env(extra: Readonly<Record<string, string>> = {}): Record<string, string> {
    return environmentFor(this, this.environment, extra);
  }

  /** What is not as it was when the set-up ended, with the contents of a copy that was made just now, if there is one. */
  async changes(copy?: string): Promise<WorkspaceChanges> {
    if (!this.#own.isThere) return { changes: [], incomplete: REPLACED };
    const changes = await changesSince(this.#baseline, this.path, copy);
    return this.#own.isThere ? changes : { changes: [], incomplete: REPLACED };
  }

  /** The text of a file when the set-up ended; null when there was none, or none that was kept. */
  before(path: string): string | null {
    return this.#isThere ? this.#baseline.before(path) : null;
  }

  /** Moves the folder that was worked in to a place in `dir`, deletes the rest, and says where it is. */
  async keep(dir: string, name: string): Promise<string> {
    if (!this.#own.isThere) throw new WorkspaceError(`The folder cannot be kept: ${REPLACED}.`);
    const kept = await keepFolder({ from: this.path, dir: resolve(dir), name });
    await this.remove();
    return kept;
  }

  /** Deletes all of it. */
  async remove(): Promise<void> {
    this.#isThere = false;
    this.#baseline.close();
    await this.#own.remove();
  }
}

/** What a workspace has besides its paths, once it is set up. */
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
  // Otherwise git would take a repository that the throw-away folder happens to lie in for the agent's.
  return scrubbedEnv({ home, tmp, env: { GIT_CEILING_DIRECTORIES: root, ...env }, extra });
}
