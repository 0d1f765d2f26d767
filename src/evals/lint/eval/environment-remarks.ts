import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "../../../core/environment.js";
import { messageOf } from "../../../core/errors.js";
import type { Place, YamlTree } from "../../../utils/files/yaml-tree.js";
import type { Stimulus } from "../../spec/spec.js";
import { EnvironmentContents } from "../../spec/spec-environment.js";
import type { EvalFile } from "./file-remarks.js";
import { fieldsOf, indexOf, listAt } from "./places.js";
import type { EvalRemark } from "./subject.js";

/** Finds environments that a run would reject, by reading them in the same way. */
export async function environmentRemarks({ spec, tree }: EvalFile): Promise<EvalRemark[]> {
  const contents = new EnvironmentContents(spec.file);
  const found: EvalRemark[] = [];
  for (const stimulus of spec.stimuli) {
    const message = await problemWith(stimulus.environment, contents);
    if (message === null) continue;
    found.push({ ...placeOf(message, stimulus, tree), code: "EVAL-ENVIRONMENT", message });
  }
  return found;
}

async function problemWith(environment: Environment, contents: EnvironmentContents): Promise<string | null> {
  if (!isAllThere(environment)) return null;
  try {
    await contents.read(environment);
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

/** Missing files are reported by another rule. */
function isAllThere({ files = [], skills = [] }: Environment): boolean {
  return (
    files.every((file) => !("src" in file) || existsSync(file.src)) &&
    skills.every((skill) => typeof skill !== "string" || existsSync(join(skill, "SKILL.md")))
  );
}

/** The list or mapping that the message is about: that of the test case, or else that of the file. */
function placeOf(message: string, stimulus: Stimulus, tree: YamlTree): Place {
  const index = indexOf(stimulus, tree);
  const key = keyIn(message, stimulus.environment);
  const own = fieldsOf(fieldsOf(listAt(tree.value, "stimuli")[index]).environment);
  if (Object.hasOwn(own, key)) return tree.placeOf(["stimuli", index, "environment", key]);
  const { environment } = fieldsOf(tree.value);
  if (environment !== undefined) return tree.placeOf(["environment", key]);
  return { line: stimulus.line, column: stimulus.column };
}

/** Messages begin with the key they are about, or name a file of a skill. */
function keyIn(message: string, { skills = [] }: Environment): string {
  const [, key] = /^environment\.(\w+)/.exec(message) ?? [];
  const isOfSkill = skills.some((skill) => typeof skill === "string" && message.includes(skill));
  return key ?? (isOfSkill ? "skills" : "files");
}
