import { existsSync } from "node:fs";
import { join, posix } from "node:path";
import type { Environment } from "../../../core/index.js";
import { getErrorMessage } from "../../../core/index.js";
import type { FilePosition, YamlTree } from "../../../utils/index.js";
import type { Stimulus } from "../../spec/spec.js";
import { EnvironmentContentReader } from "../../spec/spec-environment.js";
import type { LintedEvalFile } from "./file-issues.js";
import type { EvalIssue, LintedStimulus } from "./linted-stimulus.js";
import { findStimulusIndex, getDocumentList, toDocumentFields } from "./locations.js";

/** Finds environments that a run would reject, by reading them in the same way. */
export async function findEnvironmentIssues({ spec, tree }: LintedEvalFile): Promise<EvalIssue[]> {
  const contents = new EnvironmentContentReader(spec.file);
  const found: EvalIssue[] = [];
  for (const stimulus of spec.stimuli) {
    const message = await checkEnvironmentContents(stimulus.environment, contents);
    if (message === null) continue;
    found.push({ ...locateEnvironmentKey(message, stimulus, tree), code: "EVAL-ENVIRONMENT", message });
  }
  return found;
}

async function checkEnvironmentContents(
  environment: Environment,
  contents: EnvironmentContentReader,
): Promise<string | null> {
  if (!hasAllFiles(environment)) return null;
  try {
    await contents.read(environment);
    return null;
  } catch (error) {
    return getErrorMessage(error);
  }
}

/** Missing files are reported by another rule. */
function hasAllFiles({ files = [], skills = [] }: Environment): boolean {
  return (
    files.every((file) => !("src" in file) || existsSync(file.src)) &&
    skills.every((skill) => typeof skill !== "string" || existsSync(join(skill, "SKILL.md")))
  );
}

/** The list or mapping that the message is about: that of the test case, or else that of the file. */
function locateEnvironmentKey(message: string, stimulus: Stimulus, tree: YamlTree): FilePosition {
  const index = findStimulusIndex(stimulus, tree);
  const key = findEnvironmentKey(message, stimulus.environment);
  const own = toDocumentFields(toDocumentFields(getDocumentList(tree.value, "stimuli")[index]).environment);
  if (Object.hasOwn(own, key)) return tree.locate(["stimuli", index, "environment", key]);
  const { environment } = toDocumentFields(tree.value);
  if (environment !== undefined) return tree.locate(["environment", key]);
  return { line: stimulus.line, column: stimulus.column };
}

/** Messages begin with the key they are about, or name a file of a skill. */
function findEnvironmentKey(message: string, { skills = [] }: Environment): string {
  const [, key] = /^environment\.(\w+)/.exec(message) ?? [];
  const isOfSkill = skills.some((skill) => typeof skill === "string" && message.includes(skill));
  return key ?? (isOfSkill ? "skills" : "files");
}

interface PatchedFile {
  readonly path: string;
  readonly isNew: boolean;
}

/** Finds golden patches that change nothing, or change files that do not exist. */
export function findGoldenPatchIssues({ stimulus, given, placeOf }: LintedStimulus): EvalIssue[] {
  const { goldenPatch } = stimulus;
  if (goldenPatch === null) return [];
  const place = placeOf("golden_patch");
  const files = parsePatchedFiles(goldenPatch.text);
  if (files.length === 0) {
    const message = `The golden patch of "${stimulus.name}" changes no file.`;
    return [{ ...place, code: "EVAL-GOLDEN-PATCH", message }];
  }
  if (!given.isComplete) return [];
  return files
    .filter(({ path, isNew }) => given.paths.has(path) === isNew)
    .map(({ path, isNew }): EvalIssue => {
      const why = isNew
        ? `creates ${path}, which the environment already has`
        : `changes ${path}, which the environment does not have`;
      return { ...place, code: "EVAL-GOLDEN-PATCH", message: `The golden patch of "${stimulus.name}" ${why}.` };
    });
}

/** Files are named as they are before the patch. */
function parsePatchedFiles(text: string): PatchedFile[] {
  const lines = text.split("\n");
  return lines.flatMap((line, index): PatchedFile[] => {
    const next = lines[index + 1] ?? "";
    if (!line.startsWith("--- ") || !next.startsWith("+++ ")) return [];
    const before = parsePatchFileName(line);
    const after = parsePatchFileName(next);
    if (before === null) return after === null ? [] : [{ path: after, isNew: true }];
    return [{ path: before, isNew: false }];
  });
}

function parsePatchFileName(line: string): string | null {
  const name = line
    .slice(4)
    .replace(/\t.*$/, "")
    .replace(/\r$/, "")
    .replace(/^"(.*)"$/, "$1");
  return name === "/dev/null" ? null : posix.normalize(name.replace(/^[abiwco]\//, ""));
}
