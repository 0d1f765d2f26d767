import { constants, type Dirent } from "node:fs";
import { open, readdir, realpath, stat } from "node:fs/promises";
import { join, sep } from "node:path";
import type { Graded } from "../core/grader.js";
import { type Glob, readGlob } from "./glob.js";
import { GraderError } from "./grader-error.js";

/** Larger files are not read. */
const LARGEST_BYTES = 32 * 2 ** 20;
/** Where a link leads nobody knows before it is followed, so that a folder may hold itself. */
const DEEPEST = 64;

/** What is graded, where it is known why there is no folder. */
export interface GradedHere extends Graded {
  readonly whyNoWorkspace?: string;
}

/** The folder of the work; throws when there is none. */
export function folderOf({ workspace, whyNoWorkspace }: Pick<GradedHere, "workspace" | "whyNoWorkspace">): string {
  if (workspace !== null) return workspace;
  throw new GraderError(whyNoWorkspace ?? "there is no workspace to look at");
}

/**
 * The files that a pattern means, by their paths in the folder, in order. A link to a file is followed where it stays
 * inside.
 * @example
 * await filesOf(folder, readGlob("src/*.js")); // ["src/a.js", "src/b.js"]
 */
async function filesOf(folder: string, glob: Glob): Promise<string[]> {
  const root = await realpath(folder);
  const found: string[] = [];
  const look = async (path: string, depth: number): Promise<void> => {
    for (const entry of await entriesOf(join(root, path))) {
      const below = path === "" ? entry.name : `${path}/${entry.name}`;
      const kind = await kindOf(root, below, entry);
      if (kind === "file" && glob.matches(below)) found.push(below);
      else if (kind === "folder" && depth < DEEPEST && glob.mayHold(below)) await look(below, depth + 1);
    }
  };
  await look("", 0);
  return found.sort();
}

async function entriesOf(path: string): Promise<Dirent[]> {
  try {
    return await readdir(path, { withFileTypes: true });
  } catch (error) {
    // What vanished, or may not be looked into, holds nothing.
    if (["ENOENT", "ENOTDIR", "EACCES"].includes((error as NodeJS.ErrnoException).code ?? "")) return [];
    throw error;
  }
}

async function kindOf(root: string, path: string, entry: Dirent): Promise<"file" | "folder" | null> {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "folder";
  return entry.isSymbolicLink() ? kindOfLink(root, path) : null;
}

/** Folders that a link leads to are not walked: they are met where they are, or lie outside. */
async function kindOfLink(root: string, path: string): Promise<"file" | null> {
  const real = await realInside(root, path);
  return real !== null && (await stat(real)).isFile() ? "file" : null;
}

/** Where a path leads once all links are followed; null when it is not there, or outside of the folder. */
export async function realInside(folder: string, path: string): Promise<string | null> {
  try {
    const root = await realpath(folder);
    const real = await realpath(join(root, path));
    return real === root || real.startsWith(root + sep) ? real : null;
  } catch {
    return null;
  }
}

/** The text of a file in the folder; what is no UTF-8 in it is replaced. */
export async function textOfFile(folder: string, path: string): Promise<string> {
  const real = await realInside(folder, path);
  if (real === null) throw new GraderError(`${path} vanished while it was graded`);
  // Without O_NONBLOCK a pipe that took the place of the file would be waited for.
  const file = await open(real, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const { size } = await file.stat();
    if (size > LARGEST_BYTES) throw new GraderError(`${path} has ${size} bytes, more than are looked through`);
    return await file.readFile("utf8");
  } finally {
    await file.close();
  }
}

/** Reads the pattern of a config, and finds what it means. */
export function fileFinder(pattern: string): (graded: Graded) => Promise<string[]> {
  const glob = readGlob(pattern);
  return (graded) => filesOf(folderOf(graded), glob);
}
