import { existsSync } from "node:fs";
import { buildBwrapArgs, INFO_FD, type IsolationKind } from "./box.js";
import type { SandboxCommand } from "./boxed-process.js";
import { buildSyscallFilter } from "./call-filter.js";
import type { Interpreter } from "./interpreters.js";
import { formatKernelLimits, type SandboxLimits } from "./limits.js";

export interface SandboxLaunch {
  interpreter: Interpreter;
  args: readonly string[];
  limits: SandboxLimits;
  files?: Readonly<Record<string, string>>;
  stdin?: string;
  isQuiet?: boolean;
  /** False for a program that does not use descriptor 3. */
  hasLines?: boolean;
  /** Descriptors of this process that must not be inherited. */
  strays?: readonly number[];
}

const FIRST_INPUT_FD = INFO_FD + 1;
const PRLIMIT = "/usr/bin/prlimit";

/** Builds the command for a sandbox. `uid` is from the pool when started by root, else null. */
export function buildSandboxCommand(launch: SandboxLaunch, kind: IsolationKind, uid: number | null): SandboxCommand {
  const { interpreter, args, limits } = launch;
  const filter = buildSyscallFilter();
  const inputs = [...(filter === null ? [] : [filter]), ...Object.values(launch.files ?? {})];
  const filterFd = filter === null ? null : FIRST_INPUT_FD;
  const firstFile = FIRST_INPUT_FD + (filter === null ? 0 : 1);
  const files = Object.keys(launch.files ?? {}).map((name, index) => ({ name, fd: firstFile + index }));
  const plan = {
    kind,
    uid: kind === "root" ? uid : null,
    interpreter,
    args,
    files,
    filterFd,
    limits,
  };
  return {
    command: "/usr/bin/bwrap",
    args: buildBwrapArgs(plan),
    inputs,
    ...pickLaunchBounds(launch),
    isGroup: false,
    // In root's user namespace it would still have root's access to files.
    ...(kind === "user_namespace" && uid !== null ? { uid } : {}),
    memoryBytes: limits.memoryBytes,
  };
}

/** Builds the command to run without a sandbox: limits and a clean environment, but no protection of files or network. */
export function buildLocalCommand(launch: SandboxLaunch, folder: string): SandboxCommand {
  const { interpreter, args, limits } = launch;
  const [command = interpreter.path, ...rest] = [...buildLocalLimitArgs(launch), interpreter.path, ...args];
  return {
    command,
    args: rest,
    cwd: folder,
    ...pickLaunchBounds(launch),
    isGroup: true,
    memoryBytes: limits.memoryBytes,
  };
}

/** No limit on processes, because it would count all other processes of the user. */
function buildLocalLimitArgs(launch: SandboxLaunch): string[] {
  if (!existsSync(PRLIMIT)) return [];
  const limits = formatKernelLimits(launch.limits, launch.interpreter.language);
  return [PRLIMIT, ...limits.filter((limit) => !limit.startsWith("--nproc")), "--"];
}

function pickLaunchBounds({ limits, stdin, isQuiet = false, hasLines = true, strays = [] }: SandboxLaunch) {
  const { wallMs, cpuSecs, outputBytes } = limits;
  return { wallMs, cpuSecs, outputBytes, isQuiet, hasLines, strays, ...(stdin === undefined ? {} : { stdin }) };
}
