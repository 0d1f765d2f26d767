import type { WorkspaceChanges, WorkspaceState } from "../../core/environment.js";
import { formatDiff, type ReadContentBefore } from "./diff.js";
import type { Workspace } from "./workspace.js";

/** A state whose folder may still exist. */
export interface LiveState extends WorkspaceState {
  /** The changes since the set-up as a unified diff. */
  readonly diff: string;
}

/**
 * The state of the folder for an output. The folder is accessible in this process while it exists, but is not serialized.
 * @example
 * const state = getWorkspaceState(workspace, await workspace.collectChanges());
 * JSON.stringify(state); // {"changes":[…]}
 */
export function getWorkspaceState(workspace: Workspace, changes: WorkspaceChanges): LiveState {
  const path = () => (workspace.exists ? workspace.path : undefined);
  return createLiveState({ changes, path, before: (file) => workspace.readBefore(file) });
}

export interface LiveStateOptions {
  readonly changes: WorkspaceChanges;
  /** Undefined when the folder was removed. */
  readonly path: () => string | undefined;
  readonly before: ReadContentBefore;
}

/** Properties that are not enumerable are neither serialized to JSON nor sent to other threads. */
export function createLiveState({ changes, path, before }: LiveStateOptions): LiveState {
  const state = { ...changes };
  let diff: string | undefined;
  Object.defineProperty(state, "path", { get: path });
  Object.defineProperty(state, "diff", {
    get: () => {
      diff ??= formatDiff(changes, before);
      return diff;
    },
  });
  return state as LiveState;
}
