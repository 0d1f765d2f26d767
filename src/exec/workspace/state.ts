import type { WorkspaceChanges, WorkspaceState } from "../../core/environment.js";
import { type ContentBefore, diffOf } from "./diff.js";
import type { Workspace } from "./workspace.js";

/** A state whose folder may still be there. */
export interface LiveState extends WorkspaceState {
  /** The changes as a unified diff, against all that the set-up made. */
  readonly diff: string;
}

/**
 * What an output says of the folder. The folder itself can be reached in this process as long as it is there, but is not
 * written down.
 * @example
 * const state = stateOf(workspace, await workspace.changes());
 * JSON.stringify(state); // {"changes":[…]}
 */
export function stateOf(workspace: Workspace, changes: WorkspaceChanges): LiveState {
  const path = () => (workspace.isThere ? workspace.path : undefined);
  return liveState({ changes, path, before: (file) => workspace.before(file) });
}

export interface LiveStateOptions {
  readonly changes: WorkspaceChanges;
  /** Undefined when the folder has gone. */
  readonly path: () => string | undefined;
  readonly before: ContentBefore;
}

/** Properties that are not enumerated are neither written as JSON nor sent to another thread. */
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
