import { readFileSync } from "node:fs";

/** Above every range that Linux distributions and systemd use, and still within signed 32-bit numbers. */
const FIRST_UID = 0x7000_0000;
const POOL_COUNT = 64;

/**
 * Unused user ids, one for each sandbox, because the kernel's process limit counts all processes of a user. Ids include
 * this process's id, so that two Assay processes never share one.
 */
export class UidPool {
  readonly #free: number[];

  constructor(pid: number = process.pid, highest: number = findHighestUid()) {
    const first = FIRST_UID + POOL_COUNT * (pid % 2 ** 22);
    const offset = first + POOL_COUNT - 1 <= highest ? 0 : first - wrapUid(first, highest);
    this.#free = Array.from({ length: POOL_COUNT }, (_, slot) => first - offset + POOL_COUNT - 1 - slot);
  }

  take(): number | null {
    return this.#free.pop() ?? null;
  }

  /** Call only when every process of the id has ended. */
  release(uid: number): void {
    this.#free.push(uid);
  }
}

let sharedPool: UidPool | null = null;

/** One pool per process, so that its sandboxes never share an id. */
export function getUidPool(): UidPool | null {
  if (process.getuid?.() !== 0) return null;
  sharedPool ??= new UidPool();
  return sharedPool;
}

/** Maps the range into the few ids that a container may have. */
function wrapUid(first: number, highest: number): number {
  const room = Math.floor(highest / 2 / POOL_COUNT);
  return Math.ceil(highest / 2) + POOL_COUNT * ((first / POOL_COUNT) % Math.max(1, room));
}

/** The highest user id this process can switch to. */
function findHighestUid(): number {
  try {
    const lines = readFileSync("/proc/self/uid_map", "utf8").trim().split("\n");
    return Math.max(...lines.map((line) => parseLastUid(line)));
  } catch {
    return 2 ** 31 - 1;
  }
}

function parseLastUid(line: string): number {
  const [first = 0, , count = 0] = line.trim().split(/\s+/).map(Number);
  return first + count - 1;
}
