import { constants, type Dirent } from "node:fs";
import { open, readdir, realpath, stat } from "node:fs/promises";
import { join, sep } from "node:path";
import type { Graded } from "../core/grader.js";
import { type Glob, readGlob } from "./glob.js";
import { GraderError } from "./grader-error.js";

/** Larger files are not read. */
const MAX_FILE_BYTES = 32 * 2 ** 20;
/** Guards against folders that contain themselves through links. */
const MAX_DEPTH = 64;

/** What is graded, with the reason if there is no workspace. */
export interface GradedInput extends Graded {
  readonly whyNoWorkspace?: string;
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
