import { readdirSync, readFileSync } from "node:fs";

/** Descriptor flag: closed when another program is started. */
const CLOSE_ON_EXEC = 0o2000000;

/**
 * Descriptors that this process inherited and that a started program would inherit too: an open folder would be a way out
 * of any sandbox. Node closes its own.
 */
export function findStrayDescriptors(): number[] {
  return listOpenDescriptors().filter((fd) => fd > 2 && isInherited(fd));
}

function listOpenDescriptors(): number[] {
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
    // The descriptor used to read the list is already closed.
    return false;
  }
}
