import { readFileSync } from "node:fs";
import { hostname } from "node:os";

/** Who holds a lock. */
export interface LockHolder {
  readonly pid: number;
  readonly host: string;
  /** When the process started, to tell it from a later one with the same pid; null where the system does not say. */
  readonly start: string | null;
}

/** This process as a holder. */
export function thisProcess(): LockHolder {
  return { pid: process.pid, host: hostname(), start: startOf(process.pid) };
}

/** The holder that a lock names; null for one that was torn. */
export function parseHolder(content: string): LockHolder | null {
  try {
    const { pid, host, start } = JSON.parse(content) as Partial<Record<keyof LockHolder, unknown>>;
    if (!Number.isInteger(pid) || Number(pid) < 1 || typeof host !== "string") return null;
    return { pid: Number(pid), host, start: typeof start === "string" ? start : null };
  } catch {
    return null;
  }
}

/** Whether a holder is of this machine, so that it can be seen whether it lives. */
export function isLocal({ host }: LockHolder): boolean {
  return host === hostname();
}

/** Whether a holder of this machine lives. */
export function isAlive({ pid, start }: LockHolder): boolean {
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
