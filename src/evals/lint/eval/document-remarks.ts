import { existsSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import type { KeyPath, YamlTree } from "../../../utils/files/yaml-tree.js";
import { getDocumentList, toDocumentFields } from "./places.js";
import type { EvalIssue } from "./subject.js";

/** Finds repeated names and missing paths in an eval file. */
export function findDocumentIssues(file: string, tree: YamlTree): EvalIssue[] {
  const dir = dirname(resolve(file));
  const dead = collectNamedPaths(tree.value)
    .filter(({ name, inside = "" }) => !existsSync(join(resolve(dir, name), inside)))
    .map(({ name, path, what }): EvalIssue => {
      return { ...tree.locate(path), code: "EVAL-PATH-DEAD", message: `${what} ${name} does not exist.` };
    });
  return [...findRepeatedStimulusNames(tree), ...dead];
}

function findRepeatedStimulusNames(tree: YamlTree): EvalIssue[] {
  const names = getDocumentList(tree.value, "stimuli").map((stimulus) => toDocumentFields(stimulus).name);
  return names.flatMap((name, index): EvalIssue[] => {
    if (typeof name !== "string" || names.indexOf(name) === index) return [];
    const place = tree.locate(["stimuli", index, "name"]);
    return [{ ...place, code: "EVAL-STIMULUS-DUPLICATE", message: `The name "${name}" is used by another test case.` }];
  });
}

/** A path that a file names. */
interface NamedPath {
  readonly name: string;
  readonly path: KeyPath;
  readonly what: string;
  /** A file that must exist inside of the path. */
  readonly inside?: string;
}

function collectNamedPaths(document: unknown): NamedPath[] {
  const { skill, environment } = toDocumentFields(document);
  return [
    ...toSkillPath(skill, ["skill"]),
    ...collectEnvironmentPaths(environment, ["environment"]),
    ...getDocumentList(document, "stimuli").flatMap((stimulus, index) =>
      collectStimulusPaths(toDocumentFields(stimulus), ["stimuli", index]),
    ),
  ];
}

function collectStimulusPaths(
  { environment, golden_patch: patch }: Readonly<Record<string, unknown>>,
  path: KeyPath,
): NamedPath[] {
  const isPath = typeof patch === "string";
  const name = isPath ? patch : toDocumentFields(patch).path;
  const at = [...path, "golden_patch", ...(isPath ? [] : ["path"])];
  return [...toNamedPath(name, at, "golden patch"), ...collectEnvironmentPaths(environment, [...path, "environment"])];
}

function collectEnvironmentPaths(environment: unknown, path: KeyPath): NamedPath[] {
  const { url } = toDocumentFields(toDocumentFields(environment).git);
  return [
    ...(isLocalRepository(url) ? toNamedPath(url, [...path, "git", "url"], "repository") : []),
    ...getDocumentList(environment, "files").flatMap((file, index) =>
      toNamedPath(toDocumentFields(file).src, [...path, "files", index, "src"], "file or folder"),
    ),
    ...getDocumentList(environment, "skills").flatMap((skill, index) => toSkillPath(skill, [...path, "skills", index])),
  ];
}

/** Like git: a URL has a scheme, or a host before a colon; anything else is a path. */
function isLocalRepository(url: unknown): url is string {
  return typeof url === "string" && (isAbsolute(url) || !/^[^/]*:/.test(url));
}

/** A skill is named by its folder or by its SKILL.md. */
function toSkillPath(name: unknown, path: KeyPath): NamedPath[] {
  const [found] = toNamedPath(name, path, "skill");
  if (found === undefined) return [];
  return [/(?:^|\/)SKILL\.md$/.test(found.name) ? found : { ...found, inside: "SKILL.md" }];
}

function toNamedPath(name: unknown, path: KeyPath, what: string): NamedPath[] {
  return typeof name === "string" && name !== "" ? [{ name, path, what }] : [];
}
