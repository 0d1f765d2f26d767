import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import type { Output, WorkspaceChanges, WorkspaceState } from "../../core/index.js";
import { type BoxSettings, ISOLATIONS } from "../box/box-settings.js";
import type { TrialBox } from "../box/trial-box.js";
import { formatDiff, type ReadContentBefore } from "./diff.js";
import { copyFolder, FOLDER_REPLACED, removeFolder, TrialFolder } from "./folder.js";
import type { Workspace } from "./workspace.js";
import { WorkspaceError } from "./workspace-error.js";

/** A larger folder is not worth copying for each check; it is graded at the end only. */
const MAX_BYTES = 256 * 2 ** 20;
const MAX_ENTRIES = 20_000;

/** A copy of a workspace's folder at one moment. */
interface Snapshot {
  readonly path: string;
  /** The state an output would have if the work had ended then. */
  readonly state: WorkspaceState;
  remove(): Promise<void>;
}

/**
 * Copies the folder so that it can be graded while the work continues. Throws when the folder is too large or was replaced,
 * or when the signal is aborted. `clean` removes from the changes what must not be stored.
 * @example
 * const snapshot = await takeSnapshot(workspace);
 * await snapshot.remove();
 */
export async function takeSnapshot(
  workspace: Workspace,
  signal?: AbortSignal,
  clean: (changes: WorkspaceChanges) => WorkspaceChanges = (changes) => changes,
): Promise<Snapshot> {
  if (!workspace.exists) throw new WorkspaceError(`The folder cannot be copied: ${FOLDER_REPLACED}.`);
  // Next to the folder: on the same disk, and deleted with it.
  const holder = await mkdtemp(join(workspace.root, "snapshot-"));
  const path = join(holder, "work");
  try {
    await copyFolder({ from: workspace.path, to: path, maxBytes: MAX_BYTES, maxEntries: MAX_ENTRIES, signal });
    const own = new TrialFolder(holder, path);
    const changes = clean(await workspace.collectChanges(path));
    signal?.throwIfAborted();
    const before = (file: string) => workspace.readBefore(file);
    const box = workspace.box?.settings ?? null;
    const state = createLiveState({ changes, before, path: () => (own.exists ? path : undefined), box, liveBox: null });
    return { path, state, remove: () => own.remove() };
  } catch (error) {
    await removeFolder(holder);
    throw error;
  }
}

/** A state whose folder may still exist. */
interface LiveState extends WorkspaceState {
  /** The changes since the set-up as a unified diff. */
  readonly diff: string;
  /** The box that its programs run in; null for none. */
  readonly box: BoxSettings | null;
  /** The box itself, while it is there. */
  readonly liveBox: TrialBox | null;
}

/**
 * The state of the folder for an output. The folder is accessible in this process while it exists, but is not serialized.
 * @example
 * const state = getWorkspaceState(workspace, await workspace.collectChanges());
 * JSON.stringify(state); // {"changes":[…]}
 */
export function getWorkspaceState(workspace: Workspace, changes: WorkspaceChanges): LiveState {
  const path = () => (workspace.exists ? workspace.path : undefined);
  const { box: liveBox } = workspace;
  const box = liveBox?.settings ?? null;
  return createLiveState({ changes, path, before: (file) => workspace.readBefore(file), box, liveBox });
}

interface LiveStateOptions {
  readonly changes: WorkspaceChanges;
  /** Undefined when the folder was removed. */
  readonly path: () => string | undefined;
  readonly before: ReadContentBefore;
  readonly box: BoxSettings | null;
  readonly liveBox: TrialBox | null;
}

/** Properties that are not enumerable are neither serialized to JSON nor sent to other threads. */
export function createLiveState({ changes, path, before, box, liveBox }: LiveStateOptions): LiveState {
  const state = { ...changes };
  let diff: string | undefined;
  Object.defineProperty(state, "path", { get: path });
  Object.defineProperty(state, "box", { value: box });
  Object.defineProperty(state, "liveBox", { value: liveBox });
  Object.defineProperty(state, "diff", {
    get: () => {
      diff ??= formatDiff(changes, before);
      return diff;
    },
  });
  return state as LiveState;
}

/**
 * The box of a trial, so that it is graded in the same one: as the folder says while it exists, else as the output was
 * stored with. Null for none.
 */
export function findBoxSettings({ workspace, metadata }: Output): BoxSettings | null {
  const live = (workspace as Partial<LiveState> | undefined)?.box;
  if (live !== undefined) return live;
  const stored = metadata?.isolation;
  return isBoxSettings(stored) ? stored : null;
}

/** The box of a trial while it is there: graders run their programs in it after the agent. Null for none. */
export function findLiveBox({ workspace }: Output): TrialBox | null {
  return (workspace as Partial<LiveState> | undefined)?.liveBox ?? null;
}

function isBoxSettings(value: unknown): value is BoxSettings {
  const kinds: readonly unknown[] = ISOLATIONS;
  return typeof value === "object" && value !== null && "kind" in value && kinds.includes(value.kind);
}
