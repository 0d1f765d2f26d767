import { readdirSync, readFileSync } from "node:fs";

/**
 * Ends boxes that were being made when the Assay process that made them was killed: `bwrap` holds on to its own parent
 * from early on, but its first process in the box to `bwrap` only late. A box that somebody holds is never touched.
 */
export function endOrphans(): number {
  const orphans = boxedProcesses().filter(isOrphan);
  return orphans.filter(end).length;
}

/** The first processes of boxes, which are told by their command line and by their number in the box. */
function boxedProcesses(): number[] {
  return listOf("/proc")
    .filter((name) => /^\d+$/.test(name) && isBox(name) && /^NSpid:.*\t1$/m.test(textOf(`/proc/${name}/status`)))
    .map(Number);
}

/** While `bwrap` is there to hold a box, it is the parent. */
function isOrphan(pid: number): boolean {
  const parent = /^PPid:\t(\d+)$/m.exec(textOf(`/proc/${pid}/status`))?.[1];
  return parent !== undefined && !isBox(parent);
}

function isBox(pid: string): boolean {
  const command = textOf(`/proc/${pid}/cmdline`);
  return command.startsWith("/usr/bin/bwrap\0") && command.includes("\0--hostname\0box\0--die-with-parent\0");
}

function end(pid: number): boolean {
  try {
    return process.kill(pid, "SIGKILL");
  } catch {
    // Another user's: it is theirs to end.
    return false;
  }
}

function listOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
