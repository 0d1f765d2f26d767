import { realpathSync } from "node:fs";
import { dirname, resolve, sep } from "node:path";
import { UsageError } from "../core/index.js";
import { isInsideDir } from "../utils/index.js";

/** How a command treats files outside the current project. */
export interface TrustFlags {
  /** Allows their code and commands to run. */
  readonly trust?: boolean | undefined;
}

export const TRUST_FLAG = ["--trust", "run code and commands named by files outside this folder"] as const;

/**
 * A file belongs to the current project if it is in the working folder, or directly in a parent folder or that folder's
 * `.assay`. Only such files may run code or commands without --trust.
 */
export function isTrustedFile(file: string): boolean {
  const here = process.cwd();
  return [resolve(file), findRealPath(file)].some(
    (path) => isInsideDir(here, path) || isInsideDir(resolveFolder(path), here),
  );
}

/** The project folder that directly contains a file, possibly in its `.assay`. */
function resolveFolder(path: string): string {
  const [folder, kept] = path.split(`${sep}.assay${sep}`);
  return kept === undefined || folder === undefined ? dirname(path) : folder;
}

/** Rejects a file of another project that would run something, unless it is trusted. */
export function requireTrust(file: string, what: string, { trust = false }: TrustFlags): void {
  if (trust || isTrustedFile(file)) return;
  throw new UsageError(
    `${file} is outside the current project (${process.cwd()} and the folders above it), and ${what}. Check it first; then run the command there, or add --trust.`,
  );
}

/** Rejects plugins of other projects unless they are trusted. */
export function requireTrustedPlugins(paths: readonly string[] | undefined, flags: TrustFlags): void {
  for (const path of paths ?? []) requireTrust(path, "a plugin is code that would be run", flags);
}

function findRealPath(file: string): string {
  try {
    return realpathSync.native(file);
  } catch {
    return resolve(file);
  }
}
