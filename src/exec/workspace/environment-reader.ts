import type { Stats } from "node:fs";
import { existsSync } from "node:fs";
import { readdir, readFile, realpath, stat } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, posix, resolve } from "node:path";
import type { Environment, EnvironmentFile, ImageSource, OfferedSkill } from "../../core/index.js";
import { DatasetError, getErrorMessage } from "../../core/index.js";
import { readSkill } from "../skills/read-skill.js";
import { decodeContent, type EncodedContent, encodeContent } from "./diff.js";
import { checkEnvironment, isFolderName, requireDistinctSkills } from "./environment-check.js";
import { isWithin } from "./relative-path.js";

interface PlacedFiles {
  readonly files: readonly EnvironmentFile[];
  readonly bytes: number;
}

type FileFromSource = Extract<EnvironmentFile, { src: string }>;

/**
 * Reads the files named by the environments of a dataset's examples into the environments. Shared sources are read once.
 * @example
 * const reader = new EnvironmentReader("datasets/coding");
 * const environment = await reader.read({ files: [{ src: "fixtures/app", dest: "." }] });
 */
export class EnvironmentReader {
  readonly #dir: string;
  readonly #sources = new Map<string, Promise<SourceContent>>();
  readonly #placed = new Map<string, Promise<PlacedFiles>>();
  readonly #skills = new Map<string, Promise<OfferedSkill>>();
  readonly #images = new Map<string, Promise<ImageSource>>();

  constructor(dir: string) {
    this.#dir = resolve(dir);
  }

  /** Returns the environment with the content of its files and skills; the same object when it names none. */
  async read(value: unknown): Promise<Environment> {
    const environment = checkEnvironment(value);
    const { git, files, skills, dockerfile } = environment;
    const isSourced = files?.some((file) => "src" in file) === true;
    const namesSkills = skills?.some((skill) => typeof skill === "string") === true;
    const url = git === undefined ? undefined : this.#resolveUrl(git.url);
    const namesDockerfile = typeof dockerfile === "string";
    if (!isSourced && !namesSkills && !namesDockerfile && url === git?.url) return environment;
    return {
      ...environment,
      ...(git !== undefined && url !== undefined && { git: { ...git, url } }),
      ...(files !== undefined && { files: await this.#readFiles(files) }),
      ...(skills !== undefined && { skills: await this.#readSkills(skills) }),
      ...(namesDockerfile && { dockerfile: await this.#readImageSource(dockerfile) }),
    };
  }

  /** Unlike files, a skill may be anywhere: an eval is inside the folder of the skill it tests. */
  async #readSkills(given: NonNullable<Environment["skills"]>): Promise<readonly OfferedSkill[]> {
    const skills: OfferedSkill[] = [];
    for (const skill of given) skills.push(typeof skill === "string" ? await this.#readSkill(skill) : skill);
    requireDistinctSkills("environment.skills", skills);
    return skills;
  }

  #readSkill(path: string): Promise<OfferedSkill> {
    const dir = resolve(this.#dir, path);
    return getOrCreate(this.#skills, dir, async () => {
      const { name, files } = await readSkill(dir);
      return { name, files };
    });
  }

  /** A Dockerfile and everything next to it, which may be anywhere, like a skill. */
  #readImageSource(path: string): Promise<ImageSource> {
    const file = resolve(this.#dir, path);
    return getOrCreate(this.#images, file, async () => {
      const dockerfile = basename(file);
      if (!existsSync(file))
        throw new DatasetError(
          `The Dockerfile "${path}" of an example does not exist. It is looked up in ${this.#dir}.`,
        );
      const { files } = await readSourceFiles(dirname(file), ".");
      return { dockerfile, files: files.map(({ path: dest, ...content }) => ({ dest, ...content })) };
    });
  }

  /** Like git: a URL without a scheme, or a host before a colon, is a path. */
  #resolveUrl(url: string): string {
    const isElsewhere = /^[A-Za-z][\w+.-]*:\/\//.test(url) || /^[^/]*:/.test(url);
    return isElsewhere || isAbsolute(url) ? url : resolve(this.#dir, url);
  }

  async #readFiles(given: readonly EnvironmentFile[]): Promise<readonly EnvironmentFile[]> {
    const files: EnvironmentFile[] = [];
    let total = 0;
    for (const file of given) {
      const placed =
        "src" in file ? await this.#readSource(file) : { files: [file], bytes: decodeContent(file).length };
      total += placed.bytes;
      if (total > MAX_SOURCE_BYTES) throw createSourceTooLargeError("src" in file ? file.src : file.dest);
      for (const each of placed.files) files.push(each);
    }
    return files;
  }

  #readSource({ src, dest }: FileFromSource): Promise<PlacedFiles> {
    return getOrCreate(this.#placed, `${src}\0${dest}`, async () => {
      const { files, bytes } = await getOrCreate(this.#sources, posix.normalize(src), () =>
        readSourceFiles(this.#dir, src),
      );
      return {
        bytes,
        files: files.map(({ path, ...file }) => ({ dest: resolveDestination({ src, dest }, path), ...file })),
      };
    });
  }
}

/**
 * Checks the environment of an example and reads the files it names.
 * @example
 * await loadEnvironment({ files: [{ src: "app", dest: "." }] }, "datasets/coding");
 */
export function loadEnvironment(value: unknown, dir: string): Promise<Environment> {
  return new EnvironmentReader(dir).read(value);
}

/** A folder's files go below `dest`; a single file becomes `dest`, or goes into it when it names a folder. */
function resolveDestination({ src, dest }: FileFromSource, path: string): string {
  if (path !== "") return posix.join(dest, path);
  return posix.normalize(isFolderName(dest) ? posix.join(dest, posix.basename(src)) : dest);
}

function getOrCreate<T>(known: Map<string, Promise<T>>, key: string, make: () => Promise<T>): Promise<T> {
  const made = known.get(key) ?? make();
  known.set(key, made);
  return made;
}

/** Limit for one environment, which is held in memory and stored with the example. */
const MAX_SOURCE_BYTES = 64 * 2 ** 20;

/** A file found in a `src`. */
interface SourceFile extends EncodedContent {
  /** Relative to the `src`; empty when that is the file itself. */
  readonly path: string;
  readonly executable?: true;
}

export interface SourceContent {
  readonly files: readonly SourceFile[];
  readonly bytes: number;
}

/** Reads a file, or a folder and everything in it except `.git`, sorted by path. */
async function readSourceFiles(dir: string, src: string): Promise<SourceContent> {
  const reading = new SourceReader(await realpath(dir), src);
  await reading.read({ path: join(dir, src), name: "", above: [] });
  const files = reading.files.sort((a, b) => (a.path < b.path ? -1 : 1));
  return { files, bytes: reading.bytes };
}

function createSourceTooLargeError(src: string): DatasetError {
  return new DatasetError(
    `The files of an environment may have at most ${MAX_SOURCE_BYTES / 2 ** 20} MB in total, and "${src}" exceeds that. Put them into a repository and name it as \`git\`.`,
  );
}

interface SourceEntry {
  readonly path: string;
  /** Relative to the `src`. */
  readonly name: string;
  /** Real paths of its parent folders. */
  readonly above: readonly string[];
}

class SourceReader {
  readonly files: SourceFile[] = [];
  bytes = 0;
  readonly #dir: string;
  readonly #src: string;

  constructor(dir: string, src: string) {
    this.#dir = dir;
    this.#src = src;
  }

  async read({ path, name, above }: SourceEntry): Promise<void> {
    const real = await this.#resolvePath(path, name);
    const stats = await stat(real);
    if (stats.isFile()) return this.#addFile({ real, name, stats });
    if (!stats.isDirectory()) throw this.#createError(name, "is neither a file nor a folder. Remove it.");
    if (above.includes(real)) throw this.#createError(name, "is a link to one of its parent folders. Remove it.");
    for (const inner of await readdir(real)) {
      const innerName = name === "" ? inner : `${name}/${inner}`;
      if (inner !== ".git") await this.read({ path: join(real, inner), name: innerName, above: [...above, real] });
    }
  }

  /** Follows links, but only to targets inside the dataset's folder. */
  async #resolvePath(path: string, name: string): Promise<string> {
    const real = await realpath(path).catch((cause: unknown) => {
      const why = (cause as NodeJS.ErrnoException).code === "ENOENT" ? "does not exist" : getErrorMessage(cause);
      throw this.#createError(name, `cannot be read: ${why}. It is looked up in ${this.#dir}.`, cause);
    });
    if (!isWithin(this.#dir, real)) {
      throw this.#createError(
        name,
        `is a link to a target outside ${this.#dir}. Copy the target there, or remove the link.`,
      );
    }
    return real;
  }

  async #addFile({ real, name, stats }: { real: string; name: string; stats: Stats }): Promise<void> {
    if (this.bytes + stats.size > MAX_SOURCE_BYTES) throw createSourceTooLargeError(this.#src);
    const bytes = await readFile(real).catch((cause: unknown) => {
      throw this.#createError(name, `cannot be read: ${getErrorMessage(cause)}.`, cause);
    });
    this.bytes += bytes.length;
    const isExecutable = (stats.mode & 0o100) !== 0;
    this.files.push({ path: name, ...encodeContent(bytes), ...(isExecutable && { executable: true }) });
  }

  #createError(name: string, what: string, cause?: unknown): DatasetError {
    const path = name === "" ? this.#src : `${this.#src}/${name}`;
    return new DatasetError(`"${path}" of an example's environment ${what}`, { cause });
  }
}
