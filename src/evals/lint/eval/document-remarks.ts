import { existsSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import type { KeyPath, YamlTree } from "../../../utils/files/yaml-tree.js";
import { fieldsOf, listAt } from "./places.js";
import type { EvalRemark } from "./subject.js";

/** Finds repeated names and missing paths in an eval file. */
export function documentRemarks(file: string, tree: YamlTree): EvalRemark[] {
  const dir = dirname(resolve(file));
  const dead = namedPaths(tree.value)
    .filter(({ name, inside = "" }) => !existsSync(join(resolve(dir, name), inside)))
    .map(({ name, path, what }): EvalRemark => {
      return { ...tree.placeOf(path), code: "EVAL-PATH-DEAD", message: `${what} ${name} does not exist.` };
    });
  return [...repeatedNames(tree), ...dead];
}

function repeatedNames(tree: YamlTree): EvalRemark[] {
  const names = listAt(tree.value, "stimuli").map((stimulus) => fieldsOf(stimulus).name);
  return names.flatMap((name, index): EvalRemark[] => {
    if (typeof name !== "string" || names.indexOf(name) === index) return [];
    const place = tree.placeOf(["stimuli", index, "name"]);
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

function namedPaths(document: unknown): NamedPath[] {
  const { skill, environment } = fieldsOf(document);
  return [
    ...skillAt(skill, ["skill"]),
    ...inEnvironment(environment, ["environment"]),
    ...listAt(document, "stimuli").flatMap((stimulus, index) => inStimulus(fieldsOf(stimulus), ["stimuli", index])),
  ];
}

function inStimulus(
  { environment, golden_patch: patch }: Readonly<Record<string, unknown>>,
  path: KeyPath,
): NamedPath[] {
  const isPath = typeof patch === "string";
  const name = isPath ? patch : fieldsOf(patch).path;
  const at = [...path, "golden_patch", ...(isPath ? [] : ["path"])];
  return [...pathAt(name, at, "golden patch"), ...inEnvironment(environment, [...path, "environment"])];
}

function inEnvironment(environment: unknown, path: KeyPath): NamedPath[] {
  const { url } = fieldsOf(fieldsOf(environment).git);
  return [
    ...(isLocal(url) ? pathAt(url, [...path, "git", "url"], "repository") : []),
    ...listAt(environment, "files").flatMap((file, index) =>
      pathAt(fieldsOf(file).src, [...path, "files", index, "src"], "file or folder"),
    ),
    ...listAt(environment, "skills").flatMap((skill, index) => skillAt(skill, [...path, "skills", index])),
  ];
}

/** Like git: a URL has a scheme, or a host before a colon; anything else is a path. */
function isLocal(url: unknown): url is string {
  return typeof url === "string" && (isAbsolute(url) || !/^[^/]*:/.test(url));
}

/** A skill is named by its folder or by its SKILL.md. */
function skillAt(name: unknown, path: KeyPath): NamedPath[] {
  const [found] = pathAt(name, path, "skill");
  if (found === undefined) return [];
  return [/(?:^|\/)SKILL\.md$/.test(found.name) ? found : { ...found, inside: "SKILL.md" }];
}

function pathAt(name: unknown, path: KeyPath, what: string): NamedPath[] {
  return typeof name === "string" && name !== "" ? [{ name, path, what }] : [];
}
