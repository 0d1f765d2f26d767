import { readdirSync, readFileSync } from "node:fs";

/** One process of the system's process table. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Clock ticks since system start. Together with the pid it identifies a process even when pids are reused. */
  readonly startedAt: number;
}

/** Positions of the fields after the name, which may contain spaces and brackets. */
const STAT_FIELDS = { state: 0, parent: 1, group: 2, session: 3, threads: 17, startedAt: 19 } as const;

/** The running process with this id; null when there is none or it is not visible. */
export function readProcess(pid: number): ProcessEntry | null {
  try {
    return parseStat(pid, readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return null;
  }
}

/** Parses a line of /proc/PID/stat; null for a process that has ended. */
export function parseStat(pid: number, stat: string): ProcessEntry | null {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const number = (index: number) => Number(fields[index]);
  if (hasEnded(fields[STAT_FIELDS.state], number(STAT_FIELDS.threads))) return null;
  return {
    pid,
    parent: number(STAT_FIELDS.parent),
    group: number(STAT_FIELDS.group),
    session: number(STAT_FIELDS.session),
    startedAt: number(STAT_FIELDS.startedAt),
  };
}

/**
 * An ended process stays in the table until its parent waits for it, which in containers may never happen. A process whose
 * first thread has ended looks the same, but has other threads.
 */
function hasEnded(state: string | undefined, threads: number): boolean {
  return state === undefined || state === "X" || (state === "Z" && threads <= 1);
}

/** All process ids, highest first, to read short-lived processes while they exist. */
export function listProcessIds(): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .sort((a, b) => b - a);
}

/** True where /proc is available. */
export function hasProcessTable(): boolean {
  return process.platform === "linux" && readProcess(process.pid) !== null;
}

/** The process itself and its ancestors. */
export function listAncestors(pid: number): number[] {
  const line: number[] = [];
  for (let entry = readProcess(pid); entry !== null; entry = readProcess(entry.parent)) line.push(entry.pid);
  return line;
}

export function isGroupRunning(group: number): boolean {
  try {
    process.kill(-group, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  return !hasProcessTable() || listProcessIds().some((pid) => readProcess(pid)?.group === group);
}
