import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { RunFolderError } from "../core/errors.js";

/** Keeps two processes from writing one run. The lock of a process that is gone is taken over. */
export function lockRun(path: string): () => void {
  const mine = JSON.stringify({ pid: process.pid, host: hostname() });
  if (!tryLock(path, mine)) {
    const holder = readHolder(path);
    if (holder !== null && isAlive(holder)) {
      throw new RunFolderError(
        `The run is being written by process ${holder.pid} on ${holder.host}. Wait for it or stop it; if it is gone for sure, remove ${path}.`,
      );
    }
    rmSync(path, { force: true });
    if (!tryLock(path, mine))
      throw new RunFolderError(`Another process took over the run at the same moment (${path}).`);
  }
  return () => rmSync(path, { force: true });
}

function tryLock(path: string, content: string): boolean {
  try {
    writeFileSync(path, content, { flag: "wx" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

interface Holder {
  pid: number;
  host: string;
}

function readHolder(path: string): Holder | null {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Holder;
  } catch {
    return null;
  }
}

function isAlive({ pid, host }: Holder): boolean {
  if (host !== hostname()) return true;
  if (pid === process.pid) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
