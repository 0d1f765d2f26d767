import { readdirSync, readFileSync } from "node:fs";

/** In the flags of a descriptor: it is closed when another program is started. */
const CLOSE_ON_EXEC = 0o2000000;

/**
 * The descriptors that this process was given by whoever started it, and that a program started from here would be
 * given in turn: an open folder is a way out of any box. Node closes its own.
 */
export function strayDescriptors(): number[] {
  return openDescriptors().filter((fd) => fd > 2 && isInherited(fd));
}

function openDescriptors(): number[] {
  try {
    return readdirSync("/proc/self/fd").map(Number);
  } catch {
    return [];
  }
}

function isInherited(fd: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, "latin1"))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    // The one that the list itself was read through is gone by now.
    return false;
  }
}
