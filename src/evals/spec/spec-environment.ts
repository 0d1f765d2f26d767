import { existsSync, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import type { Environment, EnvironmentFile } from "../../core/environment.js";
import { didYouMean } from "../../core/suggest.js";
import type { KeyPath } from "../../utils/files/yaml-tree.js";
import type { RawEnvironment } from "./environment-schema.js";
import type { Findings } from "./findings.js";
import { mergeEnvironments, takesSkillsAway } from "./merge-environment.js";

/** An environment of the project file, and the folder that its paths are relative to. */
export interface SharedEnvironment {
  readonly environment: Environment;
  readonly dir: string;
}

/** Where an environment is read, and what is known there. */
export interface EnvironmentContext {
  readonly dir: string;
  readonly shared: Readonly<Record<string, SharedEnvironment>>;
  readonly findings: Findings;
}

/** The environment at a path of the file with absolute paths, the shared one that it names included. */
export function environmentAt(
  given: string | RawEnvironment | undefined,
  path: KeyPath,
  context: EnvironmentContext,
): Environment {
  if (given === undefined) return {};
  if (typeof given === "string") return sharedOf(given, path, context);
  const { use, ...rest } = given;
  const shared = use === undefined ? {} : sharedOf(use, [...path, "use"], context);
  // What `use` named is taken out; the rest has the shape of an environment.
  const own = anchored(rest as Environment, { dir: context.dir, say: sayAt(path, context) });
  if (takesSkillsAway(shared, own))
    context.findings.note(`an empty environment.skills takes away those of the environment "${use}"`);
  return mergeEnvironments(shared, own);
}

function sharedOf(name: string, path: KeyPath, { shared, findings }: EnvironmentContext): Environment {
  if (!Object.hasOwn(shared, name) || shared[name] === undefined) {
    findings.at(path, `the project file has no environment "${name}".${didYouMean(name, Object.keys(shared))}`);
    return {};
  }
  const { environment, dir } = shared[name];
  const say = (_: KeyPath, text: string) => findings.at(path, `the environment "${name}": ${text}`);
  return anchored(environment, { dir, say });
}

function sayAt(path: KeyPath, { findings }: EnvironmentContext) {
  return (inner: KeyPath, text: string) => findings.at([...path, ...inner], text);
}

interface Anchor {
  readonly dir: string;
  readonly say: (path: KeyPath, text: string) => void;
}

/** With absolute paths, of which each has to be there. */
function anchored(environment: Environment, { dir, say }: Anchor): Environment {
  const { git, files, skills } = environment;
  return {
    ...environment,
    ...(git !== undefined && { git: { ...git, url: repositoryAt(git.url, { dir, say }) } }),
    ...(files !== undefined && { files: files.map((file, index) => fileAt(file, index, { dir, say })) }),
    ...(skills !== undefined && {
      skills: skills.map((skill, index) =>
        typeof skill === "string" ? skillAt(skill, dir, (text) => say(["skills", index], text)) : skill,
      ),
    }),
  };
}

/** As git tells them apart: what has neither a scheme nor a host before a colon is a path. */
function repositoryAt(url: string, { dir, say }: Anchor): string {
  const isElsewhere = /^[A-Za-z][\w+.-]*:\/\//.test(url) || (/^[^/]*:/.test(url) && !isAbsolute(url));
  if (isElsewhere) return url;
  const path = resolve(dir, url);
  if (!existsSync(path)) say(["git", "url"], `there is no repository ${path}.`);
  return path;
}

function fileAt(file: EnvironmentFile, index: number, { dir, say }: Anchor): EnvironmentFile {
  if (!("src" in file) || file.src === undefined) return file;
  const src = resolve(dir, file.src);
  if (!existsSync(src)) say(["files", index, "src"], `there is no file or folder ${src}.`);
  return { src, dest: file.dest };
}

/** The folder of a skill, which may be given by its SKILL.md. */
export function skillAt(path: string, dir: string, say: (text: string) => void): string {
  const given = resolve(dir, path);
  const folder = basename(given) === "SKILL.md" ? dirname(given) : given;
  if (!isFolder(folder)) say(`there is no folder ${folder}: a skill is a folder with a SKILL.md.`);
  else if (!existsSync(join(folder, "SKILL.md"))) say(`${folder} has no SKILL.md, so it is no skill.`);
  return folder;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
