import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { type BoxLimits, toBytes } from "./box-settings.js";

/** Which limits a control group was stopped or slowed by. */
export type ExceededLimit = "memory" | "processes";

/** A control group of one program in a box: the kernel counts everything that it starts. */
export interface ControlGroup {
  /** Folders; a process joins by writing its id to `cgroup.procs` of each. */
  readonly folders: readonly string[];
  /** Read before it is removed. */
  listExceeded(): ExceededLimit[];
  /** Call when its processes have ended. */
  remove(): Promise<void>;
}

const ROOT = "/sys/fs/cgroup";

const NAME_PREFIX = "assay-";

/** Length of the period in which the share of the processors is counted. */
const CPU_PERIOD_US = 100_000;

/** Makes a control group with these limits; null where none can be made. */
export function makeControlGroup(limits: BoxLimits): ControlGroup | null {
  const name = `${NAME_PREFIX}${process.pid}-${randomBytes(4).toString("hex")}`;
  return makeUnifiedGroup(name, limits) ?? makeLegacyGroup(name, limits);
}

/** Version 2: one tree for all controllers. */
function makeUnifiedGroup(name: string, limits: BoxLimits): ControlGroup | null {
  if (!existsSync(join(ROOT, "cgroup.controllers"))) return null;
  for (const parent of listUnifiedParents()) {
    const folder = join(parent, name);
    const isMade = tryMake(folder, {
      "pids.max": limits.processes,
      "memory.max": toBytes(limits.memoryGib),
      "cpu.max": `${Math.ceil(limits.cpus * CPU_PERIOD_US)} ${CPU_PERIOD_US}`,
    });
    if (!isMade) continue;
    tryWrite(join(folder, "memory.swap.max"), 0);
    return new FolderGroup(
      [folder],
      [
        { limit: "memory", file: join(folder, "memory.events"), counter: "oom_kill" },
        { limit: "processes", file: join(folder, "pids.events"), counter: "max" },
      ],
    );
  }
  return null;
}

/** A group with processes of its own cannot pass controllers on, so the one above may be needed. */
function listUnifiedParents(): string[] {
  const own = /^0::(\/.*)$/m.exec(readText("/proc/self/cgroup"))?.[1] ?? "/";
  return [...new Set([join(ROOT, own), join(ROOT, own, ".."), ROOT])];
}

/** Version 1: one tree for each controller. */
function makeLegacyGroup(name: string, limits: BoxLimits): ControlGroup | null {
  const settings = {
    pids: { "pids.max": limits.processes },
    memory: { "memory.limit_in_bytes": toBytes(limits.memoryGib) },
    cpu: { "cpu.cfs_period_us": CPU_PERIOD_US, "cpu.cfs_quota_us": Math.ceil(limits.cpus * CPU_PERIOD_US) },
  };
  const made: Record<string, string> = {};
  for (const [controller, values] of Object.entries(settings)) {
    const folder = listLegacyParents(controller)
      .map((parent) => join(parent, name))
      .find((path) => tryMake(path, values));
    if (folder === undefined) {
      for (const each of Object.values(made)) tryRemove(each);
      return null;
    }
    made[controller] = folder;
  }
  const { memory = "", pids = "" } = made;
  // Only there where swap is counted.
  tryWrite(join(memory, "memory.memsw.limit_in_bytes"), toBytes(limits.memoryGib));
  return new FolderGroup(Object.values(made), [
    { limit: "memory", file: join(memory, "memory.oom_control"), counter: "oom_kill" },
    { limit: "processes", file: join(pids, "pids.events"), counter: "max" },
  ]);
}

/** Inside of our own group, so that its limits apply too. A container may see only the top. */
function listLegacyParents(controller: string): string[] {
  const own = new RegExp(`^\\d+:(?:\\w+,)*${controller}(?:,\\w+)*:(/.*)$`, "m").exec(
    readText("/proc/self/cgroup"),
  )?.[1];
  return [...new Set([...(own === undefined ? [] : [join(ROOT, controller, own)]), join(ROOT, controller)])];
}

/** A counter of a group: above 0 when the limit was reached. */
interface LimitCounter {
  readonly limit: ExceededLimit;
  readonly file: string;
  readonly counter: string;
}

const REMOVE_TRIES = 100;
const REMOVE_PAUSE_MS = 10;

class FolderGroup implements ControlGroup {
  readonly folders: readonly string[];
  readonly #counters: readonly LimitCounter[];

  constructor(folders: readonly string[], counters: readonly LimitCounter[]) {
    this.folders = folders;
    this.#counters = counters;
  }

  listExceeded(): ExceededLimit[] {
    return this.#counters.filter(hasReached).map(({ limit }) => limit);
  }

  /** The kernel takes a moment to take ended processes out of it. */
  async remove(): Promise<void> {
    for (const folder of this.folders)
      for (let tries = 0; tries < REMOVE_TRIES && !tryRemove(folder); tries += 1) await wait(REMOVE_PAUSE_MS);
  }
}

function hasReached({ file, counter }: LimitCounter): boolean {
  const found = new RegExp(`^${counter} (\\d+)$`, "m").exec(readText(file))?.[1];
  return Number(found ?? 0) > 0;
}

/** False, with nothing left behind, if the group cannot be made or a limit cannot be set. */
function tryMake(folder: string, values: Readonly<Record<string, string | number>>): boolean {
  try {
    mkdirSync(folder);
  } catch {
    return false;
  }
  removeAbandoned(dirname(folder));
  const names = new Set(readdirSync(folder));
  const isSet = Object.entries(values).every(([name, value]) => names.has(name) && tryWrite(join(folder, name), value));
  if (!isSet) tryRemove(folder);
  return isSet;
}

/** Groups of Assay processes that were killed. A group with processes cannot be removed. */
function removeAbandoned(parent: string): void {
  for (const name of readdirSync(parent)) {
    const owner = /^assay-(\d+)-[0-9a-f]{8}$/.exec(name)?.[1];
    if (owner !== undefined && !existsSync(`/proc/${owner}`)) tryRemove(join(parent, name));
  }
}

function tryWrite(file: string, value: string | number): boolean {
  try {
    writeFileSync(file, String(value), { flag: "r+" });
    return true;
  } catch {
    return false;
  }
}

/** True when it is gone. */
function tryRemove(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT";
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
