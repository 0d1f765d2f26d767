import { isAbsolute, posix, resolve } from "node:path";
import type { Environment, EnvironmentFile, OfferedSkill } from "../../core/environment.js";
import { readSkill } from "../skills/read-skill.js";
import { decodeContent } from "./encoded-content.js";
import { checkEnvironment } from "./environment-check.js";
import { isFolderName } from "./file-check.js";
import { requireDistinct } from "./offer-check.js";
import { MAX_SOURCE_BYTES, readSource, type Source, tooMuch } from "./read-source.js";

interface Placed {
  readonly files: readonly EnvironmentFile[];
  readonly bytes: number;
}

type GivenSource = Extract<EnvironmentFile, { src: string }>;

/**
 * Makes the environments of a dataset's examples independent of the files beside it. What several name is read once.
 * @example
 * const reader = new EnvironmentReader("datasets/coding");
 * const environment = await reader.read({ files: [{ src: "fixtures/app", dest: "." }] });
 */
export class EnvironmentReader {
  readonly #dir: string;
  readonly #sources = new Map<string, Promise<Source>>();
  readonly #placed = new Map<string, Promise<Placed>>();
  readonly #skills = new Map<string, Promise<OfferedSkill>>();

  constructor(dir: string) {
    this.#dir = resolve(dir);
  }

  /** The environment with the content of its files and skills; the very same object when it names none. */
  async read(value: unknown): Promise<Environment> {
    const environment = checkEnvironment(value);
    const { git, files, skills } = environment;
    const isSourced = files?.some((file) => "src" in file) === true;
    const namesSkills = skills?.some((skill) => typeof skill === "string") === true;
    const url = git === undefined ? undefined : this.#urlOf(git.url);
    if (!isSourced && !namesSkills && url === git?.url) return environment;
    return {
      ...environment,
      ...(git !== undefined && url !== undefined && { git: { ...git, url } }),
      ...(files !== undefined && { files: await this.#filled(files) }),
      ...(skills !== undefined && { skills: await this.#offered(skills) }),
    };
  }

  /** A skill may lie anywhere, unlike files: an eval stands inside the folder of the skill that it tests. */
  async #offered(given: NonNullable<Environment["skills"]>): Promise<readonly OfferedSkill[]> {
    const skills: OfferedSkill[] = [];
    for (const skill of given) skills.push(typeof skill === "string" ? await this.#skill(skill) : skill);
    requireDistinct("environment.skills", skills);
    return skills;
  }

  #skill(path: string): Promise<OfferedSkill> {
    const dir = resolve(this.#dir, path);
    return remembered(this.#skills, dir, async () => {
      const { name, files } = await readSkill(dir);
      return { name, files };
    });
  }

  /** As git tells them apart: what has neither a scheme nor a host before a colon is a path. */
  #urlOf(url: string): string {
    const isElsewhere = /^[A-Za-z][\w+.-]*:\/\//.test(url) || /^[^/]*:/.test(url);
    return isElsewhere || isAbsolute(url) ? url : resolve(this.#dir, url);
  }

  async #filled(given: readonly EnvironmentFile[]): Promise<readonly EnvironmentFile[]> {
    const files: EnvironmentFile[] = [];
    let total = 0;
    for (const file of given) {
      const placed = "src" in file ? await this.#place(file) : { files: [file], bytes: decodeContent(file).length };
      total += placed.bytes;
      if (total > MAX_SOURCE_BYTES) throw tooMuch("src" in file ? file.src : file.dest);
      for (const each of placed.files) files.push(each);
    }
    return files;
  }

  #place({ src, dest }: GivenSource): Promise<Placed> {
    return remembered(this.#placed, `${src}\0${dest}`, async () => {
      const { files, bytes } = await remembered(this.#sources, posix.normalize(src), () => readSource(this.#dir, src));
      return { bytes, files: files.map(({ path, ...file }) => ({ dest: placeOf({ src, dest }, path), ...file })) };
    });
  }
}

/**
 * Checks the environment of an example and puts the files it names into it.
 * @example
 * await inlineEnvironment({ files: [{ src: "app", dest: "." }] }, "datasets/coding");
 */
export function inlineEnvironment(value: unknown, dir: string): Promise<Environment> {
  return new EnvironmentReader(dir).read(value);
}

/** A folder's files go below `dest`; a single file becomes `dest`, or goes into it when that names a folder. */
function placeOf({ src, dest }: GivenSource, path: string): string {
  if (path !== "") return posix.join(dest, path);
  return posix.normalize(isFolderName(dest) ? posix.join(dest, posix.basename(src)) : dest);
}

function remembered<T>(known: Map<string, Promise<T>>, key: string, make: () => Promise<T>): Promise<T> {
  const made = known.get(key) ?? make();
  known.set(key, made);
  return made;
}
