import { existsSync } from "node:fs";
import { getErrorMessage } from "../../core/index.js";
import type { IsolationKind } from "./bwrap-args.js";
import { findInterpreter, type Interpreter, LANGUAGES, type Language } from "./interpreters.js";
import { DEFAULT_LIMITS } from "./limits.js";
import { buildSandboxCommand, findStrayDescriptors, SandboxedProcess } from "./sandboxed-process.js";
import { buildSyscallFilter } from "./syscall-filter.js";
import { getUidPool } from "./uid-pool.js";

/** The isolation available on this machine for untrusted programs, determined by trying it. */
export interface Isolation {
  /** Null when none works. */
  kind: IsolationKind | null;
  /** Description for people. */
  detail: string;
  interpreters: Readonly<Record<Language, Interpreter | null>>;
  /** How to install what is missing. */
  advice: readonly string[];
}

const REQUIRED_PROGRAMS = [
  { path: "/usr/bin/bwrap", package: "bubblewrap" },
  { path: "/usr/bin/prlimit", package: "util-linux" },
  { path: "/usr/bin/setpriv", package: "util-linux" },
];

/** A file that exists on every machine and in no sandbox. */
const HOST_FILE = "/etc/passwd";

/**
 * Determines the available isolation by running something in it.
 * @example
 * const { kind, advice } = await describeIsolation();
 */
export async function describeIsolation(): Promise<Isolation> {
  const interpreters = { python: await findInterpreter("python"), javascript: await findInterpreter("javascript") };
  const missing = LANGUAGES.filter((language) => interpreters[language] === null);
  const advice = missing.map((language) => `To run ${language} programs: apt-get install python3`);
  const packages = [
    ...new Set(REQUIRED_PROGRAMS.filter(({ path }) => !existsSync(path)).map((needed) => needed.package)),
  ];
  if (packages.length > 0) {
    const install = `apt-get install ${packages.join(" ")}`;
    return { kind: null, detail: `missing: ${packages.join(", ")}`, interpreters, advice: [install, ...advice] };
  }
  return { ...(await tryIsolationKinds(advice)), interpreters };
}

async function tryIsolationKinds(advice: readonly string[]): Promise<Omit<Isolation, "interpreters">> {
  const kinds: IsolationKind[] = process.getuid?.() === 0 ? ["root", "user_namespace"] : ["user_namespace"];
  const problems: string[] = [];
  for (const kind of kinds) {
    const problem = await findIsolationProblem(kind);
    if (problem === null) return { kind, detail: `${KIND_NAMES[kind]}${describeFilter()}`, advice };
    problems.push(`${KIND_NAMES[kind]}: ${problem}`);
  }
  return { kind: null, detail: problems.join("; "), advice: [...ADVICE, ...advice] };
}

/** The filter blocks what namespaces leave open, so its absence is reported. */
function describeFilter(): string {
  return buildSyscallFilter() === null ? `, without a system call filter (not available for ${process.arch})` : "";
}

const KIND_NAMES = {
  root: "bubblewrap as root, each sandbox with its own user id",
  user_namespace: "bubblewrap in a user namespace",
};

const ADVICE = [
  "Update bubblewrap to 0.8 or later: --size and --disable-userns are required.",
  "If the kernel forbids user namespaces: sysctl kernel.unprivileged_userns_clone=1, or on Ubuntu kernel.apparmor_restrict_unprivileged_userns=0.",
  "In a container: run it as root with --cap-add SYS_ADMIN --security-opt seccomp=unconfined, or allow it to create user namespaces.",
];

/** Returns why a sandbox of this kind does not work; null when it does. */
async function findIsolationProblem(kind: IsolationKind): Promise<string | null> {
  const test: Interpreter = { language: "python", path: "/usr/bin/test", version: "", folders: [], packages: [] };
  const strays = findStrayDescriptors();
  const plan = { interpreter: test, args: ["!", "-e", HOST_FILE], limits: DEFAULT_LIMITS, hasLines: false, strays };
  const uids = getUidPool();
  const uid = uids?.take() ?? null;
  try {
    const { exitCode, stderr } = await new SandboxedProcess(buildSandboxCommand(plan, kind, uid)).ended;
    return exitCode === 0 ? null : stderr.trim().split("\n").at(-1) || `it ended with ${exitCode}`;
  } catch (error) {
    return getErrorMessage(error);
  } finally {
    if (uid !== null) uids?.release(uid);
  }
}
