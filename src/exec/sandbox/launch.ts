import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { boxArgs, INFO_FD, type IsolationKind } from "./box.js";
import type { Command } from "./boxed-process.js";
import { callFilter } from "./call-filter.js";
import { kernelLimits, type SandboxLimits } from "./limits.js";

/** What is to be started. */
export interface Launch {
  interpreter: Interpreter;
  args: readonly string[];
  limits: SandboxLimits;
  files?: Readonly<Record<string, string>>;
  stdin?: string;
  isQuiet?: boolean;
  /** False for a program that has nothing to say on descriptor 3. */
  hasLines?: boolean;
  /** Descriptors of this process that it must not be given. */
  strays?: readonly number[];
}

const FIRST_INPUT_FD = INFO_FD + 1;
const PRLIMIT = "/usr/bin/prlimit";

/** A launch in a box. `uid` is one of the pool when root starts it, else null. */
export function boxCommand(launch: Launch, kind: IsolationKind, uid: number | null): Command {
  const { interpreter, args, limits } = launch;
  const filter = callFilter();
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
    args: boxArgs(plan),
    inputs,
    ...bounds(launch),
    isGroup: false,
    // A user namespace of root's would still be root where files are concerned.
    ...(kind === "user_namespace" && uid !== null ? { uid } : {}),
    memoryBytes: limits.memoryBytes,
  };
}

/** A launch without a box: limits and a clean environment, no protection of files or network. */
export function localCommand(launch: Launch, folder: string): Command {
  const { interpreter, args, limits } = launch;
  const [command = interpreter.path, ...rest] = [...localLimits(launch), interpreter.path, ...args];
  return { command, args: rest, cwd: folder, ...bounds(launch), isGroup: true, memoryBytes: limits.memoryBytes };
}

/** The limit on processes counts all of the user's, who is at work on this machine: here it would hit the innocent. */
function localLimits(launch: Launch): string[] {
  if (!existsSync(PRLIMIT)) return [];
  const limits = kernelLimits(launch.limits, launch.interpreter.language);
  return [PRLIMIT, ...limits.filter((limit) => !limit.startsWith("--nproc")), "--"];
}

function bounds({ limits, stdin, isQuiet = false, hasLines = true, strays = [] }: Launch) {
  const { wallMs, cpuSecs, outputBytes } = limits;
  return { wallMs, cpuSecs, outputBytes, isQuiet, hasLines, strays, ...(stdin === undefined ? {} : { stdin }) };
}

/**
 * None of V8's own flags, not even one that bounds its heap: with any of them V8 takes none of the code that Node has
 * compiled in advance, which costs a short program half of its time. The kernel bounds the heap: where it refuses a page,
 * V8 collects its garbage and asks again.
 */
const NODE_FLAGS = ["--v8-pool-size=1"];

/** The arguments that run the program in a file. */
export function fileArgs(language: Language, path: string): string[] {
  // -E -s: neither environment nor the user's own packages count. -B writes no caches.
  return language === "python" ? ["-E", "-s", "-B", path] : [...NODE_FLAGS, path];
}

/** The arguments that run a text. Python comes without the packages that were installed: that saves a third of its start. */
export function textArgs(language: Language, text: string): string[] {
  return language === "python" ? ["-I", "-S", "-B", "-c", text] : [...NODE_FLAGS, "-e", text];
}

/** The languages that programs are run in. */
export const LANGUAGES = ["python", "javascript"] as const;
export type Language = (typeof LANGUAGES)[number];

/** A program that runs programs, and what of the file system it needs. */
export interface Interpreter {
  language: Language;
  path: string;
  version: string;
  /** Folders outside of /usr that hold it. */
  folders: readonly string[];
  /** Where Python keeps the packages that were installed. */
  packages: readonly string[];
}

/** The distribution's own comes first: it needs nothing but /usr. */
const PYTHONS = ["/usr/bin/python3", "python3", "python"];

const ASK_PYTHON = `
import json, platform, site, sys
print(json.dumps([sys.executable, sys.base_prefix, platform.python_version(), site.getsitepackages()]))
`;

const run = promisify(execFile);

/** The interpreter of a language that this machine has; null when it has none. */
export async function findInterpreter(language: Language): Promise<Interpreter | null> {
  if (language === "javascript") return ownNode();
  for (const command of PYTHONS) {
    const found = await askPython(command);
    if (found !== null) return found;
  }
  return null;
}

/** A shim such as pyenv's is not an interpreter: what it starts says where it really is. */
async function askPython(command: string): Promise<Interpreter | null> {
  try {
    const { stdout } = await run(command, ["-I", "-c", ASK_PYTHON], { timeout: 10_000 });
    const [executable, prefix, version, packages] = JSON.parse(stdout) as [string, string, string, string[]];
    const path = realpathSync(executable);
    const folders = outsideUsr([prefix, dirname(path), ...packages]);
    return { language: "python", path, version, folders, packages: packages.filter((folder) => existsSync(folder)) };
  } catch {
    return null;
  }
}

function ownNode(): Interpreter {
  const path = realpathSync(process.execPath);
  const folders = outsideUsr([dirname(path)]);
  return { language: "javascript", path, version: process.versions.node, folders, packages: [] };
}

/** No folder that lies in another one of the list. */
function outsideUsr(folders: readonly string[]): string[] {
  const outside = [...new Set(folders)].filter((folder) => !isWithin(folder, "/usr") && existsSync(folder));
  return outside.filter((folder) => !outside.some((other) => other !== folder && isWithin(folder, other)));
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

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
