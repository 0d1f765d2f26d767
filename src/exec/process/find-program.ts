import { accessSync, constants, existsSync, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { getErrorMessage, UsageError } from "../../core/index.js";

/**
 * Finds a program in the folders of PATH; null when it is not there.
 * @example
 * findProgram("git"); // "/usr/bin/git"
 */
export function findProgram(name: string, path: string | undefined = process.env.PATH): string | null {
  if (name === "") return null;
  if (name.includes("/")) return isProgram(name) ? name : null;
  const folders = (path ?? "").split(delimiter).filter((folder) => folder !== "");
  return folders.map((folder) => join(folder, name)).find(isProgram) ?? null;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

interface StartAttempt {
  readonly command: string;
  readonly cwd?: string | undefined;
}

/** Creates an error that explains why a program did not start. */
export function createProgramStartError({ command, cwd }: StartAttempt, cause: unknown): UsageError {
  return new UsageError(explainStartFailure({ command, cwd }, cause), { cause });
}

function explainStartFailure({ command, cwd }: StartAttempt, cause: unknown): string {
  const { code } = cause as NodeJS.ErrnoException;
  // The system returns the same code for a missing program, folder or interpreter.
  if (code === "ENOENT" && cwd !== undefined && !existsSync(cwd))
    return `${command} cannot be started in ${cwd}: the folder does not exist.`;
  if (code === "ENOENT" && command.startsWith("/") && existsSync(command))
    return `${command} cannot be started: the interpreter named in its first line does not exist. Fix that line, or name the interpreter in the command.`;
  if (code === "ENOENT") return `Program "${command}" not found. Check its name and PATH.`;
  if (code === "EACCES" && isMissingExecuteBit(command)) return describeNotExecutable(command);
  if (code === "EACCES") return `${command} cannot be run: it is not a program, or you lack the permission.`;
  if (code === "E2BIG") return `${command} cannot be started: its arguments are too long. Pass the text in a file.`;
  return `${command} cannot be started: ${getErrorMessage(cause)}.`;
}

/** True for an existing file that the current user cannot execute. */
export function isMissingExecuteBit(path: string): boolean {
  if (!path.includes("/") || statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return false;
  try {
    accessSync(path, constants.X_OK);
    return false;
  } catch {
    return true;
  }
}

export function describeNotExecutable(path: string): string {
  return `${path} cannot be run: it is not executable. Run chmod +x ${path}, or name the program that runs it, such as: node ${path}.`;
}
