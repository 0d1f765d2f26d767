import { chmod, lstat, mkdir, realpath, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** A file that a grader brings. */
export interface BroughtFile {
  /** Below the workspace. */
  readonly dest: string;
  readonly content: string;
}

/**
 * Writes files into a folder, over whatever lies there. Links on the way are taken away, not followed: an agent may have
 * left some that lead out.
 */
export async function placeFiles(folder: string, files: readonly BroughtFile[]): Promise<void> {
  const root = await realpath(folder);
  for (const { dest, content } of files) {
    await makeRealFolder(root, dirname(dest));
    const path = join(root, dest);
    await rm(path, { recursive: true, force: true });
    await writeFile(path, content, { flag: "wx" });
  }
}

async function makeRealFolder(root: string, folder: string): Promise<void> {
  let path = root;
  for (const name of folder.split("/").filter((part) => part !== "" && part !== ".")) {
    await makeWritable(path);
    path = join(path, name);
    const found = await lstat(path).catch(() => null);
    if (found?.isDirectory() === true) continue;
    if (found !== null) await rm(path, { force: true });
    await mkdir(path);
  }
  await makeWritable(path);
}

/** Agents leave folders that nobody may write to. */
async function makeWritable(folder: string): Promise<void> {
  const { mode } = await lstat(folder);
  if ((mode & 0o300) !== 0o300) await chmod(folder, mode | 0o700);
}
