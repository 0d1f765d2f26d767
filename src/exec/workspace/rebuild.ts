import type { FileChange, WorkspaceChanges } from "../../core/environment.js";
import { getErrorMessage } from "../../core/errors.js";
import { decodeContent } from "./diff.js";
import { FolderWriter } from "./folder-writer.js";
import { Workspace, type WorkspaceOptions } from "./workspace.js";
import { WorkspaceError } from "./workspace-error.js";

export interface RebuildOptions extends WorkspaceOptions {
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
