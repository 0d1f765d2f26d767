import { lstatSync, type Stats } from "node:fs";
import { rm } from "node:fs/promises";
import { removeFolder } from "./remove-folder.js";

/** Why nothing of a folder is known any more. */
export const REPLACED = "the agent replaced the folder that it was given, by a link or by something else";

/**
 * A folder that was made for a trial, in one that holds all of it. Whoever works there may put links in their place:
 * what is read or written by their paths then lies outside.
 */
export class OwnFolder {
  readonly #root: string;
  readonly #path: string;
  readonly #holder: Stats;

  /** Both are there, and the root is a real path. */
  constructor(root: string, path: string) {
    this.#root = root;
    this.#path = path;
    this.#holder = lstatSync(root);
  }

  /**
   * False when a link was put in its place, or in that of the folder it lies in. One that was deleted and made again
   * still counts: it lies where nothing else of the user's does, and its number may well be that of the old one.
   */
  get isThere(): boolean {
    if (!this.#hasRoot()) return false;
    const folder = folderAt(this.#path);
    return folder !== null && folder.dev === this.#holder.dev;
  }

  /** Deletes all of it; what was put in its place stays, but for a link, which is deleted and not followed. */
  async remove(): Promise<void> {
    if (this.#hasRoot()) await removeFolder(this.#root);
    else await rm(this.#root, { force: true }).catch(() => undefined);
  }

  #hasRoot(): boolean {
    const root = folderAt(this.#root);
    return root !== null && root.dev === this.#holder.dev && root.ino === this.#holder.ino;
  }
}

/** Null when there is none, or a link to one. */
function folderAt(path: string): Stats | null {
  try {
    const stats = lstatSync(path);
    return stats.isDirectory() ? stats : null;
  } catch {
    return null;
  }
}
