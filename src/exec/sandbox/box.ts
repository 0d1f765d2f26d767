import { lstatSync, readlinkSync } from "node:fs";
import { dirname } from "node:path";
import type { Interpreter } from "./interpreters.js";
import { kernelLimits, type SandboxLimits } from "./limits.js";

/** How a sandbox is isolated: by root, with its own user id for each sandbox, or in a user namespace. */
export type IsolationKind = "root" | "user_namespace";

/** The program's folder in the sandbox. It is in memory and disappears with the sandbox. */
export const WORK_FOLDER = "/tmp";

/** Descriptor on which `bwrap` reports the id of the first process. */
export const INFO_FD = 4;

export interface BoxPlan {
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

export function boxArgs(plan: BoxPlan): string[] {
  return [
    ...namespaces(plan.kind),
    ...(plan.filterFd === null ? [] : ["--seccomp", String(plan.filterFd)]),
    ...system(),
    ...folders(plan.interpreter.folders),
    ...workFolder(plan),
    "--remount-ro",
    "/",
    "--chdir",
    WORK_FOLDER,
    "--",
    ...dropRoot(plan),
    "/usr/bin/prlimit",
    ...kernelLimits(plan.limits, plan.interpreter.language),
    "--",
    plan.interpreter.path,
    ...plan.args,
  ];
}

/** No /proc: nothing in the sandbox needs it, and without it no process can inspect another. */
function namespaces(kind: IsolationKind): string[] {
  const user = kind === "user_namespace" ? ["--unshare-user", "--disable-userns"] : [];
  const others = ["--unshare-pid", "--unshare-ipc", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"];
  return [...user, ...others, "--hostname", "box", "--die-with-parent", "--new-session", "--info-fd", String(INFO_FD)];
}

/** Read-only, and only what interpreters need: their libraries and a few devices. */
function system(): string[] {
  const libraries = ["/lib", "/lib64", "/lib32", "/bin", "/sbin"].flatMap(asOnHost);
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
    ...emptyFolder("/etc"),
    ...settings,
    ...emptyFolder("/dev"),
    ...devices,
  ];
}

function emptyFolder(path: string): string[] {
  return ["--perms", "0755", "--dir", path];
}

/** Most distributions have links into /usr here, some have folders. */
function asOnHost(path: string): string[] {
  try {
    return lstatSync(path).isSymbolicLink() ? ["--symlink", readlinkSync(path), path] : ["--ro-bind", path, path];
  } catch {
    return [];
  }
}

/** Parent folders of an interpreter are created empty, so that a home folder shows nothing else. */
function folders(paths: readonly string[]): string[] {
  const parents = [...new Set(paths.flatMap(parentsOf))].sort((a, b) => a.length - b.length);
  return [...parents.flatMap(emptyFolder), ...paths.flatMap((path) => ["--ro-bind", path, path])];
}

function parentsOf(path: string): string[] {
  const parent = dirname(path);
  return parent === "/" ? [] : [...parentsOf(parent), parent];
}

function workFolder({ files, limits }: BoxPlan): string[] {
  const contents = files.flatMap(({ name, fd }) => ["--perms", "0644", "--file", String(fd), `${WORK_FOLDER}/${name}`]);
  return ["--perms", "1777", "--size", String(Math.ceil(limits.diskBytes)), "--tmpfs", WORK_FOLDER, ...contents];
}

/** Before the limits, because the process limit does not apply to root. */
function dropRoot({ uid }: BoxPlan): string[] {
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
