import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import type { WorkspaceState } from "../../core/environment.js";
import { copyFolder, OwnFolder, REPLACED, removeFolder } from "./folder.js";

import { liveState } from "./state.js";
import type { Workspace } from "./workspace.js";
import { WorkspaceError } from "./workspace-error.js";

/** A larger folder is not worth copying for each check; it is graded at the end only. */
const MAX_BYTES = 256 * 2 ** 20;
const MAX_ENTRIES = 20_000;

/** A copy of a workspace's folder at one moment. */
export interface Snapshot {
  readonly path: string;
  /** The state an output would have if the work had ended then. */
  readonly state: WorkspaceState;
  remove(): Promise<void>;
}

/**
 * Copies the folder so that it can be graded while the work continues. Throws when the folder is too large or was replaced,
 * or when the signal is aborted.
 * @example
 * const snapshot = await takeSnapshot(workspace);
 * await snapshot.remove();
 */
export async function snapshotOf(workspace: Workspace, signal?: AbortSignal): Promise<Snapshot> {
  if (!workspace.isThere) throw new WorkspaceError(`The folder cannot be copied: ${REPLACED}.`);
  // Next to the folder: on the same disk, and deleted with it.
  const holder = await mkdtemp(join(workspace.root, "snapshot-"));
  const path = join(holder, "work");
  try {
    await copyFolder({ from: workspace.path, to: path, maxBytes: MAX_BYTES, maxEntries: MAX_ENTRIES, signal });
    const own = new OwnFolder(holder, path);
    const changes = await workspace.changes(path);
    signal?.throwIfAborted();
    const before = (file: string) => workspace.before(file);
    const state = liveState({ changes, before, path: () => (own.isThere ? path : undefined) });
    return { path, state, remove: () => own.remove() };
  } catch (error) {
    await removeFolder(holder);
    throw error;
  }
}
