import { readFileSync } from "node:fs";
import { UsageError } from "../../core/errors.js";

/** What one program may use before it is stopped. */
export interface SandboxLimits {
  /** Milliseconds from its start to its end. */
  wallMs: number;
  /** Seconds of processor time, for each of its processes. */
  cpuSecs: number;
  /** Memory of all its processes together, and of each alone. */
  memoryBytes: number;
  /** The size of its folder, which lives in memory. */
  diskBytes: number;
  /** The size of any one file. */
  fileBytes: number;
  /** Processes and threads at a time. */
  processes: number;
  openFiles: number;
  /** What it may print, to the standard output and to the error output each. */
  outputBytes: number;
}

const MIB = 2 ** 20;

export const DEFAULT_LIMITS: Readonly<SandboxLimits> = {
  wallMs: 10_000,
  cpuSecs: 10,
  memoryBytes: 512 * MIB,
  diskBytes: 64 * MIB,
  fileBytes: 32 * MIB,
  processes: 64,
  openFiles: 256,
  outputBytes: MIB,
};

/** V8 reserves far more addresses than it ever uses; a tight limit on them would keep it from starting. */
const RESERVED_BYTES = { python: 256 * MIB, javascript: 4096 * MIB };

/** The limits asked for, with the default of each that is not. */
export function limitsOf(asked: Partial<SandboxLimits> = {}): SandboxLimits {
  for (const [name, value] of Object.entries(asked)) {
    if (!(name in DEFAULT_LIMITS)) throw new UsageError(`The sandbox has no limit "${name}".`);
    if (value !== undefined && !(Number.isFinite(value) && value > 0)) {
      throw new UsageError(`The sandbox limit ${name} is ${value}; give a number above 0.`);
    }
  }
  const known = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
  return { ...DEFAULT_LIMITS, ...known };
}

/** The limits that the kernel itself holds, as arguments of `prlimit`. */
export function kernelLimits(limits: SandboxLimits, language: "python" | "javascript"): string[] {
  const cpu = Math.ceil(limits.cpuSecs);
  return [
    `--cpu=${cpu}:${cpu + 1}`,
    `--data=${Math.ceil(limits.memoryBytes)}`,
    `--as=${Math.ceil(limits.memoryBytes) + RESERVED_BYTES[language]}`,
    `--fsize=${Math.ceil(limits.fileBytes)}`,
    `--nproc=${Math.ceil(limits.processes)}`,
    `--nofile=${Math.ceil(limits.openFiles)}`,
    "--core=0",
    "--memlock=0",
    "--msgqueue=0",
  ];
}

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
