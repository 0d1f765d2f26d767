import { existsSync } from "node:fs";
import { messageOf, UsageError } from "../core/errors.js";

/** What was to be started, and where. */
export interface Attempt {
  readonly command: string;
  readonly cwd?: string | undefined;
}

/** Says why a program did not start. */
export function notStarted({ command, cwd }: Attempt, cause: unknown): UsageError {
  const { code } = cause as NodeJS.ErrnoException;
  // The system gives the same code for both.
  if (code === "ENOENT" && cwd !== undefined && !existsSync(cwd))
    return new UsageError(`${command} cannot be started in ${cwd}: there is no such folder.`, { cause });
  if (code === "ENOENT") return new UsageError(`There is no program "${command}". Check its name and PATH.`, { cause });
  if (code === "EACCES")
    return new UsageError(`${command} may not be run: it is no program, or you have no right to it.`, { cause });
  if (code === "E2BIG")
    return new UsageError(`${command} cannot be started: its arguments are too long. Pass the text in a file.`, {
      cause,
    });
  return new UsageError(`${command} cannot be started: ${messageOf(cause)}.`, { cause });
}
