import { chmod, lstat, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "../../core/errors.js";
import { runCommand } from "../process/index.js";
import { WorkspaceError } from "./workspace-error.js";

/** Deletes a folder and all in it, read-only folders too; links are deleted, not followed. */
export async function removeFolder(path: string): Promise<void> {
  if (await isRemoved(path)) return;
  await openUp(path);
  if (await isRemoved(path)) return;
  await removeDeep(path);
}

async function isRemoved(path: string): Promise<boolean> {
  // Something that was told to end may be writing its last.
  return rm(path, { recursive: true, force: true, maxRetries: 3, retryDelay: 50 }).then(
    () => true,
    () => false,
  );
}

/** Nothing can be deleted from a folder that may not be written to. */
async function openUp(folder: string): Promise<void> {
  if ((await lstat(folder).catch(() => null))?.isDirectory() !== true) return;
  await chmod(folder, 0o700).catch(() => undefined);
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) if (entry.isDirectory()) await openUp(join(folder, entry.name));
}

/** Folders in folders can be too deep for a path to name them; the system's own program goes down step by step. */
async function removeDeep(path: string): Promise<void> {
  const env = { PATH: process.env.PATH ?? "/usr/bin:/bin" };
  const ended = await runCommand({ command: "rm", args: ["-rf", "--", path], cwd: "/", env }).catch(
    (cause: unknown) => ({
      code: null,
      stderr: messageOf(cause),
    }),
  );
  if (ended.code === 0) return;
  throw new WorkspaceError(`The folder ${path} cannot be deleted: ${ended.stderr.trim()}. Delete it yourself.`);
}
