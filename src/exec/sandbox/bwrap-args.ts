import { makeFolder, makeParentFolders, mountFromHost, mountScratch } from "./bwrap-mounts.js";
import type { Interpreter } from "./interpreters.js";
import { formatKernelLimits, type SandboxLimits } from "./limits.js";

/** How a sandbox is isolated: by root, with its own user id for each sandbox, or in a user namespace. */
export type IsolationKind = "root" | "user_namespace";

/** The program's folder in the sandbox. It is in memory and disappears with the sandbox. */
export const WORK_FOLDER = "/tmp";

/** Descriptor on which `bwrap` reports the id of the first process. */
export const INFO_FD = 4;

export interface SandboxPlan {
  kind: IsolationKind;
  /** The user id to switch to; null when it is already started as the right user. */
  uid: number | null;
  interpreter: Interpreter;
  args: readonly string[];
  /** File names in the work folder, each with the descriptor of its content. */
  files: readonly { name: string; fd: number }[];
  /** The descriptor of the system call filter; null for none. */
  filterFd: number | null;
  limits: SandboxLimits;
}

export function buildBwrapArgs(plan: SandboxPlan): string[] {
  return [
    ...listNamespaceArgs(plan.kind),
    ...(plan.filterFd === null ? [] : ["--seccomp", String(plan.filterFd)]),
    ...listSystemArgs(),
    ...mountInterpreter(plan.interpreter.folders),
    ...mountWorkFolder(plan),
    "--remount-ro",
    "/",
    "--chdir",
    WORK_FOLDER,
    "--",
    ...buildDropRootArgs(plan),
    "/usr/bin/prlimit",
    ...formatKernelLimits(plan.limits, plan.interpreter.language),
    "--",
    plan.interpreter.path,
    ...plan.args,
  ];
}

/** No /proc: nothing in the sandbox needs it, and without it no process can inspect another. */
function listNamespaceArgs(kind: IsolationKind): string[] {
  const user = kind === "user_namespace" ? ["--unshare-user", "--disable-userns"] : [];
  const others = ["--unshare-pid", "--unshare-ipc", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"];
  return [...user, ...others, "--hostname", "box", "--die-with-parent", "--new-session", "--info-fd", String(INFO_FD)];
}

/** Read-only, and only what interpreters need: their libraries and a few devices. */
function listSystemArgs(): string[] {
  const libraries = ["/lib", "/lib64", "/lib32", "/bin", "/sbin"].flatMap(mountFromHost);
  const settings = ["/etc/ld.so.cache", "/etc/alternatives"].flatMap((path) => ["--ro-bind-try", path, path]);
  const devices = ["null", "zero", "full", "random", "urandom"].flatMap((name) => [
    "--dev-bind",
    `/dev/${name}`,
    `/dev/${name}`,
  ]);
  return [
    "--ro-bind",
    "/usr",
    "/usr",
    ...libraries,
    ...makeFolder("/etc"),
    ...settings,
    ...makeFolder("/dev"),
    ...devices,
  ];
}

function mountInterpreter(folders: readonly string[]): string[] {
  return [...makeParentFolders(folders), ...folders.flatMap((path) => ["--ro-bind", path, path])];
}

function mountWorkFolder({ files, limits }: SandboxPlan): string[] {
  const contents = files.flatMap(({ name, fd }) => ["--perms", "0644", "--file", String(fd), `${WORK_FOLDER}/${name}`]);
  return [...mountScratch(WORK_FOLDER, limits.diskBytes), ...contents];
}

/** Before the limits, because the process limit does not apply to root. */
function buildDropRootArgs({ uid }: SandboxPlan): string[] {
  if (uid === null) return [];
  return [
    "/usr/bin/setpriv",
    `--reuid=${uid}`,
    `--regid=${uid}`,
    "--clear-groups",
    "--no-new-privs",
    "--bounding-set=-all",
    "--inh-caps=-all",
    "--",
  ];
}
