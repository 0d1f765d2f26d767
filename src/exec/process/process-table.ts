import { readdirSync, readFileSync } from "node:fs";

/** One process, as the system's table has it. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** In clock ticks since the system started: with the number it tells a process from a later one of the same number. */
  readonly startedAt: number;
}

/** Where the fields lie behind the name, which may itself hold spaces and brackets. */
const FIELD = { state: 0, parent: 1, group: 2, session: 3, threads: 17, startedAt: 19 } as const;

/** The process of this number while it runs; null when there is none, or none that can be seen. */
export function readProcess(pid: number): ProcessEntry | null {
  try {
    return parseStat(pid, readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return null;
  }
}

/** What a line of /proc/PID/stat says; null for a process that has ended. */
export function parseStat(pid: number, stat: string): ProcessEntry | null {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const number = (index: number) => Number(fields[index]);
  if (hasEnded(fields[FIELD.state], number(FIELD.threads))) return null;
  return {
    pid,
    parent: number(FIELD.parent),
    group: number(FIELD.group),
    session: number(FIELD.session),
    startedAt: number(FIELD.startedAt),
  };
}

/**
 * A process that has ended stays on the books until its parent takes note, which in containers may be never. One whose
 * first thread alone has ended looks the same, but has other threads.
 */
function hasEnded(state: string | undefined, threads: number): boolean {
  return state === undefined || state === "X" || (state === "Z" && threads <= 1);
}

/** The numbers of all processes, the highest first: those of short-lived ones are to be looked at while they are there. */
export function processIds(): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .sort((a, b) => b - a);
}

/** True where the system shows its processes as files. */
export function hasProcessTable(): boolean {
  return process.platform === "linux" && readProcess(process.pid) !== null;
}

/** A process and those above it. */
export function lineOf(pid: number): number[] {
  const line: number[] = [];
  for (let entry = readProcess(pid); entry !== null; entry = readProcess(entry.parent)) line.push(entry.pid);
  return line;
}

/** True while a process of the group runs. */
export function isGroupRunning(group: number): boolean {
  try {
    process.kill(-group, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  return !hasProcessTable() || processIds().some((pid) => readProcess(pid)?.group === group);
}
