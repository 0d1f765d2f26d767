import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import type { WorkspaceState } from "../core/environment.js";
import { copyFolder } from "./copy-folder.js";
import { removeFolder } from "./remove-folder.js";
import { liveState } from "./state.js";
import type { Workspace } from "./workspace.js";

/** A copy of a workspace's folder, as it was at one moment. */
export interface Snapshot {
  readonly path: string;
  /** As an output would have it, had the work ended there. */
  readonly state: WorkspaceState;
  remove(): Promise<void>;
}

/**
 * Copies the folder as it is now, to be graded while the work goes on.
 * @example
 * const snapshot = await snapshotOf(workspace);
 * await snapshot.remove();
 */
export async function snapshotOf(workspace: Workspace): Promise<Snapshot> {
  // Beside the folder: on the same disk, and gone with it at the latest.
  const holder = await mkdtemp(join(workspace.root, "snapshot-"));
  const path = join(holder, "work");
  let isThere = true;
  const remove = () => {
    isThere = false;
    return removeFolder(holder);
  };
  try {
    await copyFolder(workspace.path, path);
    const changes = await workspace.changes(path);
    const before = (file: string) => workspace.before(file);
    return { path, remove, state: liveState({ changes, before, path: () => (isThere ? path : undefined) }) };
  } catch (error) {
    await remove();
    throw error;
  }
}
