import { readFileSync, readlinkSync, realpathSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { resolve } from "node:path";

/** The variable that every process of a program has in its environment, unless it was taken out. */
export const MARK_NAME = "ASSAY_TRIAL";

/** By what a process can be known for one of a program's, wherever it has gone. */
export interface Traces {
  readonly mark: string;
  /** Real paths. */
  readonly folders: readonly string[];
  /** What the program prints to, as the links in /proc/PID/fd name it. */
  readonly outputs: ReadonlySet<string>;
}

/** A mark below the one we bear ourselves, so that an Assay that runs inside a trial is found with all its programs. */
export function newMark(own: string | undefined, random: string): string {
  const mark = `${process.pid}-${random}`;
  return own === undefined || own === "" ? mark : `${own}:${mark}`;
}

/** True when the process bears a trace of the program. */
export function bearsTrace(pid: number, traces: Traces): boolean {
  const mark = markOf(pid);
  if (mark === traces.mark || mark.startsWith(`${traces.mark}:`)) return true;
  return !isOfAnother(mark) && (isIn(pid, traces.folders) || printsTo(pid, traces.outputs));
}

/** Of another program that we have started: it may work in the same folder, as graders do. */
function isOfAnother(mark: string): boolean {
  return mark.split(":").some((part) => part.startsWith(`${process.pid}-`));
}

/** Empty when it has none or may not be looked into. */
function markOf(pid: number): string {
  try {
    const variables = `\0${readFileSync(`/proc/${pid}/environ`, "latin1")}`;
    const start = variables.indexOf(`\0${MARK_NAME}=`);
    return start === -1 ? "" : (variables.slice(start + MARK_NAME.length + 2).split("\0", 1)[0] ?? "");
  } catch {
    return "";
  }
}

/** Works in one of the folders, or is a program that lies in one. */
function isIn(pid: number, folders: readonly string[]): boolean {
  if (folders.length === 0) return false;
  const places = [linkOf(`/proc/${pid}/cwd`), linkOf(`/proc/${pid}/exe`)];
  return places.some((place) => place !== null && folders.some((folder) => isWithin(place, folder)));
}

function printsTo(pid: number, outputs: ReadonlySet<string>): boolean {
  return outputs.size > 0 && outputsOf(pid).some((output) => outputs.has(output));
}

/** What a process prints to, if only programs that it has started can print there too. */
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
 * The folders that processes may be known by. One that we ourselves work in, the home and the one for temporary files
 * hold the work of others too: such folders are left out.
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

/** Links to a folder that was removed say so behind its name. */
function isWithin(path: string, folder: string): boolean {
  const top = folder === "/" ? "" : folder;
  return path === folder || path === `${folder} (deleted)` || path.startsWith(`${top}/`);
}
