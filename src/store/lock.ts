import { lstatSync } from "node:fs";
import { RunFolderError } from "../core/errors.js";
import { isLocked, type LockRules, tryLock } from "../utils/lock.js";

/** A run's lock is not touched, so whether a process of another machine lives cannot be seen: it counts as alive. */
const RULES: LockRules = { foreignForMs: Number.POSITIVE_INFINITY, tornForMs: 0 };

/** A lock that comes and goes this often between two looks belongs to others. */
const MOST_LOOKS = 100;

/** Keeps two processes from writing one run. The lock of a process that is gone is taken over, by one successor only. */
export function lockRun(path: string): () => void {
  for (let look = 0; look < MOST_LOOKS; look++) {
    const attempt = tryLock(path, RULES);
    if (attempt.isMine) return attempt.release;
    const { holder } = attempt;
    if (holder === null) continue;
    throw new RunFolderError(
      `The run is being written by process ${holder.pid} on ${holder.host}. Wait for it or stop it; if it is gone for sure, remove ${path}.`,
    );
  }
  throw new RunFolderError(`Other processes keep taking the run (${path}). Wait for them, then try again.`);
}

/** Whether a living process is writing the run whose lock this is. */
export function isRunLocked(path: string): boolean {
  // In a folder of a stranger it may be a pipe, which would be waited for, or a link to anywhere.
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true && isLocked(path, RULES);
}
