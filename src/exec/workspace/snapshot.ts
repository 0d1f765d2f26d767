import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import type { WorkspaceState } from "../../core/environment.js";
import { copyFolder, FOLDER_REPLACED, removeFolder, TrialFolder } from "./folder.js";

import { createLiveState } from "./state.js";
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
export async function takeSnapshot(workspace: Workspace, signal?: AbortSignal): Promise<Snapshot> {
  if (!workspace.exists) throw new WorkspaceError(`The folder cannot be copied: ${FOLDER_REPLACED}.`);
  // Next to the folder: on the same disk, and deleted with it.
  const holder = await mkdtemp(join(workspace.root, "snapshot-"));
  const path = join(holder, "work");
  try {
    await copyFolder({ from: workspace.path, to: path, maxBytes: MAX_BYTES, maxEntries: MAX_ENTRIES, signal });
    const own = new TrialFolder(holder, path);
    const changes = await workspace.collectChanges(path);
    signal?.throwIfAborted();
    const before = (file: string) => workspace.readBefore(file);
    const state = createLiveState({ changes, before, path: () => (own.exists ? path : undefined) });
    return { path, state, remove: () => own.remove() };
  } catch (error) {
    await removeFolder(holder);
    throw error;
  }
}
