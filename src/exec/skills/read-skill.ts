import { isUtf8 } from "node:buffer";
import type { Stats } from "node:fs";
import { readdir, readFile, realpath, stat } from "node:fs/promises";
import { basename, join, relative, resolve, sep } from "node:path";
import type { OfferedSkill } from "../../core/index.js";
import { DatasetError, describeValue, getErrorMessage } from "../../core/index.js";
import { type FileProblem, parseYaml } from "../../utils/index.js";

/** A parsed SKILL.md. */
export interface SkillFile {
  /** The front matter; empty when there is none. */
  readonly front: Readonly<Record<string, unknown>>;
  readonly body: string;
  /** The first line of the body, from 1. */
  readonly bodyLine: number;
  /** Problems of the front matter, with line numbers. */
  readonly problems: readonly FileProblem[];
}

export const NOT_UTF8 = "it is not valid UTF-8: save it as UTF-8 and remove binary content.";

const FRONT_MATTER_START = /^---[ \t]*\r?\n/;
const FRONT_MATTER_END = /(?:^|\n)---[ \t]*(?:\r?\n|$)/;

/**
 * Parses a SKILL.md: YAML between two lines of dashes, then Markdown.
 * @example
 * const { front } = await parseSkillFile("---\nname: tidy\ndescription: Tidies up.\n---\n# Tidy\n");
 * front.name; // "tidy"
 */
export async function parseSkillFile(text: string): Promise<SkillFile> {
  const source = text.replace(/^\uFEFF/, "");
  const opening = FRONT_MATTER_START.exec(source);
  if (opening === null)
    return createFrontlessSkill(source, "it has no front matter: begin it with ---, name, description and ---.");
  const rest = source.slice(opening[0].length);
  const closing = FRONT_MATTER_END.exec(rest);
  if (closing === null)
    return createFrontlessSkill(source, "its front matter is not closed: add a line --- after the description.");
  const yaml = rest.slice(0, closing.index);
  const body = rest.slice(closing.index + closing[0].length);
  const tree = await parseYaml(yaml);
  const problems = tree.problems.map((problem) => ({ ...problem, line: problem.line + 1 }));
  const bodyLine = source.slice(0, source.length - body.length).split("\n").length;
  const isMap = typeof tree.value === "object" && tree.value !== null && !Array.isArray(tree.value);
  if (isMap) return { front: tree.value as Readonly<Record<string, unknown>>, body, bodyLine, problems };
  const none = { line: 2, column: 1, text: "its front matter has no keys: add a name and a description." };
  return { front: {}, body, bodyLine, problems: problems.length > 0 ? problems : [none] };
}

function createFrontlessSkill(body: string, text: string): SkillFile {
  return { front: {}, body, bodyLine: 1, problems: [{ line: 1, column: 1, text }] };
}

export const SKILL_FILE = "SKILL.md";

/** Used as a folder name and shown to models. */
const SKILL_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Returns what is wrong with a skill name; null when it is valid. */
export function findSkillNameProblem(name: string): string | null {
  return SKILL_NAME.test(name)
    ? null
    : "is not a valid skill name: use at most 64 lowercase letters, digits and hyphens";
}

/** A skill with its description. */
interface LoadedSkill extends OfferedSkill {
  readonly description: string;
}

/**
 * Reads the folder of a skill: its name, description and files, except those of its own evals.
 * @example
 * const { name, description, files } = await readSkill("skills/tidy");
 */
export async function readSkill(dir: string): Promise<LoadedSkill> {
  const files = await readSkillFolder(dir);
  const head = files.find(({ dest }) => dest === SKILL_FILE);
  if (head === undefined) throw new DatasetError(`${dir} has no ${SKILL_FILE}: a skill is a folder with one.`);
  const file = join(dir, SKILL_FILE);
  if (head.encoding !== undefined) throw new DatasetError(`${file}: ${NOT_UTF8}`);
  const { front, problems } = await parseSkillFile(head.content);
  if (problems.length > 0)
    throw new DatasetError(problems.map(({ line, column, text }) => `${file}:${line}:${column}: ${text}`).join("\n"));
  return { name: readSkillName(front, dir), description: readSkillDescription(front, file), files };
}

function readSkillName({ name }: Readonly<Record<string, unknown>>, dir: string): string {
  const file = join(dir, SKILL_FILE);
  if (name !== undefined && typeof name !== "string")
    throw new DatasetError(`${file} has a name that is ${describeValue(name)}, not text. Put it in quotes.`);
  const used = name?.trim() || basename(resolve(dir));
  const problem = findSkillNameProblem(used);
  if (problem !== null) throw new DatasetError(`${file}: "${used}" ${problem}.`);
  return used;
}

/** Agents silently ignore a skill without a description. */
function readSkillDescription({ description }: Readonly<Record<string, unknown>>, file: string): string {
  if (typeof description === "string" && description.trim() !== "") return description.trim();
  throw new DatasetError(`${file} has no description. Describe what the skill does and when to use it.`);
}

type SkillFileContent = OfferedSkill["files"][number];

/** Limit for one skill, which is held in memory and stored with each example that offers it. */
const MAX_BYTES = 64 * 2 ** 20;

/** Not part of a skill, and possibly large. */
const IGNORED_DIRS = new Set([".git", "node_modules"]);

/** An agent must not see its own tests: eval files and their folders are not offered. */
function isSkillTest(path: string): boolean {
  return path === "evals" || /(?:^|[/.])eval\.ya?ml$/.test(path);
}

/** Reads all offered files of a skill's folder, sorted by path. */
async function readSkillFolder(dir: string): Promise<SkillFileContent[]> {
  const root = await realpath(dir).catch((cause: unknown) => {
    const why =
      (cause as NodeJS.ErrnoException).code === "ENOENT" ? "the folder does not exist" : getErrorMessage(cause);
    throw new DatasetError(`The skill ${dir} cannot be read: ${why}. Name a folder with a SKILL.md.`, { cause });
  });
  const reading = new SkillFolderReader(dir, root);
  await reading.read({ path: root, name: "", above: [] });
  return reading.files.sort((a, b) => (a.dest < b.dest ? -1 : 1));
}

interface SkillFolderEntry {
  readonly path: string;
  /** Relative to the skill's folder; empty for the folder itself. */
  readonly name: string;
  /** Real paths of its parent folders. */
  readonly above: readonly string[];
}

class SkillFolderReader {
  readonly files: SkillFileContent[] = [];
  #bytes = 0;
  readonly #dir: string;
  readonly #root: string;

  constructor(dir: string, root: string) {
    this.#dir = dir;
    this.#root = root;
  }

  async read({ path, name, above }: SkillFolderEntry): Promise<void> {
    const real = await this.#resolvePath(path, name);
    const stats = await stat(real);
    if (stats.isFile() && name !== "") return this.#addFile({ real, name, stats });
    if (!stats.isDirectory()) throw this.#createError(name, "is neither a folder nor a regular file. Remove it.");
    if (above.includes(real)) throw this.#createError(name, "is a link to one of its parent folders. Remove it.");
    for (const inner of await readdir(real)) {
      const innerName = name === "" ? inner : `${name}/${inner}`;
      if (IGNORED_DIRS.has(inner) || isSkillTest(innerName)) continue;
      await this.read({ path: join(real, inner), name: innerName, above: [...above, real] });
    }
  }

  /** Follows links, but only to targets inside the skill. */
  async #resolvePath(path: string, name: string): Promise<string> {
    const real = await realpath(path).catch((cause: unknown) => {
      throw this.#createError(name, `cannot be read: ${getErrorMessage(cause)}.`, cause);
    });
    const way = relative(this.#root, real);
    if (way !== ".." && !way.startsWith(`..${sep}`)) return real;
    throw this.#createError(
      name,
      "is a link to a target outside the skill. Copy the target there, or remove the link.",
    );
  }

  async #addFile({ real, name, stats }: { real: string; name: string; stats: Stats }): Promise<void> {
    if (this.#bytes + stats.size > MAX_BYTES)
      throw this.#createError(name, `makes the skill larger than ${MAX_BYTES / 2 ** 20} MB. Remove large files.`);
    const bytes = await readFile(real).catch((cause: unknown) => {
      throw this.#createError(name, `cannot be read: ${getErrorMessage(cause)}.`, cause);
    });
    this.#bytes += bytes.length;
    const isExecutable = (stats.mode & 0o100) !== 0;
    this.files.push({ dest: name, ...toSkillContent(bytes), ...(isExecutable && { executable: true }) });
  }

  #createError(name: string, what: string, cause?: unknown): DatasetError {
    const place = name === "" ? this.#dir : join(this.#dir, name);
    return new DatasetError(`${place} of a skill ${what}`, { cause });
  }
}

function toSkillContent(bytes: Buffer): Pick<SkillFileContent, "content" | "encoding"> {
  return isUtf8(bytes)
    ? { content: bytes.toString("utf8") }
    : { content: bytes.toString("base64"), encoding: "base64" };
}
