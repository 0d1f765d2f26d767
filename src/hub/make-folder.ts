import { mkdir, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";

/**
 * Makes a folder and those above it that are missing. Node 20's own way of doing so never comes back where the file
 * system says that an existing folder is missing, as /proc does.
 */
export async function makeFolder(path: string): Promise<void> {
  const missing: string[] = [];
  let at = resolve(path);
  while (!(await exists(at)) && dirname(at) !== at) {
    missing.push(at);
    at = dirname(at);
  }
  for (const folder of missing.toReversed()) await makeOne(folder);
  if (missing.length === 0) await mustBeFolder(at);
}

async function makeOne(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    // Another process was quicker.
  }
}

/** The file system's own error for a file in the place of a folder. */
async function mustBeFolder(path: string): Promise<void> {
  if (!(await stat(path)).isDirectory()) await mkdir(path);
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}
