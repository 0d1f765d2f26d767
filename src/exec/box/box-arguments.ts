import type { IsolationKind } from "../sandbox/bwrap-args.js";
import { makeFolder, makeParentFolders, mountFromHost, mountScratch } from "../sandbox/bwrap-mounts.js";

/** A file or folder of the machine, at the same path in the box. */
export interface BoxMount {
  readonly path: string;
  readonly isWritable: boolean;
}

/** What `bwrap` is told. */
export interface BoxPlan {
  readonly kind: IsolationKind;
  /** The user id inside. */
  readonly uid: number;
  /** In the order in which they are mounted: a folder before what is inside of it. */
  readonly mounts: readonly BoxMount[];
  /** Contents of files that exist only in the box: path → descriptor. */
  readonly files: Readonly<Record<string, number>>;
  /** Size of each folder in memory. */
  readonly scratchBytes: number;
  readonly cwd: string;
  /** The descriptor on which the id of the first process is reported; null for none. */
  readonly infoFd: number | null;
  /** The descriptor of the system call filter; null for none. */
  readonly filterFd: number | null;
}

/** Name that identifies a box in the command line of its processes. */
const BOX_HOST = "assay-box";

/** Everything before the program. */
export function buildBoxArgs(plan: BoxPlan): string[] {
  return [
    ...listNamespaces(plan),
    ...(plan.infoFd === null ? [] : ["--info-fd", String(plan.infoFd)]),
    ...(plan.filterFd === null ? [] : ["--seccomp", String(plan.filterFd)]),
    ...listSystem(),
    ...mountSettings(plan.files),
    "--proc",
    "/proc",
    ...PROTECTED_PROC.flatMap((path) => ["--ro-bind-try", path, path]),
    ...mountDevices(plan.scratchBytes),
    ...mountScratch("/tmp", plan.scratchBytes),
    ...["/var", "/run"].flatMap(makeFolder),
    "--symlink",
    "/tmp",
    "/var/tmp",
    ...mountPlaces(plan.mounts),
    "--remount-ro",
    "/",
    "--chdir",
    plan.cwd,
  ];
}

/** Root switches to another user id inside; for others, a user namespace hides their own. */
function listNamespaces({ kind, uid }: BoxPlan): string[] {
  const user =
    kind === "user_namespace" ? ["--unshare-user", "--disable-userns", "--uid", String(uid), "--gid", String(uid)] : [];
  const others = ["--unshare-pid", "--unshare-ipc", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"];
  return [...user, ...others, "--hostname", BOX_HOST, "--die-with-parent", "--new-session"];
}

/** Settings of the kernel, which root could change even without capabilities. */
const PROTECTED_PROC = ["/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus", "/proc/fs"];

/** Programs, libraries, and settings without secrets. */
function listSystem(): string[] {
  const settings = [
    "alternatives",
    "ca-certificates",
    "ca-certificates.conf",
    "crypto-policies",
    "debian_version",
    "java-11-openjdk",
    "java-17-openjdk",
    "java-21-openjdk",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "localtime",
    "magic",
    "mime.types",
    "os-release",
    "pki",
    "protocols",
    "services",
    "ssl/certs",
    "ssl/openssl.cnf",
    "timezone",
  ];
  return [
    "--ro-bind",
    "/usr",
    "/usr",
    ...["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"].flatMap(mountFromHost),
    ...makeFolder("/etc"),
    ...makeFolder("/etc/ssl"),
    ...settings.flatMap((name) => ["--ro-bind-try", `/etc/${name}`, `/etc/${name}`]),
  ];
}

function mountSettings(files: BoxPlan["files"]): string[] {
  return Object.entries(files).flatMap(([path, fd]) => ["--perms", "0644", "--file", String(fd), path]);
}

/** Shared memory is the only part that can be written. */
function mountDevices(bytes: number): string[] {
  return ["--dev", "/dev", ...mountScratch("/dev/shm", bytes), "--remount-ro", "/dev"];
}

function mountPlaces(mounts: readonly BoxMount[]): string[] {
  const places = [...mounts].sort((a, b) => a.path.length - b.path.length);
  return [
    ...makeParentFolders(mounts.map(({ path }) => path)),
    ...places.flatMap(({ path, isWritable }) => [isWritable ? "--bind" : "--ro-bind", path, path]),
  ];
}
