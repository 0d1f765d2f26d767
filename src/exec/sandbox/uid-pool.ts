import { readFileSync } from "node:fs";

/** Above every range that Linux distributions and systemd use, and still within signed 32-bit numbers. */
const FIRST_UID = 0x7000_0000;
const SLOTS = 64;

/**
 * Unused user ids, one for each sandbox, because the kernel's process limit counts all processes of a user. Ids include
 * this process's id, so that two Assay processes never share one.
 */
export class UidPool {
  readonly #free: number[];

  constructor(pid: number = process.pid, highest: number = highestUid()) {
    const first = FIRST_UID + SLOTS * (pid % 2 ** 22);
    const offset = first + SLOTS - 1 <= highest ? 0 : first - wrapped(first, highest);
    this.#free = Array.from({ length: SLOTS }, (_, slot) => first - offset + SLOTS - 1 - slot);
  }

  take(): number | null {
    return this.#free.pop() ?? null;
  }

  /** Call only when every process of the id has ended. */
  give(uid: number): void {
    this.#free.push(uid);
  }
}

let ownPool: UidPool | null = null;

/** One pool per process, so that its sandboxes never share an id. */
export function ownUids(): UidPool | null {
  if (process.getuid?.() !== 0) return null;
  ownPool ??= new UidPool();
  return ownPool;
}

/** Maps the range into the few ids that a container may have. */
function wrapped(first: number, highest: number): number {
  const room = Math.floor(highest / 2 / SLOTS);
  return Math.ceil(highest / 2) + SLOTS * ((first / SLOTS) % Math.max(1, room));
}

/** The highest user id this process can switch to. */
function highestUid(): number {
  try {
    const lines = readFileSync("/proc/self/uid_map", "utf8").trim().split("\n");
    return Math.max(...lines.map((line) => lastOf(line)));
  } catch {
    return 2 ** 31 - 1;
  }
}

function lastOf(line: string): number {
  const [first = 0, , count = 0] = line.trim().split(/\s+/).map(Number);
  return first + count - 1;
}
