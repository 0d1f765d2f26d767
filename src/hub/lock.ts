import { createHash, randomUUID } from "node:crypto";
import { readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";

/** Who holds a lock. */
interface Holder {
  readonly pid: number;
  readonly host: string;
  /** When the process started, to tell it from a later one with the same pid; null where the system does not say. */
  readonly start: string | null;
}

/** What is asked for a lock: how to wait for it, and whom to tell. */
export interface LockOptions {
  readonly sleep: (ms: number) => Promise<void>;
  /** Told again and again while another process has it. */
  readonly onWait?: (holder: string) => void;
}

const LOOK_EVERY_MS = 100;
/** A holder touches its lock this often; one on another machine that has not for much longer counts as gone. */
const TOUCH_EVERY_MS = 10_000;
const GONE_AFTER_MS = 120_000;
/** A lock without a holder is being written, or was left by a process that died on it. */
const TORN_AFTER_MS = 5000;

/** Does the work while no other process, and nothing else in this one, holds the lock at `path`. */
export async function withLock<T>(path: string, options: LockOptions, work: () => Promise<T>): Promise<T> {
  const release = await acquire(path, options);
  const touching = setInterval(() => touch(path), TOUCH_EVERY_MS).unref();
  try {
    return await work();
  } finally {
    clearInterval(touching);
    release();
  }
}

async function acquire(path: string, { sleep, onWait }: LockOptions): Promise<() => void> {
  for (;;) {
    const got = tryLock(path);
    if (typeof got === "function") return got;
    onWait?.(got);
    await sleep(LOOK_EVERY_MS);
  }
}

/** The way to give it back, or who has it. */
export function tryLock(path: string): (() => void) | string {
  const holder: Holder = { pid: process.pid, host: hostname(), start: startOf(process.pid) };
  const mine = JSON.stringify({ ...holder, token: randomUUID() });
  const release = () => {
    if (contentOf(path) === mine) rmSync(path, { force: true });
  };
  if (created(path, mine)) return release;
  const found = contentOf(path);
  if (found === null) return "another process";
  const living = livingHolder(path, found);
  if (living !== null) return living;
  return tookOver(path, { dead: found, mine }) ? release : "another process";
}

function created(path: string, content: string): boolean {
  try {
    writeFileSync(path, content, { flag: "wx" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    if ((error as NodeJS.ErrnoException).code === "ENOSPC") rmSync(path, { force: true });
    throw error;
  }
}

/**
 * Replaces a dead lock. Whoever found it dead may have looked long ago, when by now a successor holds it: so one
 * process at a time may replace this very content, and looks again before it does.
 */
function tookOver(path: string, { dead, mine }: { dead: string; mine: string }): boolean {
  const right = tryLock(`${path}.${createHash("sha256").update(dead).digest("hex").slice(0, 16)}`);
  if (typeof right === "string") return false;
  try {
    if (contentOf(path) !== dead) return false;
    const whole = `${path}.${randomUUID()}`;
    writeFileSync(whole, mine);
    renameSync(whole, path);
    return true;
  } finally {
    right();
  }
}

/** The holder in words, or null when it is gone. */
function livingHolder(path: string, content: string): string | null {
  const holder = parseHolder(content);
  if (holder === null) return ageOf(path) < TORN_AFTER_MS ? "another process" : null;
  if (holder.host !== hostname()) {
    return ageOf(path) < GONE_AFTER_MS ? `process ${holder.pid} on ${holder.host}` : null;
  }
  return isAlive(holder) ? `process ${holder.pid}` : null;
}

function parseHolder(content: string): Holder | null {
  try {
    const { pid, host, start } = JSON.parse(content) as Partial<Record<keyof Holder, unknown>>;
    if (!Number.isInteger(pid) || Number(pid) < 1 || typeof host !== "string") return null;
    return { pid: Number(pid), host, start: typeof start === "string" ? start : null };
  } catch {
    return null;
  }
}

function isAlive({ pid, start }: Holder): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return false;
  }
  const now = startOf(pid);
  return start === null || now === null || start === now;
}

/** Field 22 of /proc/PID/stat; the command's name before it may hold spaces and brackets. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null;
  } catch {
    return null;
  }
}

function contentOf(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

function ageOf(path: string): number {
  try {
    return Date.now() - statSync(path).mtimeMs;
  } catch {
    return 0;
  }
}

function touch(path: string): void {
  try {
    const now = new Date();
    utimesSync(path, now, now);
  } catch {
    // Taken away by hand: the work goes on, and what it writes is verified.
  }
}
