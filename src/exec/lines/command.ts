import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { digest, omitUndefined, UsageError } from "../../core/index.js";
import { ENV_ASSIGNMENT, isFilePath, splitCommand } from "../process/command-words.js";
import { ProgramPool } from "./program-pool.js";

/** A command that answers requests in JSON lines. */
export interface CommandOptions {
  /** The program and its arguments, as one text. Not run by a shell. */
  command: string;
  /** The folder it runs in. Default: the working folder. */
  cwd?: string;
  /** Variables added to the environment of this process. */
  env?: Readonly<Record<string, string>>;
  /** Maximum number of processes. Default: the number of cores. */
  maxParallel?: number;
  /** True for a new process per request, false for processes that are kept. Default: found out. */
  once?: boolean;
}

/** Commands that are not run by a shell, but look as if. */
const SHELL_SYNTAX = /^(?:\||\|\||&&|;|>|>>|<|2>)$/;

/** Makes a pool for a command. Nothing is started yet. */
export function openCommandPool({ command, cwd, env, maxParallel, once }: CommandOptions): ProgramPool {
  return new ProgramPool({
    words: parseCommand(command, cwd),
    label: command,
    ...omitUndefined({ cwd: cwd === undefined ? undefined : resolve(cwd), env, maxParallel, once }),
  });
}

/** Identifies the work of a command: its words, its variables, and the content of files among its words. */
export function fingerprintCommand({ command, cwd, env, once }: CommandOptions): unknown {
  const files = splitCommand(command)
    .filter((word) => isFilePath(word, cwd ?? ".") || isFilePath(word, "."))
    .map((word) => [word, hashFile(isFilePath(word, ".") ? resolve(word) : resolve(cwd ?? ".", word))]);
  // Variables may hold secrets.
  return { command, files, ...omitUndefined({ once, env: env === undefined ? undefined : digest(env) }) };
}

function hashFile(path: string): string {
  return createHash("sha256").update(readFileSync(path)).digest("hex");
}

function parseCommand(command: string, cwd: string | undefined): [string, ...string[]] {
  const [program, ...args] = splitCommand(command);
  if (program === undefined) throw new UsageError("The command is empty. Write one like 'python compress.py'.");
  const [, variable] = ENV_ASSIGNMENT.exec(program) ?? [];
  if (variable !== undefined)
    throw new UsageError(
      `The command begins with the variable ${variable}, but it is not run by a shell. Set the variable for assay, in \`env\` of the config file, or write: env ${variable}=… program.`,
    );
  const syntax = args.find((word) => SHELL_SYNTAX.test(word));
  if (syntax !== undefined)
    throw new UsageError(`The command "${command}" has "${syntax}", but it is not run by a shell. Write: sh -c '…'.`);
  // With a folder of its own, it would not find files of the working folder.
  const place = (word: string) => (cwd !== undefined && isFilePath(word, ".") ? resolve(word) : word);
  return [place(program), ...args.map(place)];
}
