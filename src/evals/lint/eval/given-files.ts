import type { Dirent } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { basename, join, posix } from "node:path";
import type { Environment, EnvironmentFile, OfferedSkill } from "../../../core/environment.js";
import { parseSkillFile } from "../../../exec/skills/skill-file.js";

/** A text file that the agent finds in its workspace. */
export interface GivenText {
  /** Relative to the workspace, or to the folder of the skill it belongs to. */
  readonly path: string;
  readonly text: string;
}

/** The contents of a workspace before the agent starts. */
export interface GivenFiles {
  readonly paths: ReadonlySet<string>;
  readonly texts: readonly GivenText[];
  /** False when a repository, commands or a large number of files may add files that are not listed here. */
  readonly isComplete: boolean;
}

export interface GivenSkill {
  /** Null when it cannot be read. */
  readonly name: string | null;
  readonly texts: readonly GivenText[];
}

interface Listing {
  readonly files: readonly GivenText[];
  readonly isComplete: boolean;
}

const MOST_FILES = 3000;
const LARGEST_BYTES = 2 ** 18;
const PASSED_OVER = new Set([".git", "node_modules"]);

/** Reads the files of environments, each file or folder once. */
export class GivenReader {
  readonly #listings = new Map<string, Promise<Listing>>();

  /** Lists the files of an environment that are known without running anything. */
  async files({ files = [], git, commands = [] }: Environment): Promise<GivenFiles> {
    const placed = await Promise.all(files.map((file) => this.#placed(file)));
    const texts = placed.flatMap((listing) => listing.files);
    return {
      texts,
      paths: new Set(texts.map(({ path }) => path)),
      isComplete: git === undefined && commands.length === 0 && placed.every(({ isComplete }) => isComplete),
    };
  }

  async skill(given: string | OfferedSkill): Promise<GivenSkill> {
    const texts = typeof given === "string" ? (await this.#listing(given)).files : contentsOf(given);
    const own = texts.find(({ path }) => path === "SKILL.md");
    if (typeof given !== "string") return { name: given.name, texts };
    const name = own === undefined ? undefined : (await parseSkillFile(own.text)).front.name;
    return { name: typeof name === "string" ? name : null, texts };
  }

  async #placed(file: EnvironmentFile): Promise<Listing> {
    if (!("src" in file)) {
      const text = file.encoding === "base64" ? "" : file.content;
      return { files: [{ path: posix.normalize(file.dest), text }], isComplete: true };
    }
    const { files, isComplete } = await this.#listing(file.src);
    const isFolder = file.dest.endsWith("/") || posix.basename(file.dest) === ".";
    const placeOf = (path: string) => {
      if (path !== "") return posix.join(file.dest, path);
      return posix.normalize(isFolder ? posix.join(file.dest, basename(file.src)) : file.dest);
    };
    return { files: files.map(({ path, text }) => ({ path: placeOf(path), text })), isComplete };
  }

  #listing(src: string): Promise<Listing> {
    const known = this.#listings.get(src) ?? listingOf(src);
    this.#listings.set(src, known);
    return known;
  }
}

function contentsOf({ files }: OfferedSkill): GivenText[] {
  return files.map(({ dest, content, encoding }) => ({ path: dest, text: encoding === "base64" ? "" : content }));
}

/** A single file has the empty path. Unreadable files are reported by other rules. */
async function listingOf(src: string): Promise<Listing> {
  const found = await stat(src).catch(() => null);
  if (found === null) return { files: [], isComplete: false };
  if (!found.isDirectory()) return { files: [{ path: "", text: await textOf(src) }], isComplete: true };
  const paths: string[] = [];
  await collect(src, "", paths);
  const files = await Promise.all(paths.map(async (path) => ({ path, text: await textOf(join(src, path)) })));
  return { files, isComplete: paths.length < MOST_FILES };
}

async function collect(root: string, path: string, found: string[]): Promise<void> {
  const entries: Dirent[] = await readdir(join(root, path), { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    const below = path === "" ? entry.name : `${path}/${entry.name}`;
    if (found.length >= MOST_FILES || PASSED_OVER.has(entry.name)) continue;
    if (entry.isDirectory()) await collect(root, below, found);
    else if (entry.isFile()) found.push(below);
  }
}

async function textOf(file: string): Promise<string> {
  try {
    if ((await stat(file)).size > LARGEST_BYTES) return "";
    return await readFile(file, "utf8");
  } catch {
    return "";
  }
}
