import { realpathSync } from "node:fs";
import { dirname, resolve, sep } from "node:path";
import { UsageError } from "../core/errors.js";
import { isBelow } from "../utils/files/inside.js";

/** What a command says about files that are not of the current project. */
export interface TrustFlags {
  /** Lets their code and their commands run. */
  readonly trust?: boolean | undefined;
}

/** As `--help` says it. */
export const TRUST_FLAG = ["--trust", "run code and commands that files outside of this folder name"] as const;

/**
 * Whether a file belongs to the current project: it lies in the folder that the command was started in, or directly in
 * one above it or in the `.assay` of that. Only such files may have code or commands run without being asked.
 */
export function isOwnFile(file: string): boolean {
  const here = process.cwd();
  return [resolve(file), realPath(file)].some((path) => isBelow(here, path) || isBelow(folderOf(path), here));
}

/** The folder of a project that a file lies in directly, or among what commands keep there. */
function folderOf(path: string): string {
  const [folder, kept] = path.split(`${sep}.assay${sep}`);
  return kept === undefined || folder === undefined ? dirname(path) : folder;
}

/** Refuses a file of another project that would have something run, unless it is trusted. */
export function requireTrust(file: string, what: string, { trust = false }: TrustFlags): void {
  if (trust || isOwnFile(file)) return;
  throw new UsageError(
    `${file} is not of the current project (${process.cwd()} and the folders above it), and ${what}. Look at it first; then start the command there, or add --trust.`,
  );
}

/** Refuses plugins of other projects, unless they are trusted. */
export function requireTrustedPlugins(paths: readonly string[] | undefined, flags: TrustFlags): void {
  for (const path of paths ?? []) requireTrust(path, "a plugin is code that is run", flags);
}

function realPath(file: string): string {
  try {
    return realpathSync.native(file);
  } catch {
    return resolve(file);
  }
}
