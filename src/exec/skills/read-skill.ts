import { basename, join, resolve } from "node:path";
import type { OfferedSkill } from "../../core/environment.js";
import { DatasetError } from "../../core/errors.js";
import { describe } from "../../core/shape.js";
import { NOT_TEXT, parseSkillFile } from "./skill-file.js";
import { readSkillFolder } from "./skill-folder.js";

/** What every skill has. */
export const SKILL_FILE = "SKILL.md";

/** A folder of this name is made for the skill, and models are told it. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** What keeps a text from being the name of a skill; null when nothing does. */
export function problemWithSkillName(name: string): string | null {
  return NAME.test(name) ? null : "is no name for a skill: use at most 64 small letters, digits and hyphens";
}

/** A skill as it is offered, and what it says it is for. */
export interface ReadSkill extends OfferedSkill {
  readonly description: string;
}

/**
 * Reads the folder of a skill: its name, what it is for, and all its files but those of its own evals.
 * @example
 * const { name, description, files } = await readSkill("skills/tidy");
 */
export async function readSkill(dir: string): Promise<ReadSkill> {
  const files = await readSkillFolder(dir);
  const head = files.find(({ dest }) => dest === SKILL_FILE);
  if (head === undefined) throw new DatasetError(`There is no ${SKILL_FILE} in ${dir}: a skill is a folder with one.`);
  const file = join(dir, SKILL_FILE);
  if (head.encoding !== undefined) throw new DatasetError(`${file}: ${NOT_TEXT}`);
  const { front, problems } = await parseSkillFile(head.content);
  if (problems.length > 0)
    throw new DatasetError(problems.map(({ line, column, text }) => `${file}:${line}:${column}: ${text}`).join("\n"));
  return { name: nameIn(front, dir), description: descriptionIn(front, file), files };
}

function nameIn({ name }: Readonly<Record<string, unknown>>, dir: string): string {
  const file = join(dir, SKILL_FILE);
  if (name !== undefined && typeof name !== "string")
    throw new DatasetError(`${file} has a name that is ${describe(name)}, not text. Put it in quotes.`);
  const used = name?.trim() || basename(resolve(dir));
  const problem = problemWithSkillName(used);
  if (problem !== null) throw new DatasetError(`${file}: "${used}" ${problem}.`);
  return used;
}

/** Agents pass over a skill that does not say what it is for: it would be lost without a word. */
function descriptionIn({ description }: Readonly<Record<string, unknown>>, file: string): string {
  if (typeof description === "string" && description.trim() !== "") return description.trim();
  throw new DatasetError(`${file} has no description. Say what the skill is for, and when to use it.`);
}
