import { existsSync } from "node:fs";
import { mkdir, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Environment, WorkspaceState } from "../core/environment.js";
import { getErrorMessage } from "../core/errors.js";
import type { Example } from "../core/example.js";
import type { Output } from "../core/system.js";
import { removeFolder } from "../exec/workspace/folder.js";
import { buildScrubbedEnv, getWorkspaceState, rebuildWorkspace, writeGitIdentity } from "../exec/workspace/index.js";
import type { FolderUse } from "./own-grader.js";

/** The folder that graders work in. */
export interface GradedFolder {
  /** Null if there is none. Read it for each use: a program that runs in the folder can replace it with a link. */
  readonly path: string | null;
  /** Why there is no folder although there should be one. */
  readonly problem?: string;
  /** The changes and their diff, if the folder had to be rebuilt. */
  readonly state?: WorkspaceState;
  /** Environment variables for programs. */
  readonly env: Readonly<Record<string, string>>;
  remove(): Promise<void>;
}

const NO_FOLDER: GradedFolder = { path: null, env: {}, remove: async () => undefined };

const FOLDER_GONE = "the folder was removed or replaced while it was graded";

interface OpenFolderOptions {
  readonly example: Example;
  readonly output: Output;
  /** The most that any of the graders does with the folder. */
  readonly use: FolderUse;
  readonly signal: AbortSignal;
}

/**
 * Opens the folder of a trial: the original if it still exists, otherwise one rebuilt from the example and the recorded
 * changes. Programs get their own HOME, so that nothing the agent left in its HOME can affect grading.
 */
export async function openGradedFolder({ example, output, use, signal }: OpenFolderOptions): Promise<GradedFolder> {
  const { workspace } = output;
  const environment = (example.environment ?? {}) as Environment;
  if (workspace === undefined || workspace === null || !isFolderNeeded(use, workspace, environment)) return NO_FOLDER;
  const folder = hasLiveFolder(workspace)
    ? openLiveFolder(workspace)
    : await rebuildFolder({ workspace, environment, signal });
  const { path } = folder;
  return use === "runs" && path !== null ? addProgramHome(folder, path, environment) : folder;
}

/** A diff needs a folder only if nothing else tells what the setup created. */
function isFolderNeeded(use: FolderUse, workspace: WorkspaceState, { git, commands = [] }: Environment): boolean {
  if (use !== "diff") return use !== "none";
  const isMade = git !== undefined || commands.length > 0;
  return (
    isMade && !("diff" in workspace) && Array.isArray(workspace.changes) && workspace.changes.some(hasPriorContent)
  );
}

function hasPriorContent({ status }: WorkspaceState["changes"][number]): boolean {
  return status === "modified" || status === "deleted";
}

function hasLiveFolder({ path }: WorkspaceState): boolean {
  return path !== undefined && existsSync(path);
}

function openLiveFolder(workspace: WorkspaceState): GradedFolder {
  return {
    ...NO_FOLDER,
    problem: FOLDER_GONE,
    get path() {
      return hasLiveFolder(workspace) ? (workspace.path ?? null) : null;
    },
  };
}

interface RebuildFolderOptions {
  readonly workspace: WorkspaceState;
  readonly environment: Environment;
  readonly signal: AbortSignal;
}

async function rebuildFolder({ workspace, environment, signal }: RebuildFolderOptions): Promise<GradedFolder> {
  try {
    const again = await rebuildWorkspace({ environment, changes: workspace, signal });
    const state = getWorkspaceState(again, { changes: workspace.changes });
    return {
      env: {},
      problem: FOLDER_GONE,
      state,
      get path() {
        return state.path ?? null;
      },
      remove: () => again.remove(),
    };
  } catch (error) {
    signal.throwIfAborted();
    return { ...NO_FOLDER, problem: getErrorMessage(error) };
  }
}

/** Adds a HOME and environment variables for the programs that graders run. */
async function addProgramHome(folder: GradedFolder, path: string, environment: Environment): Promise<GradedFolder> {
  const outside = await makeProgramHome(path, environment);
  return {
    ...folder,
    get path() {
      return folder.path;
    },
    env: outside.env,
    remove: async () => void (await Promise.all([outside.remove(), folder.remove()])),
  };
}

interface ProgramHome {
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
  remove(): Promise<void>;
}

async function makeProgramHome(path: string | null, { env }: Environment): Promise<ProgramHome> {
  const root = await mkdtemp(join(tmpdir(), "assay-grading-"));
  const [home, tmp] = [join(root, "home"), join(root, "tmp")];
  await Promise.all([mkdir(home), mkdir(tmp)]);
  await writeGitIdentity(home);
  // As for the agent: git must not find a repository that happens to contain the folder.
  const ceiling = path === null ? root : dirname(path);
  return {
    root,
    env: buildScrubbedEnv({ home, tmp, env: { GIT_CEILING_DIRECTORIES: ceiling, ...env } }),
    remove: () => removeFolder(root),
  };
}

/** Makes an empty folder, for a program that grades a trial without a workspace. */
export async function makeEmptyFolder(example: Example): Promise<GradedFolder & { readonly path: string }> {
  const outside = await makeProgramHome(null, example.environment ?? {});
  const path = join(outside.root, "work");
  await mkdir(path);
  return { path, env: outside.env, remove: () => outside.remove() };
}
