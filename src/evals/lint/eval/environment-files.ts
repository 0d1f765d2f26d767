import type { Dirent } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { basename, join, posix } from "node:path";
import type { Environment, EnvironmentFile, OfferedSkill } from "../../../core/index.js";
import { parseSkillFile } from "../../../exec/index.js";

/** A text file that the agent finds in its workspace. */
export interface WorkspaceText {
  /** Relative to the workspace, or to the folder of the skill it belongs to. */
  readonly path: string;
  readonly text: string;
}

/** The contents of a workspace before the agent starts. */
export interface WorkspaceFiles {
  readonly paths: ReadonlySet<string>;
  readonly texts: readonly WorkspaceText[];
  /** False when a repository, commands or a large number of files may add files that are not listed here. */
  readonly isComplete: boolean;
}

export interface SkillText {
  /** Null when it cannot be read. */
  readonly name: string | null;
  readonly texts: readonly WorkspaceText[];
}

interface FileListing {
  readonly files: readonly WorkspaceText[];
  readonly isComplete: boolean;
}

const MAX_FILES = 3000;
const MAX_FILE_BYTES = 2 ** 18;
const IGNORED_DIRS = new Set([".git", "node_modules"]);

/** Reads the files of environments, each file or folder once. */
export class EnvironmentFileReader {
  readonly #listings = new Map<string, Promise<FileListing>>();

  /** Lists the files of an environment that are known without running anything. */
  async readFiles({ files = [], git, commands = [] }: Environment): Promise<WorkspaceFiles> {
    const placed = await Promise.all(files.map((file) => this.#listPlaced(file)));
    const texts = placed.flatMap((listing) => listing.files);
    return {
      texts,
      paths: new Set(texts.map(({ path }) => path)),
      isComplete: git === undefined && commands.length === 0 && placed.every(({ isComplete }) => isComplete),
    };
  }

  async readSkill(given: string | OfferedSkill): Promise<SkillText> {
    const texts = typeof given === "string" ? (await this.#list(given)).files : listSkillTexts(given);
    const own = texts.find(({ path }) => path === "SKILL.md");
    if (typeof given !== "string") return { name: given.name, texts };
    const name = own === undefined ? undefined : (await parseSkillFile(own.text)).front.name;
    return { name: typeof name === "string" ? name : null, texts };
  }

  async #listPlaced(file: EnvironmentFile): Promise<FileListing> {
    if (!("src" in file)) {
      const text = file.encoding === "base64" ? "" : file.content;
      return { files: [{ path: posix.normalize(file.dest), text }], isComplete: true };
    }
    const { files, isComplete } = await this.#list(file.src);
    const isFolder = file.dest.endsWith("/") || posix.basename(file.dest) === ".";
    const placeOf = (path: string) => {
      if (path !== "") return posix.join(file.dest, path);
      return posix.normalize(isFolder ? posix.join(file.dest, basename(file.src)) : file.dest);
    };
    return { files: files.map(({ path, text }) => ({ path: placeOf(path), text })), isComplete };
  }

  #list(src: string): Promise<FileListing> {
    const known = this.#listings.get(src) ?? listFileTexts(src);
    this.#listings.set(src, known);
    return known;
  }
}

function listSkillTexts({ files }: OfferedSkill): WorkspaceText[] {
  return files.map(({ dest, content, encoding }) => ({ path: dest, text: encoding === "base64" ? "" : content }));
}

/** A single file has the empty path. Unreadable files are reported by other rules. */
async function listFileTexts(src: string): Promise<FileListing> {
  const found = await stat(src).catch(() => null);
  if (found === null) return { files: [], isComplete: false };
  if (!found.isDirectory()) return { files: [{ path: "", text: await readWorkspaceText(src) }], isComplete: true };
  const paths: string[] = [];
  await collectFilePaths(src, "", paths);
  const files = await Promise.all(
    paths.map(async (path) => ({ path, text: await readWorkspaceText(join(src, path)) })),
  );
  return { files, isComplete: paths.length < MAX_FILES };
}

async function collectFilePaths(root: string, path: string, found: string[]): Promise<void> {
  const entries: Dirent[] = await readdir(join(root, path), { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    const below = path === "" ? entry.name : `${path}/${entry.name}`;
    if (found.length >= MAX_FILES || IGNORED_DIRS.has(entry.name)) continue;
    if (entry.isDirectory()) await collectFilePaths(root, below, found);
    else if (entry.isFile()) found.push(below);
  }
}

async function readWorkspaceText(file: string): Promise<string> {
  try {
    if ((await stat(file)).size > MAX_FILE_BYTES) return "";
    return await readFile(file, "utf8");
  } catch {
    return "";
  }
}
