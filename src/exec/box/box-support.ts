import { existsSync } from "node:fs";
import { getErrorMessage } from "../../core/index.js";
import { runCommand } from "../process/index.js";
import type { IsolationKind } from "../sandbox/bwrap-args.js";
import { buildBoxArgs } from "./box-arguments.js";
import { DEFAULT_BOX_LIMITS } from "./box-settings.js";
import { makeControlGroup } from "./control-group.js";

/** Whether this machine can make boxes. */
export interface BoxSupport {
  /** Null when it cannot. */
  readonly kind: IsolationKind | null;
  /** For people. */
  readonly detail: string;
  /** What to do. */
  readonly advice: readonly string[];
}

const PROGRAMS = [
  { path: "/usr/bin/bwrap", package: "bubblewrap" },
  { path: "/usr/bin/prlimit", package: "util-linux" },
  { path: "/usr/bin/setpriv", package: "util-linux" },
  { path: "/usr/bin/find", package: "findutils" },
];

const NAMES = {
  root: "bubblewrap as root, each program with its own user id",
  user_namespace: "bubblewrap in a user namespace",
};

const ADVICE = [
  "Update bubblewrap to 0.8 or later.",
  "If the kernel forbids user namespaces: sysctl kernel.unprivileged_userns_clone=1, or on Ubuntu kernel.apparmor_restrict_unprivileged_userns=0.",
  "In a container: run it as root with --cap-add SYS_ADMIN --security-opt seccomp=unconfined.",
];

let support: Promise<BoxSupport> | null = null;

/** Tries it once for each process. */
export function findBoxSupport(): Promise<BoxSupport> {
  support ??= tryBoxes();
  return support;
}

async function tryBoxes(): Promise<BoxSupport> {
  const missing = [...new Set(PROGRAMS.filter(({ path }) => !existsSync(path)).map((program) => program.package))];
  if (missing.length > 0)
    return {
      kind: null,
      detail: `missing: ${missing.join(", ")}`,
      advice: [`Install it: apt-get install ${missing.join(" ")}.`],
    };
  const kind: IsolationKind = process.getuid?.() === 0 ? "root" : "user_namespace";
  const problem = await findProblem(kind);
  if (problem !== null) return { kind: null, detail: `${NAMES[kind]}: ${problem}`, advice: ADVICE };
  return { kind, detail: `${NAMES[kind]}, limited by ${await describeLimits()}`, advice: [] };
}

async function describeLimits(): Promise<string> {
  const group = makeControlGroup(DEFAULT_BOX_LIMITS);
  await group?.remove();
  return group === null ? "prlimit, because no control group can be made" : "a control group";
}

/** Null when a program runs in such a box. */
async function findProblem(kind: IsolationKind): Promise<string | null> {
  const plan = {
    kind,
    uid: 1000,
    mounts: [],
    files: {},
    scratchBytes: 2 ** 20,
    cwd: "/tmp",
    infoFd: null,
    filterFd: null,
  };
  const args = [...buildBoxArgs(plan), "--", "/usr/bin/test", "!", "-e", "/etc/passwd"];
  try {
    const { code, stderr } = await runCommand({
      command: "/usr/bin/bwrap",
      args,
      cwd: "/",
      env: {},
      timeoutMs: 30_000,
    });
    return code === 0 ? null : stderr.trim().split("\n").at(-1) || `it ended with ${code}`;
  } catch (error) {
    return getErrorMessage(error);
  }
}
