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
