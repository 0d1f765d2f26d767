import { readFileSync } from "node:fs";

/** Above every range that Linux distributions and systemd hand out, and still a signed 32-bit number at its end. */
const FIRST_UID = 0x7000_0000;
const SLOTS = 64;

/**
 * User ids that belong to nobody else, one for each box: the kernel's limit on processes counts all processes of a
 * user. An id holds the id of this process, so that two Assay processes never share one.
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

  /** Only when every process of the id is gone. */
  give(uid: number): void {
    this.#free.push(uid);
  }
}

let ownPool: UidPool | null = null;

/** The ids of this process. There is one pool, since all sandboxes of a process would otherwise have the same ids. */
export function ownUids(): UidPool | null {
  if (process.getuid?.() !== 0) return null;
  ownPool ??= new UidPool();
  return ownPool;
}

/** A place of the same kind within the few ids that a container may have mapped. */
function wrapped(first: number, highest: number): number {
  const room = Math.floor(highest / 2 / SLOTS);
  return Math.ceil(highest / 2) + SLOTS * ((first / SLOTS) % Math.max(1, room));
}

/** The highest user id that this process can switch to. */
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
