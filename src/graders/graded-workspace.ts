import { constants, type Dirent, existsSync } from "node:fs";
import { mkdir, mkdtemp, open, readdir, realpath, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, sep } from "node:path";
import type { Environment, Example, Graded, Output, WorkspaceState } from "../core/index.js";
import { getErrorMessage } from "../core/index.js";
import {
  type BoxSettings,
  buildScrubbedEnv,
  findBoxSettings,
  findLiveBox,
  getWorkspaceState,
  openTrialBox,
  type ProgramBox,
  rebuildWorkspace,
  removeFolder,
  type TrialBox,
  writeGitIdentity,
} from "../exec/index.js";
import type { FolderUse } from "./built-in-grader.js";
import { type Glob, readGlob } from "./glob.js";
import { GraderError } from "./grader-error.js";

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
  /** Where programs run, if the trial's did too; null for everywhere. */
  readonly box: ProgramBox | null;
  remove(): Promise<void>;
}

const NO_FOLDER: GradedFolder = { path: null, env: {}, box: null, remove: async () => undefined };

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
  const box = findBoxSettings(output);
  const folder = hasLiveFolder(workspace)
    ? openLiveFolder(workspace)
    : await rebuildFolder({ workspace, environment, box, signal });
  const { path } = folder;
  if (use !== "runs" || path === null) return folder;
  const live = findLiveBox({ ...output, workspace: folder.state ?? workspace });
  return addProgramHome(folder, { path, environment, box, live });
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
  readonly box: BoxSettings | null;
  readonly signal: AbortSignal;
}

async function rebuildFolder({ workspace, environment, box, signal }: RebuildFolderOptions): Promise<GradedFolder> {
  try {
    const again = await rebuildWorkspace({ environment, changes: workspace, box, signal });
    const state = getWorkspaceState(again, { changes: workspace.changes });
    return {
      ...NO_FOLDER,
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

interface ProgramPlace {
  readonly path: string;
  readonly environment: Environment;
  readonly box: BoxSettings | null;
  /** The box of the folder's trial, while it is there. */
  readonly live: TrialBox | null;
}

/** Adds a HOME, environment variables and a box for the programs that graders run. */
async function addProgramHome(
  folder: GradedFolder,
  { path, environment, box: settings, live }: ProgramPlace,
): Promise<GradedFolder> {
  const outside = await makeProgramHome(path, environment, live?.laterFolders ?? null);
  const { HOME: home = "", TMPDIR: tmp = "" } = outside.env;
  const places = { scratch: join(outside.root, "box"), writable: [path, home, tmp] };
  // Beside the trial's own, so that waiting for what it is guaranteed could last for ever.
  const { guaranteed: _, ...rest } = environment;
  const box =
    live === null ? await openTrialBox({ settings, environment: rest, places }) : await live.openForGraders(places);
  return {
    ...folder,
    get path() {
      return folder.path;
    },
    env: outside.env,
    box,
    remove: async () => {
      await box?.close();
      await Promise.all([outside.remove(), folder.remove()]);
    },
  };
}

interface ProgramHome {
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
  remove(): Promise<void>;
}

async function makeProgramHome(
  path: string | null,
  { env }: Environment,
  parent: string | null = null,
): Promise<ProgramHome> {
  const root = await mkdtemp(join(parent ?? tmpdir(), "assay-grading-"));
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
  return { path, env: outside.env, box: null, remove: () => outside.remove() };
}

/** Larger files are not read. */
const MAX_FILE_BYTES = 32 * 2 ** 20;
/** Guards against folders that contain themselves through links. */
const MAX_DEPTH = 64;

/** What is graded, with the reason if there is no workspace. */
export interface GradedInput extends Graded {
  readonly whyNoWorkspace?: string;
  /** Where programs run; null or absent for everywhere. */
  readonly box?: ProgramBox | null;
}

/** Returns the workspace folder; throws if there is none. */
export function requireWorkspace({
  workspace,
  whyNoWorkspace,
}: Pick<GradedInput, "workspace" | "whyNoWorkspace">): string {
  if (workspace !== null) return workspace;
  throw new GraderError(whyNoWorkspace ?? "there is no workspace to look at");
}

/**
 * Finds the files that match a pattern, as sorted paths relative to the folder. Links to files are followed if they stay
 * inside.
 * @example
 * await findWorkspaceFiles(folder, readGlob("src/*.js")); // ["src/a.js", "src/b.js"]
 */
async function findWorkspaceFiles(folder: string, glob: Glob): Promise<string[]> {
  const root = await realpath(folder);
  const found: string[] = [];
  const look = async (path: string, depth: number): Promise<void> => {
    for (const entry of await listFolderEntries(join(root, path))) {
      const below = path === "" ? entry.name : `${path}/${entry.name}`;
      const kind = await classifyEntry(root, below, entry);
      if (kind === "file" && glob.matches(below)) found.push(below);
      else if (kind === "folder" && depth < MAX_DEPTH && glob.canContain(below)) await look(below, depth + 1);
    }
  };
  await look("", 0);
  return found.sort();
}

async function listFolderEntries(path: string): Promise<Dirent[]> {
  try {
    return await readdir(path, { withFileTypes: true });
  } catch (error) {
    // A folder that vanished or is not readable counts as empty.
    if (["ENOENT", "ENOTDIR", "EACCES"].includes((error as NodeJS.ErrnoException).code ?? "")) return [];
    throw error;
  }
}

async function classifyEntry(root: string, path: string, entry: Dirent): Promise<"file" | "folder" | null> {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "folder";
  return entry.isSymbolicLink() ? classifyLink(root, path) : null;
}

/** Linked folders are not walked: they are found at their real location, or lie outside. */
async function classifyLink(root: string, path: string): Promise<"file" | null> {
  const real = await resolveInside(root, path);
  return real !== null && (await stat(real)).isFile() ? "file" : null;
}

/** Resolves all links in a path; null if it does not exist or leads outside the folder. */
export async function resolveInside(folder: string, path: string): Promise<string | null> {
  try {
    const root = await realpath(folder);
    const real = await realpath(join(root, path));
    return real === root || real.startsWith(root + sep) ? real : null;
  } catch {
    return null;
  }
}

/** Reads a file of the folder as text; invalid UTF-8 is replaced. */
export async function readWorkspaceFile(folder: string, path: string): Promise<string> {
  const real = await resolveInside(folder, path);
  if (real === null) throw new GraderError(`${path} vanished while it was graded`);
  // Without O_NONBLOCK, opening a pipe that replaced the file would block.
  const file = await open(real, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const { size } = await file.stat();
    if (size > MAX_FILE_BYTES) throw new GraderError(`${path} has ${size} bytes, more than are looked through`);
    return await file.readFile("utf8");
  } finally {
    await file.close();
  }
}

/** Parses the pattern once; returns a function that finds the matching files. */
export function createFileFinder(pattern: string): (graded: Graded) => Promise<string[]> {
  const glob = readGlob(pattern);
  return (graded) => findWorkspaceFiles(requireWorkspace(graded), glob);
}
