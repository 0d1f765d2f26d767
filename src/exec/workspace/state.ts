import type { WorkspaceChanges, WorkspaceState } from "../../core/environment.js";
import { type ContentBefore, diffOf } from "./diff.js";
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
export function stateOf(workspace: Workspace, changes: WorkspaceChanges): LiveState {
  const path = () => (workspace.isThere ? workspace.path : undefined);
  return liveState({ changes, path, before: (file) => workspace.before(file) });
}

export interface LiveStateOptions {
  readonly changes: WorkspaceChanges;
  /** Undefined when the folder was removed. */
  readonly path: () => string | undefined;
  readonly before: ContentBefore;
}

/** Properties that are not enumerable are neither serialized to JSON nor sent to other threads. */
export function liveState({ changes, path, before }: LiveStateOptions): LiveState {
  const state = { ...changes };
  let diff: string | undefined;
  Object.defineProperty(state, "path", { get: path });
  Object.defineProperty(state, "diff", {
    get: () => {
      diff ??= diffOf(changes, before);
      return diff;
    },
  });
  return state as LiveState;
}
