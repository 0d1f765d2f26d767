import { accessSync, constants, existsSync, statSync } from "node:fs";
import { messageOf, UsageError } from "../../core/errors.js";

/** What was to be started, and where. */
export interface Attempt {
  readonly command: string;
  readonly cwd?: string | undefined;
}

/** Says why a program did not start. */
export function notStarted({ command, cwd }: Attempt, cause: unknown): UsageError {
  return new UsageError(reasonOf({ command, cwd }, cause), { cause });
}

function reasonOf({ command, cwd }: Attempt, cause: unknown): string {
  const { code } = cause as NodeJS.ErrnoException;
  // The system gives the same code for a program, a folder and an interpreter that is not there.
  if (code === "ENOENT" && cwd !== undefined && !existsSync(cwd))
    return `${command} cannot be started in ${cwd}: there is no such folder.`;
  if (code === "ENOENT" && command.startsWith("/") && existsSync(command))
    return `${command} cannot be started: the program that its first line names is not there. Correct that line, or name the program in the command.`;
  if (code === "ENOENT") return `There is no program "${command}". Check its name and PATH.`;
  if (code === "EACCES" && lacksExecuteBit(command)) return notExecutable(command);
  if (code === "EACCES") return `${command} may not be run: it is no program, or you have no right to it.`;
  if (code === "E2BIG") return `${command} cannot be started: its arguments are too long. Pass the text in a file.`;
  return `${command} cannot be started: ${messageOf(cause)}.`;
}

/** True for a file that is there and that nobody may execute, or not this user. */
export function lacksExecuteBit(path: string): boolean {
  if (!path.includes("/") || statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return false;
  try {
    accessSync(path, constants.X_OK);
    return false;
  } catch {
    return true;
  }
}

/** What to do about such a file. */
export function notExecutable(path: string): string {
  return `${path} may not be run: it has no execute bit. Set it (chmod +x ${path}), or name the program that runs it, such as: node ${path}.`;
}
