import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import type { Environment, WorkspaceState } from "../../core/environment.js";
import { Baseline } from "../../exec/workspace/baseline.js";
import { changesSince } from "../../exec/workspace/changes.js";
import { copyFolder } from "../../exec/workspace/copy-folder.js";
import { stateOf, Workspace } from "../../exec/workspace/index.js";
import { OwnFolder } from "../../exec/workspace/own-folder.js";
import { liveState } from "../../exec/workspace/state.js";
import { applyPatch } from "./apply-patch.js";

/** A folder in one of the states that are graded, for one grading: graders leave things behind. */
export interface PatchedFolder {
  readonly state: WorkspaceState;
  remove(): Promise<void>;
}

/** Something that is done to a folder once its patch is applied. */
export type FolderChange = (folder: string) => Promise<void>;

const NO_CHANGE: FolderChange = async () => {};

/**
 * Makes folders as an environment describes them, with a patch applied. Where the set-up takes more than writing files,
 * it is done once, and copied.
 */
export class PatchedFolders {
  readonly #environment: Environment;
  readonly #signal: AbortSignal;
  #original: Promise<Workspace> | null = null;
  #isCopying: boolean;

  constructor({ skills: _, mcpServers: __, ...environment }: Environment, signal: AbortSignal) {
    this.#environment = environment;
    this.#signal = signal;
    this.#isCopying = environment.git !== undefined || (environment.commands ?? []).length > 0;
  }

  /** True when folders are copies, which a set-up that wrote down where its folder is may not work in. */
  get isCopying(): boolean {
    return this.#isCopying;
  }

  /** From now on, every folder is set up from the beginning. */
  stopCopying(): void {
    this.#isCopying = false;
  }

  /** An empty patch leaves the folder untouched. */
  make(patch: string, change: FolderChange = NO_CHANGE): Promise<PatchedFolder> {
    return this.#isCopying ? this.#copy(patch, change) : this.#setUp(patch, change);
  }

  async close(): Promise<void> {
    const original = await this.#original?.catch(() => null);
    await original?.remove();
  }

  async #setUp(patch: string, change: FolderChange): Promise<PatchedFolder> {
    const workspace = await this.#newWorkspace();
    try {
      const { path, home, tmp } = workspace;
      await applyPatch({ folder: path, patch, home, tmp, signal: this.#signal });
      await change(path);
      return { state: stateOf(workspace, await workspace.changes()), remove: () => workspace.remove() };
    } catch (error) {
      await workspace.remove();
      throw error;
    }
  }

  /** In a folder of the original's, which goes with it at the latest. */
  async #copy(patch: string, change: FolderChange): Promise<PatchedFolder> {
    this.#original ??= this.#newWorkspace();
    const { path, root, home, tmp } = await this.#original;
    const holder = await mkdtemp(join(root, "state-"));
    const folder = join(holder, "work");
    const signal = this.#signal;
    await copyFolder({ from: path, to: folder, maxBytes: Infinity, signal });
    const own = new OwnFolder(holder, folder);
    const baseline = await Baseline.take(folder, join(holder, "baseline"));
    const remove = async () => {
      baseline.close();
      await own.remove();
    };
    try {
      await applyPatch({ folder, patch, home, tmp, signal });
      await change(folder);
      const changes = await changesSince(baseline, folder);
      const before = (file: string) => baseline.before(file);
      return { state: liveState({ changes, before, path: () => (own.isThere ? folder : undefined) }), remove };
    } catch (error) {
      await remove();
      throw error;
    }
  }

  #newWorkspace(): Promise<Workspace> {
    return Workspace.create({ environment: this.#environment, signal: this.#signal });
  }
}
