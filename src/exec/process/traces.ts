import { readFileSync, readlinkSync, realpathSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { resolve } from "node:path";

/** Environment variable that identifies all processes of a program, unless they remove it. */
export const MARK_NAME = "ASSAY_TRIAL";

/** What identifies the processes of a program, even after they left its process group. */
export interface Traces {
  readonly mark: string;
  /** Real paths. */
  readonly folders: readonly string[];
  /** The program's outputs, as named by the links in /proc/PID/fd. */
  readonly outputs: ReadonlySet<string>;
}

/** Appends to this process's own marker, so that an Assay that runs inside a trial is found with all its programs. */
export function newMark(own: string | undefined, random: string): string {
  const mark = `${process.pid}-${random}`;
  return own === undefined || own === "" ? mark : `${own}:${mark}`;
}

/** True when a marker identifies the process as part of the program. */
export function bearsTrace(pid: number, traces: Traces): boolean {
  const mark = markOf(pid);
  if (mark === traces.mark || mark.startsWith(`${traces.mark}:`)) return true;
  return !isOfAnother(mark) && (isIn(pid, traces.folders) || printsTo(pid, traces.outputs));
}

/** Another program started by this process may work in the same folder, as graders do. */
function isOfAnother(mark: string): boolean {
  return mark.split(":").some((part) => part.startsWith(`${process.pid}-`));
}

/** Empty when it has none or cannot be read. */
function markOf(pid: number): string {
  try {
    const variables = `\0${readFileSync(`/proc/${pid}/environ`, "latin1")}`;
    const start = variables.indexOf(`\0${MARK_NAME}=`);
    return start === -1 ? "" : (variables.slice(start + MARK_NAME.length + 2).split("\0", 1)[0] ?? "");
  } catch {
    return "";
  }
}

/** True when the working directory or the executable is in one of the folders. */
function isIn(pid: number, folders: readonly string[]): boolean {
  if (folders.length === 0) return false;
  const places = [linkOf(`/proc/${pid}/cwd`), linkOf(`/proc/${pid}/exe`)];
  return places.some((place) => place !== null && folders.some((folder) => isWithin(place, folder)));
}

function printsTo(pid: number, outputs: ReadonlySet<string>): boolean {
  return outputs.size > 0 && outputsOf(pid).some((output) => outputs.has(output));
}

/** The pipes and sockets a process prints to, which only processes it started share. */
export function outputsOf(pid: number): string[] {
  const links = [linkOf(`/proc/${pid}/fd/1`), linkOf(`/proc/${pid}/fd/2`)];
  return links.filter((link) => link !== null).filter((link) => /^(?:pipe|socket):/.test(link));
}

function linkOf(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}

/**
 * Filters out folders that cannot identify a process because others work there too: those that contain the current working
 * directory, the home or the temporary folder.
 */
export function ownFolders(folders: readonly string[]): string[] {
  const shared = [".", homedir(), tmpdir()].map(realPathOf);
  return folders
    .filter((folder) => folder !== "")
    .map(realPathOf)
    .filter((folder) => !shared.some((path) => isWithin(path, folder)));
}

function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

/** Links to a removed folder end with " (deleted)". */
function isWithin(path: string, folder: string): boolean {
  const top = folder === "/" ? "" : folder;
  return path === folder || path === `${folder} (deleted)` || path.startsWith(`${top}/`);
}
