import type { ChildProcess } from "node:child_process";
import { closeSync, existsSync, openSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { SandboxError } from "../../core/index.js";
import { type BoxedStart, type ProgramStart, runCommand } from "../process/index.js";
import type { IsolationKind } from "../sandbox/bwrap-args.js";
import { findStrayDescriptors, readFirstPid, waitUntilAllGone, watchMemory } from "../sandbox/sandboxed-process.js";
import { buildSyscallFilter } from "../sandbox/syscall-filter.js";
import { getUidPool } from "../sandbox/uid-pool.js";
import { type BoxMount, buildBoxArgs } from "./box-arguments.js";
import { buildForwarderCommand } from "./box-forwarder.js";
import { BoxNetwork } from "./box-network.js";
import { type BoxLimits, type BoxSettings, toBytes } from "./box-settings.js";
import { findBoxSupport } from "./box-support.js";
import { formatExports, listCertificates, removeProxies, setOddVariables } from "./box-variables.js";
import { type ControlGroup, type ExceededLimit, makeControlGroup } from "./control-group.js";
import { watchDisk } from "./disk-watch.js";
import { findUnreadable, listProgramPaths, resolveReal } from "./program-paths.js";
import type { BoxPlaces, BoxRecord, LimitedBy, TrialBox } from "./trial-box.js";

/** What a box needs from outside. Default: this machine's. */
export interface BoxPorts {
  readonly makeGroup: (limits: BoxLimits) => ControlGroup | null;
}

/** The user inside of a box that was not made by root. */
const BOX_UID = 1000;

/** Hours of processor time, for each process, where cores cannot be limited. */
const MAX_CPU_SECS = 2 * 3600;

/** Size of each folder in memory, which is part of the memory limit. */
const MAX_SCRATCH_BYTES = 2 ** 30;

/** Where the settings of the box are, inside. */
const SETTINGS_FOLDER = "/run/assay";

/**
 * Runs programs that may do anything in folders of their own, and nothing else on this machine. All programs of a trial use
 * one box; each start makes the namespaces anew.
 * @example
 * const box = await Box.open(settings, { scratch: join(root, "box"), writable: [folder] });
 * await runCommand({ command: "npm test", shell: true, cwd: folder, env, box });
 * await box.close();
 */
export class Box implements TrialBox {
  readonly settings: BoxSettings;
  readonly isRoot = false;
  readonly laterFolders = null;
  readonly #places: BoxPlaces;
  readonly #kind: IsolationKind;
  readonly #makeGroup: BoxPorts["makeGroup"];
  readonly #network: BoxNetwork;
  readonly #readable: readonly string[];
  readonly #exceeded = new Set<ExceededLimit | "disk">();
  /** The user inside, if root made the box and something was started. */
  #uid: number | null = null;
  #limitedBy: LimitedBy | null = null;

  private constructor(
    settings: BoxSettings,
    places: BoxPlaces,
    { kind, makeGroup }: BoxPorts & { kind: IsolationKind },
  ) {
    this.settings = settings;
    this.#makeGroup = makeGroup;
    this.#places = places;
    this.#kind = kind;
    this.#network = new BoxNetwork(join(places.scratch, "net"), settings.allowHosts);
    this.#readable = [...(places.readable ?? []), ...settings.allowPaths];
  }

  /** Throws when this machine cannot make boxes. */
  static async open(
    settings: BoxSettings,
    places: BoxPlaces,
    { makeGroup = makeControlGroup }: Partial<BoxPorts> = {},
  ): Promise<Box> {
    const kind = await requireBoxSupport();
    await mkdir(places.scratch, { recursive: true });
    return new Box(settings, places, { kind, makeGroup });
  }

  get record(): BoxRecord {
    return {
      ...this.settings,
      limitedBy: this.#limitedBy,
      exceeded: [...this.#exceeded],
      network: this.#network.traffic,
    };
  }

  async close(): Promise<void> {
    await this.#network.close();
    if (this.#uid !== null) getUidPool()?.release(this.#uid);
    this.#uid = null;
  }

  /** Does nothing unless root made the box. */
  async claim(): Promise<void> {
    if (this.#kind !== "root") return;
    this.#uid ??= takeUid();
    await this.#giveFolders(this.#uid);
  }

  async giveBack(): Promise<void> {
    if (this.#uid !== null) await this.#giveFolders(0);
  }

  openForGraders(places: BoxPlaces): Promise<Box> {
    return Box.open(this.settings, places, { makeGroup: this.#makeGroup });
  }

  async wrap(start: ProgramStart): Promise<BoxedStart> {
    await this.claim();
    const group = this.#makeGroup(this.settings.limits);
    this.#limitedBy = group === null ? "prlimit" : "cgroup";
    try {
      const readable = [...this.#readable.filter((path) => existsSync(path)), ...listProgramPaths(start.command)];
      this.#requireReadable(readable);
      const ports = await this.#network.open(start.ports ?? []);
      const env = { ...removeProxies(start.env), ...this.#network.env };
      const command = [...setOddVariables(env), findInside(start.command), ...(start.args ?? [])];
      const limits = limitProcesses(this.settings.limits, group !== null);
      const inside = ["--", ...this.#dropRoot(), ...limits, "/bin/sh", "-c", READ_ENV];
      const folders = group?.folders ?? [];
      const { args, contents } = this.#buildArgs({ start, env, readable, hasNetwork: ports.length > 0 });
      return this.#describeStart({
        args: [
          "-c",
          JOIN_GROUP,
          "sh",
          String(folders.length),
          ...folders,
          BWRAP,
          "--args",
          String(ARGS_FD),
          ...inside,
          ...buildForwarderCommand(ports, command),
        ],
        contents: [args, ...contents],
        group,
      });
    } catch (error) {
      await group?.remove();
      throw error;
    }
  }

  /** Changes only what belongs to somebody else. */
  async #giveFolders(uid: number): Promise<void> {
    const folders = this.#places.writable.filter((folder) => existsSync(folder));
    if (folders.length === 0) return;
    const others = ["(", "!", "-uid", String(uid), "-o", "!", "-gid", String(uid), ")"];
    const args = [...folders, ...others, "-exec", CHOWN, "-h", `${uid}:${uid}`, "{}", "+"];
    const { code, stderr } = await runCommand({ command: FIND, args, cwd: "/", env: {} });
    if (code !== 0)
      throw new SandboxError(`The folders of the box could not be prepared: ${stderr.trim().split("\n")[0]}`);
  }

  #requireReadable(paths: readonly string[]): void {
    const path = this.#kind === "root" ? findUnreadable(paths) : null;
    if (path === null) return;
    throw new SandboxError(
      `${path} is needed in the box, where programs run as another user, who cannot read it. Run chmod -R o+rX ${path}, or use --isolation none.`,
    );
  }

  #buildArgs({ start, env, readable, hasNetwork }: ArgsInput): { args: string; contents: (string | Buffer)[] } {
    const uid = this.#uid ?? BOX_UID;
    const filter = buildSyscallFilter(process.arch, "agent");
    const texts = listSettings(env, uid);
    const first = ARGS_FD + 1 + (filter === null ? 0 : 1);
    const shown = [...readable, ...listCertificates(env).filter((path) => path.startsWith("/") && existsSync(path))];
    const mounts: BoxMount[] = [
      ...new Set([...shown.filter(isOutsideSystem), ...(hasNetwork ? [this.#network.folder] : [])]),
    ].map((path) => ({ path, isWritable: false }));
    const args = buildBoxArgs({
      kind: this.#kind,
      uid,
      mounts: [...mounts, ...this.#places.writable.map((path) => ({ path, isWritable: true }))],
      files: Object.fromEntries(Object.keys(texts).map((path, index) => [path, first + index])),
      scratchBytes: Math.min(MAX_SCRATCH_BYTES, toBytes(this.settings.limits.memoryGib) / 2),
      cwd: start.cwd ?? "/tmp",
      infoFd: INFO_FD,
      filterFd: filter === null ? null : ARGS_FD + 1,
    });
    return {
      args: args.map((arg) => `${arg}\0`).join(""),
      contents: [...(filter === null ? [] : [filter]), ...Object.values(texts)],
    };
  }

  #dropRoot(): string[] {
    if (this.#uid === null) return [];
    const ids = [`--reuid=${this.#uid}`, `--regid=${this.#uid}`, "--clear-groups"];
    return [SETPRIV, ...ids, "--no-new-privs", "--bounding-set=-all", "--inh-caps=-all", "--"];
  }

  #describeStart({ args, contents, group }: StartInput): BoxedStart {
    const { memoryGib, diskGib } = this.settings.limits;
    let first: number | null = null;
    let unwatch: () => void = () => undefined;
    const { stdio, nothing } = buildExtraStdio(contents.length);
    const kill = (child: ChildProcess, limit: ExceededLimit | "disk") => {
      this.#exceeded.add(limit);
      child.kill("SIGKILL");
    };
    return {
      command: "/bin/sh",
      args,
      cwd: "/",
      env: {},
      stdio,
      attach: (child) => {
        if (nothing !== null) closeSync(nothing);
        readFirstPid(child.stdio[INFO_FD] as Readable | null, (pid) => {
          first = pid;
        });
        contents.forEach((content, index) => {
          const stream = child.stdio[ARGS_FD + index] as Writable | null;
          stream?.on("error", () => undefined);
          stream?.end(content);
        });
        const watches = [watchDisk({ folders: this.#places.writable }, toBytes(diskGib), () => kill(child, "disk"))];
        if (group === null) watches.push(watchMemory(child.pid, toBytes(memoryGib), () => kill(child, "memory")));
        unwatch = () => {
          for (const end of watches) end();
        };
      },
      release: async () => {
        unwatch();
        await waitUntilAllGone(first);
        for (const limit of group?.listExceeded() ?? []) this.#exceeded.add(limit);
        await group?.remove();
      },
    };
  }
}

interface ArgsInput {
  readonly start: ProgramStart;
  readonly env: Readonly<Record<string, string>>;
  readonly readable: readonly string[];
  readonly hasNetwork: boolean;
}

interface StartInput {
  readonly args: readonly string[];
  readonly contents: readonly (string | Buffer)[];
  readonly group: ControlGroup | null;
}

const BWRAP = "/usr/bin/bwrap";
const SETPRIV = "/usr/bin/setpriv";
const PRLIMIT = "/usr/bin/prlimit";
const FIND = "/usr/bin/find";
const CHOWN = "/usr/bin/chown";

/** Descriptors of `bwrap`: what it reports, its arguments, and after that the contents of files. */
const INFO_FD = 3;
const ARGS_FD = 4;

/** Joins the control groups, so that everything that follows is counted: count, folders, command. */
const JOIN_GROUP = `n=$1; shift
while [ "$n" -gt 0 ]; do echo $$ > "$1/cgroup.procs" || exit 125; shift; n=$((n - 1)); done
exec "$@"`;

/**
 * Only now, without any rights, the program's own variables are set: some of them would change the programs that give the
 * rights up.
 */
const READ_ENV = `. ${SETTINGS_FOLDER}/env && exec "$0" "$@"`;

/** Files that exist only in the box. */
function listSettings(env: Readonly<Record<string, string>>, uid: number): Record<string, string> {
  const home = env.HOME ?? "/tmp";
  return {
    [`${SETTINGS_FOLDER}/env`]: formatExports(env),
    "/etc/passwd": `root:x:0:0:root:/root:/bin/sh\nagent:x:${uid}:${uid}:agent:${home}:/bin/sh\n`,
    "/etc/group": `root:x:0:\nagent:x:${uid}:\n`,
    "/etc/hosts": "127.0.0.1 localhost assay-box\n",
    "/etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
  };
}

/** Links to programs outside of the system are not in the box. */
function findInside(command: string): string {
  return command.startsWith("/") && isOutsideSystem(command) ? (resolveReal(command) ?? command) : command;
}

function isOutsideSystem(path: string): boolean {
  return !["/usr", "/bin", "/lib", "/lib64", "/sbin", "/etc/ssl/certs"].some(
    (top) => path === top || path.startsWith(`${top}/`),
  );
}

/** Without a control group, each process is limited by itself, and their sum is watched. */
function limitProcesses({ processes, memoryGib, diskGib }: BoxLimits, hasGroup: boolean): string[] {
  const each = hasGroup ? [] : [`--data=${toBytes(memoryGib)}`, `--cpu=${MAX_CPU_SECS}:${MAX_CPU_SECS + 1}`];
  return [PRLIMIT, `--nproc=${processes}`, `--fsize=${toBytes(diskGib)}`, "--core=0", ...each, "--"];
}

/** The descriptors from 3 on. Those that this process inherited are not passed on: an open folder would be a way out. */
function buildExtraStdio(contents: number): { stdio: ("pipe" | "ignore" | number)[]; nothing: number | null } {
  const stdio: ("pipe" | "ignore" | number)[] = Array.from({ length: 1 + contents }, () => "pipe" as const);
  const strays = findStrayDescriptors().filter((fd) => fd - INFO_FD > contents);
  if (strays.length === 0) return { stdio, nothing: null };
  const nothing = openSync("/dev/null", "r");
  for (const stray of strays) {
    while (stdio.length <= stray - INFO_FD) stdio.push("ignore");
    stdio[stray - INFO_FD] = nothing;
  }
  return { stdio, nothing };
}

function takeUid(): number {
  const uid = getUidPool()?.take() ?? null;
  if (uid === null) throw new SandboxError("There are too many boxes at the same time: lower --workers.");
  return uid;
}

async function requireBoxSupport(): Promise<IsolationKind> {
  const { kind, detail, advice } = await findBoxSupport();
  if (kind !== null) return kind;
  throw new SandboxError(
    `No box can be made on this machine: ${detail}. ${advice.join(" ")} Or pass --isolation none: agents then run with your permissions.`,
  );
}
