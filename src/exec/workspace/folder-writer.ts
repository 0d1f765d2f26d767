import { lstat, mkdir, readdir, realpath, rm, rmdir, symlink, unlink, writeFile } from "node:fs/promises";
import { dirname, join, posix } from "node:path";
import { findRelativePathProblem, isWithin } from "./relative-path.js";
import { WorkspaceError } from "./workspace-error.js";

export interface FileToWrite {
  readonly path: string;
  readonly bytes: Buffer;
  readonly executable?: boolean | undefined;
}

/** Writes inside a folder and nowhere else, whatever links it contains. */
export class FolderWriter {
  readonly #root: string;
  /** Folders known to exist. */
  readonly #made = new Set(["."]);

  /** `root` must be a real path. */
  constructor(root: string) {
    this.#root = root;
  }

  async write({ path, bytes, executable }: FileToWrite): Promise<void> {
    const target = await this.#prepareTarget(path);
    await writeFile(target, bytes, { flag: "wx", mode: executable === true ? 0o755 : 0o644 });
  }

  /** Makes an empty folder, replacing a file or a link of that name. */
  async makeFolder(path: string): Promise<void> {
    await mkdir(await this.#prepareTarget(path));
  }

  async link(path: string, target: string): Promise<void> {
    await symlink(target, await this.#prepareTarget(path));
  }

  /** Removes a file or a link, and parent folders that become empty. */
  async remove(path: string): Promise<void> {
    this.#made.clear();
    this.#made.add(".");
    const parent = await this.#findParent(path);
    if (parent === null) return;
    await rm(join(parent, posix.basename(path)), { force: true, recursive: true });
    await this.#removeEmpty(posix.dirname(posix.normalize(path)));
  }

  async #removeEmpty(folder: string): Promise<void> {
    if (folder === ".") return;
    const path = join(this.#root, folder);
    if ((await readdir(path)).length > 0) return;
    await rmdir(path);
    await this.#removeEmpty(posix.dirname(folder));
  }

  /** Removes what was at the path, so that nothing is written through a symbolic or hard link. */
  async #prepareTarget(path: string): Promise<string> {
    const normal = this.#requireInnerPath(path);
    await this.#makeFolders(posix.dirname(normal), path);
    const target = join(this.#root, normal);
    const stats = await lstat(target).catch(() => null);
    if (stats?.isDirectory() === true) await this.#removeObstacle(target, path);
    else if (stats !== null) await unlink(target);
    return target;
  }

  /** A folder without files is replaced by a file. */
  async #removeObstacle(target: string, path: string): Promise<void> {
    if (await hasFiles(target)) throw new WorkspaceError(`"${path}" cannot be written: a folder has that name.`);
    await rm(target, { recursive: true });
  }

  async #makeFolders(folder: string, path: string): Promise<void> {
    if (this.#made.has(folder)) return;
    await this.#makeFolders(posix.dirname(folder), path);
    const target = join(this.#root, folder);
    await mkdir(target).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
    const real = await realpath(target).catch(() => null);
    const isFolder = real !== null && (await lstat(real)).isDirectory();
    if (!isFolder || !isWithin(this.#root, real)) {
      throw new WorkspaceError(`"${path}" cannot be written: "${folder}" is a file, or a link out of the folder.`);
    }
    this.#made.add(folder);
  }

  /** Null when there is none. */
  async #findParent(path: string): Promise<string | null> {
    const parent = dirname(join(this.#root, this.#requireInnerPath(path)));
    const real = await realpath(parent).catch(() => null);
    if (real !== null && real !== parent) throw new WorkspaceError(`"${path}" cannot be removed: it is behind a link.`);
    return real;
  }

  #requireInnerPath(path: string): string {
    const problem = findRelativePathProblem(path) ?? (posix.normalize(path) === "." ? "is the folder itself" : null);
    if (problem !== null) throw new WorkspaceError(`"${path}" cannot be written: it ${problem}.`);
    return posix.normalize(path);
  }
}

async function hasFiles(folder: string): Promise<boolean> {
  const inner = await readdir(folder, { withFileTypes: true, recursive: true });
  return inner.some((entry) => !entry.isDirectory());
}
