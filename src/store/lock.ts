import { createHash, randomUUID } from "node:crypto";
import { constants, copyFileSync, linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { RunFolderError } from "../core/errors.js";
import { writeAtomically } from "../files/atomic.js";

/** Who holds a lock. The token makes every lock unlike any other, so that one can be told from its successor. */
interface Holder {
  pid: number;
  host: string;
  /** When the process started, to tell it from a later one with the same pid; null where the system does not say. */
  start: string | null;
  token: string;
}

/** A lock that comes and goes this often between two looks belongs to others. */
const MOST_LOOKS = 100;

/** Keeps two processes from writing one run. The lock of a process that is gone is taken over, by one successor only. */
export function lockRun(path: string): () => void {
  const holder: Holder = { pid: process.pid, host: hostname(), start: startOf(process.pid), token: randomUUID() };
  const mine = JSON.stringify(holder);
  acquire(path, mine);
  return () => {
    if (contentOf(path) === mine) rmSync(path, { force: true });
  };
}

function acquire(path: string, mine: string): void {
  for (let look = 0; look < MOST_LOOKS; look++) {
    if (created(path, mine)) return;
    const found = contentOf(path);
    if (found === null) continue;
    refuseIfAlive(path, found);
    if (tookOver(path, { dead: found, mine })) return;
  }
  throw new RunFolderError(`Other processes keep taking the run (${path}). Wait for them, then try again.`);
}

/**
 * Replaces a dead lock. Whoever read it may have read it long ago, and would replace its successor's instead: so only
 * one process at a time may replace this very content, and looks again before it does. A process killed while it may
 * leaves a dead lock on that right, which is taken over in the same way.
 */
function tookOver(path: string, { dead, mine }: { dead: string; mine: string }): boolean {
  const release = lockRun(`${path}.${createHash("sha256").update(dead).digest("hex").slice(0, 16)}`);
  try {
    if (contentOf(path) !== dead) return false;
    writeAtomically(path, mine);
    return true;
  } finally {
    release();
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
    copyFileSync(from, to, constants.COPYFILE_EXCL);
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

function refuseIfAlive(path: string, content: string): void {
  const holder = parseHolder(content);
  if (holder === null || !isAlive(holder)) return;
  throw new RunFolderError(
    `The run is being written by process ${holder.pid} on ${holder.host}. Wait for it or stop it; if it is gone for sure, remove ${path}.`,
  );
}

/** Null for a lock that a crash of the machine tore. */
function parseHolder(content: string): Pick<Holder, "pid" | "host" | "start"> | null {
  try {
    const { pid, host, start } = JSON.parse(content) as Partial<Record<keyof Holder, unknown>>;
    if (!Number.isInteger(pid) || Number(pid) < 1 || typeof host !== "string") return null;
    return { pid: Number(pid), host, start: typeof start === "string" ? start : null };
  } catch {
    return null;
  }
}

/** Whether a process of another machine lives cannot be seen from here: it counts as alive. */
function isAlive({ pid, host, start }: Pick<Holder, "pid" | "host" | "start">): boolean {
  if (host !== hostname()) return true;
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
