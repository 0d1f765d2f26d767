import { closeSync, existsSync, openSync, readSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { findProgram } from "../process/find-program.js";

/** What the box shows of every machine. */
const SYSTEM_FOLDERS = ["/usr/", "/bin/", "/sbin/", "/lib/", "/lib64/"];

/**
 * The files and folders that a program outside of the system needs: its package, the interpreter named in its first line,
 * and Node, if that is not part of the system either. Never a whole home or project folder.
 * @example
 * listProgramPaths("/home/ada/.npm-global/lib/node_modules/@openai/codex/bin/codex.js");
 * // ["/home/ada/.npm-global/lib/node_modules"]
 */
export function listProgramPaths(program: string): string[] {
  const paths = [program, ...findInterpreters(program), process.execPath, findProgram("node")].flatMap((path) =>
    path === null ? [] : listInstallation(path),
  );
  return [...new Set(paths)];
}

/**
 * The same for a container, which has a system of its own: packages that npm has installed into the system's folders are
 * part of the list, other programs of the system are not.
 */
export function listPackagePaths(program: string): string[] {
  const real = resolveReal(program) ?? program;
  const [package_] = /^.*\/lib\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(real) ?? [];
  return package_ === undefined ? listInstallation(program) : [package_];
}

/** A script that a command names: the file, and what Node needs to load it and its packages. */
export function listScriptPaths(script: string): string[] {
  const nearby = listFoldersAbove(script).flatMap((folder) => [
    join(folder, "node_modules"),
    join(folder, "package.json"),
  ]);
  const nearest = ["node_modules", "package.json"].map((name) =>
    nearby.find((path) => basename(path) === name && existsSync(path)),
  );
  return [script, ...nearest.filter((path) => path !== undefined)];
}

function listInstallation(path: string): string[] {
  const real = resolveReal(path);
  if (real === null || SYSTEM_FOLDERS.some((folder) => real.startsWith(folder))) return [];
  const packages = real.indexOf("/node_modules/");
  if (packages !== -1) return [real.slice(0, packages + "/node_modules".length)];
  const folder = dirname(real);
  if (basename(folder) !== "bin") return isShared(folder) ? [real] : [folder];
  const prefix = dirname(folder);
  if (existsSync(join(prefix, "pyvenv.cfg"))) return [prefix, ...listBasePython(folder)];
  return !isShared(prefix) && existsSync(join(prefix, "lib")) ? [prefix] : [real];
}

/** A virtual environment uses the libraries of the Python that made it. */
function listBasePython(bin: string): string[] {
  const python = resolveReal(join(bin, "python"));
  return python === null ? [] : listInstallation(python);
}

/** Folders that hold other things than the program: a home, a project, everything. */
function isShared(folder: string): boolean {
  const home = homedir();
  const shared = [
    "/",
    "/opt",
    "/home",
    "/tmp",
    home,
    join(home, ".local"),
    join(home, ".local/bin"),
    join(home, "bin"),
  ];
  if (shared.includes(folder) || `${resolve(".")}/`.startsWith(`${folder}/`)) return true;
  return existsSync(join(folder, ".git")) || existsSync(join(folder, ".env"));
}

/** The program in the first line of a script, as a path; with `env`, it is looked up. */
function findInterpreters(program: string): string[] {
  const real = resolveReal(program);
  const line = real === null ? "" : readFirstLine(real);
  const [first = "", ...words] = line.startsWith("#!") ? line.slice(2).trim().split(/\s+/) : [];
  const name = basename(first) === "env" ? words.find((word) => !word.startsWith("-") && !word.includes("=")) : first;
  const found = name === undefined || name === "" ? null : findProgram(name);
  return found === null ? [] : [found];
}

const MAX_LINE_BYTES = 256;

function readFirstLine(path: string): string {
  try {
    const file = openSync(path, "r");
    try {
      const bytes = Buffer.alloc(MAX_LINE_BYTES);
      return bytes.toString("latin1", 0, readSync(file, bytes)).split("\n", 1)[0] ?? "";
    } finally {
      closeSync(file);
    }
  } catch {
    return "";
  }
}

function listFoldersAbove(path: string): string[] {
  const folder = dirname(path);
  return folder === path ? [] : [folder, ...listFoldersAbove(folder)];
}

/** The real path; null when there is nothing. */
export function resolveReal(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

const READ_BY_OTHERS = 0o004;
const ENTER_BY_OTHERS = 0o001;

/** The first of these paths that another user cannot read; null when all can be read. */
export function findUnreadable(paths: readonly string[]): string | null {
  return paths.find((path) => !isReadableByOthers(path)) ?? null;
}

function isReadableByOthers(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return true;
  const needed = stats.isDirectory() ? READ_BY_OTHERS | ENTER_BY_OTHERS : READ_BY_OTHERS;
  return (stats.mode & needed) === needed;
}
