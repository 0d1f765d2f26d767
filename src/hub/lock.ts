import { utimesSync } from "node:fs";
import { isLocal, type LockHolder, type LockRules, tryLock } from "../utils/lock.js";

/** What is asked for a lock: how to wait for it, and whom to tell. */
export interface LockOptions {
  readonly sleep: (ms: number) => Promise<void>;
  /** Told again and again while another process has it. */
  readonly onWait?: (holder: string) => void;
}

const LOOK_EVERY_MS = 100;
/** A holder touches its lock this often; one on another machine that has not for much longer counts as gone. */
const TOUCH_EVERY_MS = 10_000;
const RULES: LockRules = { foreignForMs: 120_000, tornForMs: 5000 };

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
    const attempt = tryLock(path, RULES);
    if (attempt.isMine) return attempt.release;
    onWait?.(inWords(attempt.holder));
    await sleep(LOOK_EVERY_MS);
  }
}

function inWords(holder: LockHolder | null): string {
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
