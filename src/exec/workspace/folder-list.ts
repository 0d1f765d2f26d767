import { posix } from "node:path";
import { type Found, isGit, type Unseen } from "./walk-folder.js";

/** The folders that a walk meets: which of them hold nothing, and which are of git. */
export class FolderList {
  readonly all = new Set<string>();
  /** The paths of each `.git`. */
  readonly repositories: string[] = [];
  readonly #filled = new Set<string>();

  /** True for what git keeps for itself, which is remembered. */
  passesOver(path: string): boolean {
    if (!isGit(path)) return false;
    this.repositories.push(path);
    return true;
  }

  see({ path, stats }: Found): void {
    const isFolder = stats.isDirectory();
    if (isFolder) this.all.add(path);
    if (isFolder || stats.isFile() || stats.isSymbolicLink()) this.#filled.add(posix.dirname(path));
  }

  /** Those without anything that counts; of one that cannot be looked into nobody knows. */
  empty({ closed }: Unseen): string[] {
    const unknown = new Set(closed);
    return [...this.all].filter((path) => !this.#filled.has(path) && !unknown.has(path));
  }
}
