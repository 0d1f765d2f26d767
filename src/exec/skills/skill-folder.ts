import { isUtf8 } from "node:buffer";
import type { Stats } from "node:fs";
import { readdir, readFile, realpath, stat } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import type { OfferedSkill } from "../../core/environment.js";
import { DatasetError, messageOf } from "../../core/errors.js";

type SkillFileContent = OfferedSkill["files"][number];

/** For one skill: all of it is held in memory, and written down with each example that offers it. */
const MAX_BYTES = 64 * 2 ** 20;

/** Neither is a part of a skill, and both can be large. */
const PASSED_OVER = new Set([".git", "node_modules"]);

/** An agent must not read its own test: neither eval files nor what lies with them is offered. */
function isTest(path: string): boolean {
  return path === "evals" || /(?:^|[/.])eval\.ya?ml$/.test(path);
}

/** All files of a skill's folder that an agent is offered, in the order of their paths. */
export async function readSkillFolder(dir: string): Promise<SkillFileContent[]> {
  const root = await realpath(dir).catch((cause: unknown) => {
    const why = (cause as NodeJS.ErrnoException).code === "ENOENT" ? "there is no such folder" : messageOf(cause);
    throw new DatasetError(`The skill ${dir} cannot be read: ${why}. Name a folder with a SKILL.md.`, { cause });
  });
  const reading = new SkillReading(dir, root);
  await reading.read({ path: root, name: "", above: [] });
  return reading.files.sort((a, b) => (a.dest < b.dest ? -1 : 1));
}

interface Place {
  readonly path: string;
  /** Below the skill's folder; empty for the folder itself. */
  readonly name: string;
  /** The real paths of the folders it is in. */
  readonly above: readonly string[];
}

class SkillReading {
  readonly files: SkillFileContent[] = [];
  #bytes = 0;
  readonly #dir: string;
  readonly #root: string;

  constructor(dir: string, root: string) {
    this.#dir = dir;
    this.#root = root;
  }

  async read({ path, name, above }: Place): Promise<void> {
    const real = await this.#whereItIs(path, name);
    const stats = await stat(real);
    if (stats.isFile() && name !== "") return this.#take({ real, name, stats });
    if (!stats.isDirectory()) throw this.#problem(name, "is not a folder or a file that can be offered. Take it out.");
    if (above.includes(real)) throw this.#problem(name, "is a link to a folder that it lies in. Take it out.");
    for (const inner of await readdir(real)) {
      const innerName = name === "" ? inner : `${name}/${inner}`;
      if (PASSED_OVER.has(inner) || isTest(innerName)) continue;
      await this.read({ path: join(real, inner), name: innerName, above: [...above, real] });
    }
  }

  /** Links are followed, so that the skill is as it looks, but only to what is a part of it. */
  async #whereItIs(path: string, name: string): Promise<string> {
    const real = await realpath(path).catch((cause: unknown) => {
      throw this.#problem(name, `cannot be read: ${messageOf(cause)}.`, cause);
    });
    const way = relative(this.#root, real);
    if (way !== ".." && !way.startsWith(`..${sep}`)) return real;
    throw this.#problem(name, "is a link that leaves the skill. Put what it points to there, or take it out.");
  }

  async #take({ real, name, stats }: { real: string; name: string; stats: Stats }): Promise<void> {
    if (this.#bytes + stats.size > MAX_BYTES)
      throw this.#problem(name, `makes the skill larger than ${MAX_BYTES / 2 ** 20} MB. Take out what is large.`);
    const bytes = await readFile(real).catch((cause: unknown) => {
      throw this.#problem(name, `cannot be read: ${messageOf(cause)}.`, cause);
    });
    this.#bytes += bytes.length;
    const isExecutable = (stats.mode & 0o100) !== 0;
    this.files.push({ dest: name, ...contentOf(bytes), ...(isExecutable && { executable: true }) });
  }

  #problem(name: string, what: string, cause?: unknown): DatasetError {
    const place = name === "" ? this.#dir : join(this.#dir, name);
    return new DatasetError(`${place} of a skill ${what}`, { cause });
  }
}

function contentOf(bytes: Buffer): Pick<SkillFileContent, "content" | "encoding"> {
  return isUtf8(bytes)
    ? { content: bytes.toString("utf8") }
    : { content: bytes.toString("base64"), encoding: "base64" };
}
