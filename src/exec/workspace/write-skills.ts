import { mkdir, realpath } from "node:fs/promises";
import type { Environment, EnvironmentFile, OfferedSkill } from "../../core/environment.js";
import { decodeContent } from "./diff.js";
import { FolderWriter } from "./folder-writer.js";
import { WorkspaceError } from "./workspace-error.js";

/** The skills that an environment offers, once they are read. */
export function offeredSkills({ skills = [] }: Environment): readonly OfferedSkill[] {
  return skills.map((skill) => {
    if (typeof skill !== "string") return skill;
    throw new WorkspaceError(
      `The skill "${skill}" has not been read yet: give the environment to EnvironmentReader first.`,
    );
  });
}

/**
 * The files of skills, each in a folder of its name below `dir`.
 * @example
 * skillFiles([{ name: "tidy", files: [{ dest: "SKILL.md", content: "…" }] }], ".claude/skills");
 */
export function skillFiles(
  skills: readonly OfferedSkill[],
  dir: string,
): readonly Exclude<EnvironmentFile, { src: string }>[] {
  return skills.flatMap(({ name, files }) => files.map((file) => ({ ...file, dest: `${dir}/${name}/${file.dest}` })));
}

/** Writes skills below a folder, which is made if need be. */
export async function writeSkills(dir: string, skills: readonly OfferedSkill[]): Promise<void> {
  await mkdir(dir, { recursive: true });
  const writer = new FolderWriter(await realpath(dir));
  for (const file of skillFiles(skills, ".")) {
    await writer.write({ path: file.dest, bytes: decodeContent(file), executable: file.executable });
  }
}
