import { createHash, randomUUID } from "node:crypto";
import { constants, copyFileSync, linkSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { writeAtomically } from "./atomic.js";
import { isAlive, isLocal, type LockHolder, parseHolder, thisProcess } from "./lock-holder.js";

/** When a lock counts as left behind, besides that of a process of this machine which is gone. */
export interface LockRules {
  /** How long a lock of another machine is believed after it was last touched; for ever where nobody touches it. */
  readonly foreignForMs: number;
  /** How long a lock that names no holder is believed: on file systems without links it may be being written. */
  readonly tornForMs: number;
}

/** A lock that was got, with the way to give it back, or who has it: null when that could not be seen. */
export type LockAttempt =
  | { readonly isMine: true; readonly release: () => void }
  | { readonly isMine: false; readonly holder: LockHolder | null };

const UNSEEN: LockAttempt = { isMine: false, holder: null };

/**
 * Takes the lock at `path` unless someone has it. One that was left behind is taken over, by one successor only.
 * @example
 * const attempt = tryLock("run/lock", { foreignForMs: Number.POSITIVE_INFINITY, tornForMs: 0 });
 * if (attempt.isMine) attempt.release();
 */
export function tryLock(path: string, rules: LockRules): LockAttempt {
  // The token makes every lock unlike any other, so that one can be told from its successor.
  const mine = JSON.stringify({ ...thisProcess(), token: randomUUID() });
  const got: LockAttempt = { isMine: true, release: () => giveBack(path, mine) };
  if (created(path, mine)) return got;
  const found = contentOf(path);
  if (found === null) return UNSEEN;
  const holder = parseHolder(found);
  if (isBelieved(path, holder, rules)) return { isMine: false, holder };
  return takeOver(path, { dead: found, mine, rules }) ?? got;
}

/** Whether someone has the lock at `path`. It is left as it is, also when it was left behind. */
export function isLocked(path: string, rules: LockRules): boolean {
  const found = contentOf(path);
  return found !== null && isBelieved(path, parseHolder(found), rules);
}

function giveBack(path: string, mine: string): void {
  if (contentOf(path) === mine) rmSync(path, { force: true });
}

/**
 * Replaces a dead lock; gives who was quicker, if anyone was. Whoever read it may have read it long ago, and would
 * replace its successor's instead: so only one process at a time may replace this very content, and looks again before
 * it does. A process killed while it may leaves a dead lock on that right, which is taken over in the same way.
 */
function takeOver(
  path: string,
  { dead, mine, rules }: { dead: string; mine: string; rules: LockRules },
): LockAttempt | null {
  const right = tryLock(`${path}.${createHash("sha256").update(dead).digest("hex").slice(0, 16)}`, rules);
  if (!right.isMine) return right;
  try {
    if (contentOf(path) !== dead) return UNSEEN;
    writeAtomically(path, mine);
    return null;
  } finally {
    right.release();
  }
}

/** Makes the lock with its content in one step, so that nobody sees a living lock without its holder. */
function created(path: string, content: string): boolean {
  const whole = `${path}.${randomUUID()}.tmp`;
  try {
    writeFileSync(whole, content);
    linkOrCopy(whole, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  } finally {
    rmSync(whole, { force: true });
  }
}

/** What file systems without hard links answer. */
const NO_LINKS = new Set(["EPERM", "ENOSYS", "ENOTSUP", "EOPNOTSUPP"]);

function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    if (!NO_LINKS.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
    copyOrNothing(from, to);
  }
}

/** A copy that a full disk cut off would be a lock that nobody holds. */
function copyOrNothing(from: string, to: string): void {
  try {
    copyFileSync(from, to, constants.COPYFILE_EXCL);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOSPC") rmSync(to, { force: true });
    throw error;
  }
}

function isBelieved(path: string, holder: LockHolder | null, { foreignForMs, tornForMs }: LockRules): boolean {
  if (holder === null) return ageOf(path) < tornForMs;
  return isLocal(holder) ? isAlive(holder) : ageOf(path) < foreignForMs;
}

function contentOf(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** One that is gone by now counts as new: it is looked at again. So does one from the future, where clocks differ. */
function ageOf(path: string): number {
  try {
    return Math.max(0, Date.now() - statSync(path).mtimeMs);
  } catch {
    return 0;
  }
}
