import { createHash, randomUUID } from "node:crypto";
import { constants, copyFileSync, linkSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { basename, dirname } from "node:path";
import { writeAtomically } from "./files/atomic.js";
import { readInside } from "./files/inside.js";

/** Who holds a lock. */
interface LockHolder {
  readonly pid: number;
  readonly host: string;
  /** When the process started, to tell it from a later one with the same pid; null where the system does not say. */
  readonly start: string | null;
}

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

/** What is asked for a lock: how to wait for it, and whom to tell. */
export interface WaitOptions {
  readonly sleep: (ms: number) => Promise<void>;
  /** Told again and again while another process has it. */
  readonly onWait?: (holder: string) => void;
}

const LOOK_EVERY_MS = 100;
/** A holder touches its lock this often; one on another machine that has not for much longer counts as gone. */
const TOUCH_EVERY_MS = 10_000;
const TOUCHED_RULES: LockRules = { foreignForMs: 120_000, tornForMs: 5000 };

/** Does the work while no other process, and nothing else in this one, holds the lock at `path`. */
export async function withLock<T>(path: string, options: WaitOptions, work: () => Promise<T>): Promise<T> {
  const release = await waitForLock(path, options);
  const touching = setInterval(() => touch(path), TOUCH_EVERY_MS).unref();
  try {
    return await work();
  } finally {
    clearInterval(touching);
    release();
  }
}

async function waitForLock(path: string, { sleep, onWait }: WaitOptions): Promise<() => void> {
  for (;;) {
    const attempt = tryLock(path, TOUCHED_RULES);
    if (attempt.isMine) return attempt.release;
    onWait?.(describeHolder(attempt.holder));
    await sleep(LOOK_EVERY_MS);
  }
}

function describeHolder(holder: LockHolder | null): string {
  if (holder === null) return "another process";
  return isLocal(holder) ? `process ${holder.pid}` : `process ${holder.pid} on ${holder.host}`;
}

function touch(path: string): void {
  try {
    const now = new Date();
    utimesSync(path, now, now);
  } catch {
    // Taken away by hand: the work goes on, and what it writes is verified.
  }
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
    return readInside(dirname(path), basename(path));
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

/** This process as a holder. */
function thisProcess(): LockHolder {
  return { pid: process.pid, host: hostname(), start: startOf(process.pid) };
}

/** The holder that a lock names; null for one that was torn. */
function parseHolder(content: string): LockHolder | null {
  try {
    const { pid, host, start } = JSON.parse(content) as Partial<Record<keyof LockHolder, unknown>>;
    if (!Number.isInteger(pid) || Number(pid) < 1 || typeof host !== "string") return null;
    return { pid: Number(pid), host, start: typeof start === "string" ? start : null };
  } catch {
    return null;
  }
}

/** Whether a holder is of this machine, so that it can be seen whether it lives. */
function isLocal({ host }: LockHolder): boolean {
  return host === hostname();
}

/** Whether a holder of this machine lives. */
function isAlive({ pid, start }: LockHolder): boolean {
  if (!exists(pid)) return false;
  const now = startOf(pid);
  return start === null || now === null || start === now;
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Field 22 of /proc/PID/stat. The command's name before it may hold spaces and brackets: counting starts behind it. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null;
  } catch {
    return null;
  }
}
