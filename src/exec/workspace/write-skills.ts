import { mkdir, realpath } from "node:fs/promises";
import type { Environment, EnvironmentFile, OfferedSkill } from "../../core/index.js";
import { decodeContent } from "./diff.js";
import { FolderWriter } from "./folder-writer.js";
import { WorkspaceError } from "./workspace-error.js";

/** The skills of an environment; throws when they were not read yet. */
export function listOfferedSkills({ skills = [] }: Environment): readonly OfferedSkill[] {
  return skills.map((skill) => {
    if (typeof skill !== "string") return skill;
    throw new WorkspaceError(
      `The skill "${skill}" has not been read yet: pass the environment to EnvironmentReader first.`,
    );
  });
}

/**
 * The files of skills, each in a folder with its name below `dir`.
 * @example
 * toSkillFiles([{ name: "tidy", files: [{ dest: "SKILL.md", content: "…" }] }], ".claude/skills");
 */
export function toSkillFiles(
  skills: readonly OfferedSkill[],
  dir: string,
): readonly Exclude<EnvironmentFile, { src: string }>[] {
  return skills.flatMap(({ name, files }) => files.map((file) => ({ ...file, dest: `${dir}/${name}/${file.dest}` })));
}

/** Writes skills into a folder, which is created if necessary. */
export async function writeSkills(dir: string, skills: readonly OfferedSkill[]): Promise<void> {
  await mkdir(dir, { recursive: true });
  const writer = new FolderWriter(await realpath(dir));
  for (const file of toSkillFiles(skills, ".")) {
    await writer.write({ path: file.dest, bytes: decodeContent(file), executable: file.executable });
  }
}
