import { readFileSync, readlinkSync, realpathSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { resolve } from "node:path";

/** Environment variable that identifies all processes of a program, unless they remove it. */
export const MARKER_VARIABLE = "ASSAY_TRIAL";

/** What identifies the processes of a program, even after they left its process group. */
export interface ProcessMarkers {
  readonly marker: string;
  /** Real paths. */
  readonly folders: readonly string[];
  /** The program's outputs, as named by the links in /proc/PID/fd. */
  readonly outputs: ReadonlySet<string>;
}

/** Appends to this process's own marker, so that an Assay that runs inside a trial is found with all its programs. */
export function createMarker(own: string | undefined, random: string): string {
  const marker = `${process.pid}-${random}`;
  return own === undefined || own === "" ? marker : `${own}:${marker}`;
}

/** True when a marker identifies the process as part of the program. */
export function hasMarker(pid: number, markers: ProcessMarkers): boolean {
  const marker = readMarker(pid);
  if (marker === markers.marker || marker.startsWith(`${markers.marker}:`)) return true;
  return !isMarkerOfAnotherProgram(marker) && (isWorkingIn(pid, markers.folders) || isPrintingTo(pid, markers.outputs));
}

/** Another program started by this process may work in the same folder, as graders do. */
function isMarkerOfAnotherProgram(marker: string): boolean {
  return marker.split(":").some((part) => part.startsWith(`${process.pid}-`));
}

/** Empty when it has none or cannot be read. */
function readMarker(pid: number): string {
  try {
    const variables = `\0${readFileSync(`/proc/${pid}/environ`, "latin1")}`;
    const start = variables.indexOf(`\0${MARKER_VARIABLE}=`);
    return start === -1 ? "" : (variables.slice(start + MARKER_VARIABLE.length + 2).split("\0", 1)[0] ?? "");
  } catch {
    return "";
  }
}

/** True when the working directory or the executable is in one of the folders. */
function isWorkingIn(pid: number, folders: readonly string[]): boolean {
  if (folders.length === 0) return false;
  const places = [tryReadLink(`/proc/${pid}/cwd`), tryReadLink(`/proc/${pid}/exe`)];
  return places.some((place) => place !== null && folders.some((folder) => isInFolderOrDeleted(place, folder)));
}

function isPrintingTo(pid: number, outputs: ReadonlySet<string>): boolean {
  return outputs.size > 0 && listOutputs(pid).some((output) => outputs.has(output));
}

/** The pipes and sockets a process prints to, which only processes it started share. */
export function listOutputs(pid: number): string[] {
  const links = [tryReadLink(`/proc/${pid}/fd/1`), tryReadLink(`/proc/${pid}/fd/2`)];
  return links.filter((link) => link !== null).filter((link) => /^(?:pipe|socket):/.test(link));
}

function tryReadLink(path: string): string | null {
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
export function filterOwnFolders(folders: readonly string[]): string[] {
  const shared = [".", homedir(), tmpdir()].map(tryResolveRealPath);
  return folders
    .filter((folder) => folder !== "")
    .map(tryResolveRealPath)
    .filter((folder) => !shared.some((path) => isInFolderOrDeleted(path, folder)));
}

function tryResolveRealPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

/** Links to a removed folder end with " (deleted)". */
function isInFolderOrDeleted(path: string, folder: string): boolean {
  const top = folder === "/" ? "" : folder;
  return path === folder || path === `${folder} (deleted)` || path.startsWith(`${top}/`);
}
