import { UsageError } from "../../core/index.js";

/** Limits of one program. */
export interface SandboxLimits {
  /** Elapsed time in milliseconds. */
  wallMs: number;
  /** CPU time in seconds, for each process. */
  cpuSecs: number;
  /** Memory of all its processes together, and of each. */
  memoryBytes: number;
  /** Size of its folder, which is in memory. */
  diskBytes: number;
  /** Size of each file. */
  fileBytes: number;
  /** Concurrent processes and threads. */
  processes: number;
  openFiles: number;
  /** Size of stdout and of stderr. */
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

/** V8 reserves far more address space than it uses; a tight limit would keep it from starting. */
const RESERVED_BYTES = { python: 256 * MIB, javascript: 4096 * MIB };

/** Checks the given limits and fills in the defaults. */
export function resolveSandboxLimits(asked: Partial<SandboxLimits> = {}): SandboxLimits {
  for (const [name, value] of Object.entries(asked)) {
    if (!(name in DEFAULT_LIMITS)) throw new UsageError(`Unknown sandbox limit "${name}".`);
    if (value !== undefined && !(Number.isFinite(value) && value > 0)) {
      throw new UsageError(`Sandbox limit ${name} must be above 0, but is ${value}.`);
    }
  }
  const known = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
  return { ...DEFAULT_LIMITS, ...known };
}

/** The limits enforced by the kernel, as arguments of `prlimit`. */
export function formatKernelLimits(limits: SandboxLimits, language: "python" | "javascript"): string[] {
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
