import { lstatSync } from "node:fs";
import { RunFolderError } from "../core/index.js";
import { isLocked, type LockRules, tryLock } from "../utils/index.js";

/** The lock file is not touched while it is held, so a process on another machine always counts as alive. */
const RUN_LOCK_RULES: LockRules = { foreignForMs: Number.POSITIVE_INFINITY, tornForMs: 0 };

/** A lock that keeps changing this often belongs to other processes. */
const MAX_LOOKS = 100;

/** Prevents two processes from writing one run. The lock of a dead process is taken over by exactly one successor. */
export function lockRun(path: string): () => void {
  for (let look = 0; look < MAX_LOOKS; look++) {
    const attempt = tryLock(path, RUN_LOCK_RULES);
    if (attempt.isMine) return attempt.release;
    const { holder } = attempt;
    if (holder === null) continue;
    throw new RunFolderError(
      `The run is being written by process ${holder.pid} on ${holder.host}. Wait for it or stop it; if it is certainly gone, remove ${path}.`,
    );
  }
  throw new RunFolderError(`Other processes keep locking the run (${path}). Wait for them, then try again.`);
}

/** Whether a live process is writing the run with this lock. */
export function isRunLocked(path: string): boolean {
  // In someone else's folder it may be a pipe, which would block, or a link to anywhere.
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true && isLocked(path, RUN_LOCK_RULES);
}
