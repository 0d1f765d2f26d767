import { createHash, randomUUID } from "node:crypto";
import { constants, copyFileSync, linkSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { basename, dirname } from "node:path";
import { writeAtomically } from "./files/atomic.js";
import { readFileInside } from "./files/inside.js";

interface LockHolder {
  readonly pid: number;
  readonly host: string;
  /** When the process started, to detect a reused pid; null if the system does not tell. */
  readonly start: string | null;
}

/** When a lock counts as stale, apart from locks of ended processes on this machine. */
export interface LockRules {
  /** How long a lock of another machine is valid after its last touch. Infinite if holders do not touch their locks. */
  readonly foreignForMs: number;
  /** How long a lock without a holder is valid: without hard links it may still be being written. */
  readonly tornForMs: number;
}

/** An acquired lock, or its current holder: null if unknown. */
export type LockAttempt =
  | { readonly isMine: true; readonly release: () => void }
  | { readonly isMine: false; readonly holder: LockHolder | null };

const UNKNOWN_HOLDER: LockAttempt = { isMine: false, holder: null };

/**
 * Acquires the lock at `path` unless it is held. A stale lock is taken over by exactly one process.
 * @example
 * const attempt = tryLock("run/lock", { foreignForMs: Number.POSITIVE_INFINITY, tornForMs: 0 });
 * if (attempt.isMine) attempt.release();
 */
export function tryLock(path: string, rules: LockRules): LockAttempt {
  // The token makes each lock unique, so that it can be told from its successor.
  const mine = JSON.stringify({ ...getCurrentHolder(), token: randomUUID() });
  const got: LockAttempt = { isMine: true, release: () => releaseLock(path, mine) };
  if (tryCreateLock(path, mine)) return got;
  const found = readLockFile(path);
  if (found === null) return UNKNOWN_HOLDER;
  const holder = parseLockHolder(found);
  if (isLockValid(path, holder, rules)) return { isMine: false, holder };
  return takeOverLock(path, { dead: found, mine, rules }) ?? got;
}

/** Whether the lock at `path` is held. Does not change it, even if it is stale. */
export function isLocked(path: string, rules: LockRules): boolean {
  const found = readLockFile(path);
  return found !== null && isLockValid(path, parseLockHolder(found), rules);
}

/** How to wait for a lock. */
export interface LockWaitOptions {
  readonly sleep: (ms: number) => Promise<void>;
  /** Called repeatedly while another process holds the lock. */
  readonly onWait?: (holder: string) => void;
}

const POLL_INTERVAL_MS = 100;
/** A holder touches its lock this often; a lock of another machine without touches for much longer is stale. */
const TOUCH_INTERVAL_MS = 10_000;
const TOUCHED_RULES: LockRules = { foreignForMs: 120_000, tornForMs: 5000 };

/** Runs the work while holding the lock at `path`, against other processes and within this one. */
export async function withLock<T>(path: string, options: LockWaitOptions, work: () => Promise<T>): Promise<T> {
  const release = await waitForLock(path, options);
  const touching = setInterval(() => touchLock(path), TOUCH_INTERVAL_MS).unref();
  try {
    return await work();
  } finally {
    clearInterval(touching);
    release();
  }
}

async function waitForLock(path: string, { sleep, onWait }: LockWaitOptions): Promise<() => void> {
  for (;;) {
    const attempt = tryLock(path, TOUCHED_RULES);
    if (attempt.isMine) return attempt.release;
    onWait?.(describeLockHolder(attempt.holder));
    await sleep(POLL_INTERVAL_MS);
  }
}

function describeLockHolder(holder: LockHolder | null): string {
  if (holder === null) return "another process";
  return isLocalHolder(holder) ? `process ${holder.pid}` : `process ${holder.pid} on ${holder.host}`;
}

function touchLock(path: string): void {
  try {
    const now = new Date();
    utimesSync(path, now, now);
  } catch {
    // Removed by hand: continue, because what the work writes is verified.
  }
}

function releaseLock(path: string, mine: string): void {
  if (readLockFile(path) === mine) rmSync(path, { force: true });
}

/**
 * Replaces a stale lock; returns the winner if another process was faster. A process that read the stale lock long ago
 * could replace its successor's lock instead, so only one process at a time may replace this exact content, and it checks
 * again first. If it is killed meanwhile, the lock it leaves behind is taken over in the same way.
 */
function takeOverLock(
  path: string,
  { dead, mine, rules }: { dead: string; mine: string; rules: LockRules },
): LockAttempt | null {
  const right = tryLock(`${path}.${createHash("sha256").update(dead).digest("hex").slice(0, 16)}`, rules);
  if (!right.isMine) return right;
  try {
    if (readLockFile(path) !== dead) return UNKNOWN_HOLDER;
    writeAtomically(path, mine);
    return null;
  } finally {
    right.release();
  }
}

/** Creates the lock and its content in one step, so that no one sees a lock without its holder. */
function tryCreateLock(path: string, content: string): boolean {
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

/** Error codes of file systems without hard links. */
const NO_HARD_LINK_CODES = new Set(["EPERM", "ENOSYS", "ENOTSUP", "EOPNOTSUPP"]);

function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    if (!NO_HARD_LINK_CODES.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
    copyWholeFile(from, to);
  }
}

/** A copy truncated by a full disk would be a lock without a holder. */
function copyWholeFile(from: string, to: string): void {
  try {
    copyFileSync(from, to, constants.COPYFILE_EXCL);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOSPC") rmSync(to, { force: true });
    throw error;
  }
}

function isLockValid(path: string, holder: LockHolder | null, { foreignForMs, tornForMs }: LockRules): boolean {
  if (holder === null) return getLockAge(path) < tornForMs;
  return isLocalHolder(holder) ? isHolderAlive(holder) : getLockAge(path) < foreignForMs;
}

function readLockFile(path: string): string | null {
  try {
    return readFileInside(dirname(path), basename(path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** A lock that is gone counts as new, so the caller looks again; so does one from the future, if clocks differ. */
function getLockAge(path: string): number {
  try {
    return Math.max(0, Date.now() - statSync(path).mtimeMs);
  } catch {
    return 0;
  }
}

function getCurrentHolder(): LockHolder {
  return { pid: process.pid, host: hostname(), start: readProcessStart(process.pid) };
}

/** Null if the content is incomplete. */
function parseLockHolder(content: string): LockHolder | null {
  try {
    const { pid, host, start } = JSON.parse(content) as Partial<Record<keyof LockHolder, unknown>>;
    if (!Number.isInteger(pid) || Number(pid) < 1 || typeof host !== "string") return null;
    return { pid: Number(pid), host, start: typeof start === "string" ? start : null };
  } catch {
    return null;
  }
}

function isLocalHolder({ host }: LockHolder): boolean {
  return host === hostname();
}

function isHolderAlive({ pid, start }: LockHolder): boolean {
  if (!isProcessRunning(pid)) return false;
  const now = readProcessStart(pid);
  return start === null || now === null || start === now;
}

function isProcessRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Field 22 of /proc/PID/stat, counted after the command name, which may contain spaces and brackets. */
function readProcessStart(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null;
  } catch {
    return null;
  }
}
