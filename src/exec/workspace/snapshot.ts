import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import type { WorkspaceState } from "../../core/environment.js";
import { copyFolder, OwnFolder, REPLACED, removeFolder } from "./folder.js";

import { liveState } from "./state.js";
import type { Workspace } from "./workspace.js";
import { WorkspaceError } from "./workspace-error.js";

/** A larger folder is not worth a copy for each look: its grading at the end has to do. */
const MAX_BYTES = 256 * 2 ** 20;
const MAX_ENTRIES = 20_000;

/** A copy of a workspace's folder, as it was at one moment. */
export interface Snapshot {
  readonly path: string;
  /** As an output would have it, had the work ended there. */
  readonly state: WorkspaceState;
  remove(): Promise<void>;
}

/**
 * Copies the folder as it is now, to be graded while the work goes on. Throws when the folder is too large for that, was
 * replaced, or when the signal says that nobody waits any more.
 * @example
 * const snapshot = await snapshotOf(workspace);
 * await snapshot.remove();
 */
export async function snapshotOf(workspace: Workspace, signal?: AbortSignal): Promise<Snapshot> {
  if (!workspace.isThere) throw new WorkspaceError(`The folder cannot be copied: ${REPLACED}.`);
  // Beside the folder: on the same disk, and gone with it at the latest.
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
